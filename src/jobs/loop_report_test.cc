#include "jobs/loop_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace realward {
namespace {

// `successes` of n worlds succeed, the first ones.
std::vector<EpisodeSummary> Episodes(int n, int successes) {
  std::vector<EpisodeSummary> episodes;
  for (int w = 0; w < n; ++w) {
    EpisodeSummary e;
    e.world = w;
    e.unit = static_cast<std::uint32_t>(w);
    e.end = EpisodeEnd::kHorizon;
    e.success = w < successes;
    e.episode_return = e.success ? 10.0 + w % 3 : w % 5;
    e.steps = 100;
    if (e.success) e.settle_time = 0.5;
    episodes.push_back(e);
  }
  return episodes;
}

LoopReport Made(const LoopState& state) {
  const Result<LoopReport> report = MakeLoopReport(state);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

LoopState State() {
  LoopState state;
  state.loop.name = "loop";
  state.loop.file = "loop.yaml";
  state.loop.baseline = "a";
  state.loop.suites = {{"easy", {}, 40, false}, {"hard", {"x/hard.yaml"}, 40, true}};
  state.loop.wanted_success = 0.9;
  state.task.model_path = "model.xml";
  PolicyRun a, b;
  a.name = "a";
  a.suites = {{"easy", Episodes(40, 40)}, {"hard", Episodes(40, 10)}};
  b.name = "b";
  b.suites = {{"easy", Episodes(40, 39)}, {"hard", Episodes(40, 38)}};
  b.suites["hard"][39].end = EpisodeEnd::kDiverged;
  state.policies = {a, b};
  return state;
}

TEST(LoopReport, CountsComparesAndRecommends) {
  const LoopReport report = Made(State());
  ASSERT_EQ(report.scores.size(), 4u);
  EXPECT_EQ(report.scores[3].successes, 38);
  EXPECT_EQ(report.scores[3].diverged, 1);
  EXPECT_NEAR(report.scores[3].success.value, 0.95, 1e-12);
  ASSERT_EQ(report.comparisons.size(), 2u);
  EXPECT_EQ(report.comparisons[1].only_policy, 28);
  EXPECT_EQ(report.comparisons[1].only_baseline, 0);
  EXPECT_NEAR(report.comparisons[1].p_value, std::pow(2.0, -27),
              1e-12);  // 28 heads of a fair coin, two-sided
  EXPECT_EQ(report.recommended, "b");
  EXPECT_TRUE(MeetsWantedSuccess(report));
  EXPECT_EQ(report.suites[1].description, "hard");
}

TEST(LoopReport, SaysNoWhenTheBestPolicyMissesWhatIsWanted) {
  LoopState state = State();
  state.loop.wanted_success = 0.99;
  const LoopReport report = Made(state);
  EXPECT_FALSE(MeetsWantedSuccess(report));
  EXPECT_TRUE(report.recommended.empty());
  EXPECT_THAT(report.recommended_why, testing::HasSubstr("95.0 %"));
}

TEST(LoopReport, RobotTrialsThatWereAbortedAreNotCounted) {
  LoopState state = State();
  state.loop.robot = RobotSpec{"bench", "hidden.yaml", 1, "", 3};
  for (PolicyRun& run : state.policies) {
    run.trials = {{0, true, true, 9.0, "horizon", 100, ""},
                  {1, true, false, 1.0, "horizon", 100, ""},
                  {2, false, {}, {}, "aborted", 0, "gone"}};
  }
  const LoopReport report = Made(state);
  const ReportRobotScore& score = report.robot->scores[0];
  EXPECT_EQ(score.trials, 2);
  EXPECT_EQ(score.aborted, 1);
  EXPECT_NEAR(score.success.value, 0.5, 1e-12);
  EXPECT_EQ(score.sim_suite, "easy");
  double sim = 0.0;
  for (const EpisodeSummary& e : state.policies[0].suites["easy"]) sim += e.episode_return / 40.0;
  EXPECT_NEAR(score.delta.value, 5.0 - sim, 1e-9);
  EXPECT_NEAR(score.gap_ratio.value, std::abs(5.0 - sim) / sim, 1e-9);
  EXPECT_EQ(report.robot->trials[2].outcome, "aborted");
}

TEST(LoopReport, GapPartsAndRemainderAddUp) {
  LoopState state = State();
  GapDecomposition d;
  d.parameters = {"mass", "delay"};
  d.nominal = Episodes(40, 40);
  d.alone = {Episodes(40, 30), Episodes(40, 36)};
  d.together = Episodes(40, 20);
  state.decomposition = d;
  state.decomposed_policy = "a";
  const LoopReport report = Made(state);
  const ReportGap& gap = report.gaps[0];
  EXPECT_EQ(gap.quantity, "success");
  EXPECT_NEAR(gap.parts[0].effect.value, -0.25, 1e-12);
  EXPECT_NEAR(gap.parts[1].effect.value, -0.1, 1e-12);
  EXPECT_NEAR(gap.remainder.value, -0.5 + 0.35, 1e-12);
}

TEST(LoopReport, EqualStatesGiveEqualPages) {
  EXPECT_EQ(RenderHtml(Made(State())), RenderHtml(Made(State())));
}

TEST(LoopReport, GapsInWords) {
  EXPECT_EQ(DescribeGaps({}), "nominal world");
  EXPECT_EQ(DescribeGaps({"fit", "/a/b/wide.yaml"}), "posterior of the fit + wide");
}

}  // namespace
}  // namespace realward
