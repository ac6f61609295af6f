#include "jobs/svg_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "jobs/markup_check.h"

namespace realward {
namespace {

std::vector<double> Attributes(const std::string& svg, const std::string& pattern) {
  std::vector<double> values;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(svg.begin(), svg.end(), regex), end; it != end; ++it) {
    values.push_back(std::stod((*it)[1]));
  }
  return values;
}

IntervalChart Two() {
  IntervalChart chart;
  chart.axis = {"effect", "points", {}, {}, false};
  chart.rows = {{"small", 1.0, 0.5, 1.5, "+1.0 (0.5 to 1.5)", 0, false},
                {"large", -4.0, NAN, NAN, "−4.0", 1, true},
                {"none", NAN, NAN, NAN, "undefined: no trial", 1, false}};
  return chart;
}

TEST(SvgChart, PointsStandInOrderAndTheWhiskerAroundItsPoint) {
  const std::string svg = RenderIntervals(Two());
  EXPECT_EQ(MarkupFault(svg), "");
  const std::vector<double> x = Attributes(svg, "<circle cx=\"([0-9.]+)\"");
  ASSERT_EQ(x.size(), 2u);  // an undefined value has no point
  EXPECT_GT(x[0], x[1]);
  const std::vector<double> low = Attributes(svg, "<line x1=\"([0-9.]+)\"[^>]*class=\"l w c0\"");
  const std::vector<double> high = Attributes(svg, "x2=\"([0-9.]+)\"[^>]*class=\"l w c0\"");
  ASSERT_EQ(low.size(), 3u);
  EXPECT_NEAR(0.5 * (low[0] + high[0]), x[0], 0.11);
  EXPECT_NE(svg.find("undefined: no trial"), std::string::npos);
}

TEST(SvgChart, BarsStartAtTheReference) {
  IntervalChart chart = Two();
  chart.bars = true;
  const std::string svg = RenderIntervals(chart);
  const double zero = Attributes(svg, "<line x1=\"([0-9.]+)\"[^>]*class=\"a w\"").at(0);
  const std::vector<double> left = Attributes(svg, "<rect x=\"([0-9.]+)\"[^>]*class=\"h");
  const std::vector<double> width = Attributes(svg, "<rect [^>]*width=\"([0-9.]+)\"[^>]*class=\"h");
  ASSERT_EQ(left.size(), 2u);
  EXPECT_NEAR(left[0], zero, 0.11);
  EXPECT_NEAR(left[1] + width[1], zero, 0.11);
  EXPECT_NEAR(width[1] / width[0], 4.0, 0.02);
}

TEST(SvgChart, NarrowChartPutsNamesAboveTheirBars) {
  IntervalChart chart = Two();
  const std::string wide = RenderIntervals(chart);
  chart.width = 200;
  const std::string narrow = RenderIntervals(chart);
  EXPECT_EQ(MarkupFault(narrow), "");
  EXPECT_LT(wide.find("height=\""), wide.size());
  EXPECT_GT(Attributes(narrow, "height=\"([0-9.]+)\"")[0],
            Attributes(wide, "height=\"([0-9.]+)\"")[0]);
}

TEST(SvgChart, HeatMapShowsEachPairTwiceAndStrongerIsDenser) {
  const HeatMap map{"r", {"a", "b", "c"}, {1, 0.9, -0.2, 0.9, 1, NAN, -0.2, NAN, 1}, 400};
  const std::string svg = RenderHeatMap(map);
  EXPECT_EQ(MarkupFault(svg), "");
  const std::vector<double> blue = Attributes(svg, "class=\"f0\" fill-opacity=\"([0-9.]+)\"");
  const std::vector<double> orange = Attributes(svg, "class=\"f1\" fill-opacity=\"([0-9.]+)\"");
  ASSERT_EQ(orange.size(), 2u);
  EXPECT_GT(blue[0], orange[0]);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(SvgChart, GlyphIsAsLongAsTheShare) {
  const std::string svg = RenderShareGlyph(0.25, 0.2, 1.0, 2);
  EXPECT_EQ(MarkupFault(svg), "");
  EXPECT_NE(svg.find("width=\"30\" height=\"4\" class=\"f2\""), std::string::npos);
  EXPECT_EQ(MarkupFault(RenderShareGlyph(NAN, NAN, NAN, 0)), "");
}

}  // namespace
}  // namespace realward
