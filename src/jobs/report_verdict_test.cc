#include "jobs/report_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/markup_check.h"
#include "jobs/report_sample.h"

namespace realward {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ReportVerdict, SaysWhichPolicyHowWellAndWhatIsUnknown) {
  const std::string html = RenderVerdict(SampleReport());
  EXPECT_EQ(MarkupFault(html), "");
  for (const char* words :
       {"Use the policy “posterior”.", "99.0\u202f%",
        "198 of 200 worlds, 95 % interval 96.4 to 99.7", "97 of 98 trials", "0.15 to 0.18",
        "reached, with the whole interval above it", "Better in “wide gap”: +50.5",
        "2 of its trials were aborted", "say no more about torque offset",
        "On a bound of the search: command delay", "it is not your hardware"}) {
    EXPECT_THAT(html, HasSubstr(words));
  }
}

TEST(ReportVerdict, TheGoalIsJudgedByTheIntervalToo) {
  LoopReport report = SampleReport();
  report.wanted_success = 0.98;  // the estimate is 0.99, its interval starts at 0.964
  EXPECT_THAT(RenderVerdict(report), HasSubstr("the interval reaches below it"));
  report.wanted_success = 0.995;
  EXPECT_THAT(RenderVerdict(report), HasSubstr("not reached"));
}

TEST(ReportVerdict, NoClearDifferenceAndWorseAreSaid) {
  LoopReport report = SampleReport();
  report.comparisons.resize(1);
  report.comparisons[0].policy = "posterior";
  report.comparisons[0].success_difference = {0.01, -0.02, 0.04, ""};
  EXPECT_THAT(RenderVerdict(report), HasSubstr("No clear difference in “around the fit”"));
  report.comparisons[0].success_difference = {-0.1, -0.2, -0.01, ""};
  EXPECT_THAT(RenderVerdict(report), HasSubstr("Worse in “around the fit”"));
}

TEST(ReportVerdict, WithoutARobotAFitOrAChoice) {
  LoopReport report = SampleReport();
  report.robot.reset();
  report.fit.reset();
  report.recommended.clear();
  report.recommended_why = "No policy reached the goal.";
  const std::string html = RenderVerdict(report);
  EXPECT_THAT(html, HasSubstr("No policy is recommended."));
  EXPECT_THAT(html, HasSubstr("No policy reached the goal."));
  EXPECT_THAT(html, HasSubstr("no robot"));
  EXPECT_THAT(html, HasSubstr("Nothing was fitted"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"tiles\"")));
}

TEST(ReportVerdict, FindsScores) {
  const LoopReport report = SampleReport();
  EXPECT_EQ(FindScore(report, "wide", "wide gap")->successes, 183);
  EXPECT_EQ(FindScore(report, "wide", "elsewhere"), nullptr);
  EXPECT_EQ(FindRobotScore(report, "wide")->successes, 91);
}

}  // namespace
}  // namespace realward
