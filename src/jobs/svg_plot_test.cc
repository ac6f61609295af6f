#include "jobs/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "jobs/markup_check.h"

namespace realward {
namespace {

Plot Ramp() {
  Plot plot;
  plot.x = {"time", "s", {}, {}, false};
  plot.y = {"angle", "rad", {}, {}, false};
  plot.series = {{"ramp", Mark::kLine, {0, 1, 2, NAN, 4, 5}, {0, 1, 2, 3, 4, 5}, {}, 0}};
  return plot;
}

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// y coordinates of every text element of the class.
std::vector<double> TextTops(const std::string& svg, const std::string& content) {
  std::vector<double> tops;
  const std::regex pattern("y=\"([0-9.]+)\"[^>]*>" + content + "</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it) {
    tops.push_back(std::stod((*it)[1]));
  }
  return tops;
}

TEST(SvgPlot, LineBreaksAtAGapAndAxesCarryUnits) {
  const std::string svg = RenderPlot(Ramp());
  EXPECT_EQ(MarkupFault(svg), "");
  const std::size_t path = svg.find("<path class=\"l c0\"");
  ASSERT_NE(path, std::string::npos);
  const std::string d = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_EQ(Count(d, "M"), 2);
  EXPECT_EQ(Count(d, "L"), 3);
  EXPECT_NE(svg.find("time (s)"), std::string::npos);
  EXPECT_NE(svg.find("angle (rad)"), std::string::npos);
}

TEST(SvgPlot, LegendStandsAboveTheData) {
  Plot plot = Ramp();
  for (int i = 0; i < 9; ++i) {
    plot.series.push_back({"a rather long name", Mark::kDashed, {0, 1}, {0, 1}, {}, i % kColours});
  }
  plot.width = 358;
  const std::string svg = RenderPlot(plot);
  const std::size_t clip = svg.find("<svg x=");
  const double top = std::stod(svg.substr(svg.find("y=\"", clip) + 3));
  const std::vector<double> names = TextTops(svg, "a rather long name");
  ASSERT_EQ(names.size(), 9u);
  for (const double y : names) EXPECT_LT(y, top);
}

TEST(SvgPlot, LongSeriesAreDrawnWithFewPointsAndKeepTheirPeak) {
  Plot plot = Ramp();
  plot.series[0].x.clear();
  plot.series[0].y.clear();
  for (int i = 0; i < 200000; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(i == 123456 ? 1.0 : 0.0);
  }
  plot.y.low = 0.0;
  plot.y.high = 1.0;
  const std::string svg = RenderPlot(plot);
  EXPECT_LT(svg.size(), 64000u);
  const std::size_t path = svg.find("<path class=\"l c0\"");
  const std::string d = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_TRUE(std::regex_search(d, std::regex("L[0-9.]+ 0L")));  // reaches the top edge
}

TEST(SvgPlot, EveryMarkIsWellFormedAndRepeatable) {
  Plot plot = Ramp();
  plot.title = "a & b";
  const std::vector<double> x = {0, 1, 2}, y = {1, NAN, 2}, high = {2, 3, 4};
  for (const Mark mark : {Mark::kVeil, Mark::kPoints, Mark::kBand, Mark::kArea, Mark::kDashed}) {
    plot.series.push_back({"m", mark, x, y, high, 2});
  }
  plot.rules = {{0.5, true, "here", 1, true}, {0.5, false, "", kInk, false}};
  plot.spans = {{0.2, 0.8, "95 % interval", 0}};
  const std::string svg = RenderPlot(plot);
  EXPECT_EQ(MarkupFault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg, RenderPlot(plot));
  EXPECT_EQ(Count(svg, "<circle"), 3);  // two finite points and the legend's
  EXPECT_EQ(MarkupFault(RenderLegend(plot, 300)), "");
}

TEST(SvgPlot, NothingFiniteIsNoData) {
  Plot plot = Ramp();
  EXPECT_TRUE(HasData(plot));
  plot.series[0].y.assign(6, NAN);
  EXPECT_FALSE(HasData(plot));
  EXPECT_EQ(MarkupFault(RenderPlot(plot)), "");
  EXPECT_FALSE(HasData(Plot{}));
}

TEST(SvgPlot, LimitsContainTheDataAndAFlatSeriesGetsARange) {
  const PlotRange flat = AxisLimits({}, {3.0, 3.0}, 0.05);
  EXPECT_LT(flat.low, 3.0);
  EXPECT_GT(flat.high, 3.0);
  const PlotRange given = AxisLimits({"", "", 0.0, {}, false}, {1.0, 2.0}, 0.1);
  EXPECT_EQ(given.low, 0.0);
  EXPECT_DOUBLE_EQ(given.high, 2.1);
  const PlotRange empty = AxisLimits({}, PlotRange{}, 0.0);
  EXPECT_LT(empty.low, empty.high);
}

TEST(SvgPlot, StandaloneFileCarriesItsStyle) {
  const std::string svg = RenderStandalone({Ramp(), Ramp()}, "title", "caption");
  EXPECT_EQ(MarkupFault(svg), "");
  EXPECT_NE(svg.find("<style>"), std::string::npos);
  EXPECT_EQ(Count(svg, "<path class=\"l c0\""), 2);
}

}  // namespace
}  // namespace realward
