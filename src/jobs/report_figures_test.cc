#include "jobs/report_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/markup_check.h"
#include "jobs/report_sample.h"

namespace realward {
namespace {

using testing::HasSubstr;

TEST(ReportFigures, EstimatesAsText) {
  EXPECT_EQ(EstimateText({0.15326, 0.151, 0.1555, ""}), "0.1533 (0.1510 to 0.1555)");
  EXPECT_EQ(EstimateText({2.5, kUndefined, kUndefined, ""}), "2.5");
  EXPECT_EQ(EstimateText({kUndefined, 0, 0, "no trial ended"}), "undefined: no trial ended");
  EXPECT_EQ(ShareText({0.975, 0.9, 1.0, ""}), "97.5\u202f% (90.0 to 100.0\u202f%)");
  EXPECT_EQ(PointsText({-0.105, -0.2, 0.01, ""}), "−10.5 (−20.0 to +1.0)");
}

TEST(ReportFigures, PoliciesKeepTheirColour) {
  const LoopReport report = SampleReport();
  EXPECT_NE(PolicyColour(report, "nominal"), PolicyColour(report, "posterior"));
  EXPECT_EQ(PolicyColour(report, "wide"), PolicyColour(report, "wide"));
}

TEST(ReportFigures, ErrorIsSimulationMinusRecording) {
  ReportOverlay overlay{"r",    "angle",           "rad",      true,
                        {0, 1}, {1.0, kUndefined}, {3.0, 3.0}, {1.5, 1.5}};
  const Plot plot = ErrorPlot(overlay, 400, 200);
  EXPECT_EQ(plot.series[0].y[0], 2.0);
  EXPECT_EQ(plot.series[1].y[0], 0.5);
  EXPECT_TRUE(std::isnan(plot.series[0].y[1]));
}

TEST(ReportFigures, GapRowsGoFromLargestToSmallestThenTheSum) {
  const LoopReport report = SampleReport();
  const std::string html = GapFigure(report, report.gaps[0]);
  EXPECT_EQ(MarkupFault(html), "");
  EXPECT_LT(html.find(">Coulomb friction<"), html.find(">mass × centre<"));
  EXPECT_LT(html.find(">mass × centre<"), html.find(">inertia<"));
  EXPECT_LT(html.find(">inertia<"), html.find(">all together<"));
  EXPECT_THAT(html, HasSubstr(">−14.5<"));  // 85.5 % − 100 %
}

TEST(ReportFigures, WithoutDataTheySaySo) {
  EXPECT_THAT(LearningFigure(LoopReport{}), HasSubstr("No learning curve"));
  EXPECT_THAT(PriorPosteriorFigure({}), HasSubstr("No parameter has"));
  EXPECT_THAT(CorrelationFigure(ReportFit{}), HasSubstr("no correlation matrix"));
  EXPECT_THAT(OverlayFigure(ReportOverlay{}), HasSubstr("no finite value"));
  EXPECT_EQ(ComparisonFigure(LoopReport{}), "");
}

TEST(ReportFigures, CorrelationNamesTheStrongestPair) {
  ReportFit fit;
  fit.correlation_names = {"a", "b", "c"};
  fit.correlation = {1, 0.2, -0.8, 0.2, 1, 0.1, -0.8, 0.1, 1};
  EXPECT_THAT(CorrelationFigure(fit), HasSubstr("Strongest: a and c (−0.80)"));
}

}  // namespace
}  // namespace realward
