#include "evaluate/suite.h"

#include <gtest/gtest.h>

#include "sim/test_task.h"

namespace realward {
namespace {

using testing_support::SlideController;
using testing_support::SlideGap;
using testing_support::SlideTask;

bool Same(const std::vector<EpisodeSummary>& a, const std::vector<EpisodeSummary>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].world != b[i].world || a[i].episode_return != b[i].episode_return ||
        a[i].success != b[i].success) {
      return false;
    }
  }
  return true;
}

TEST(Suite, RunsEachWorldOnceInOrderAtAnyThreadCount) {
  const TaskSpec task = SlideTask();
  const PolicyArtifact good = SlideController(task, 2.0f, 0.5f);
  const auto one = *RunSuite(good, task, SlideGap(), {40, 1, 7, nullptr});
  const auto two = *RunSuite(good, task, SlideGap(), {40, 2, 7, nullptr});
  ASSERT_EQ(one.size(), 40u);
  for (int w = 0; w < 40; ++w) EXPECT_EQ(one[w].world, w);
  EXPECT_TRUE(Same(one, two));
  EXPECT_FALSE(Same(one, *RunSuite(good, task, SlideGap(), {40, 1, 8, nullptr})));
}

TEST(Suite, ABetterControllerSucceedsMoreOften) {
  const TaskSpec task = SlideTask();
  const auto successes = [&](const PolicyArtifact& policy) {
    int count = 0;
    const auto episodes = *RunSuite(policy, task, SlideGap(), {50, 1, 7, nullptr});
    for (const EpisodeSummary& e : episodes) count += e.success;
    return count;
  };
  EXPECT_GE(successes(SlideController(task, 2.0f, 0.5f)), 45);
  EXPECT_EQ(successes(SlideController(task, -2.0f, 0.0f)), 0);  // pushes away
}

TEST(Suite, RefusesAPolicyOfAnotherTask) {
  TaskSpec task = SlideTask();
  const PolicyArtifact policy = SlideController(task, 2.0f, 0.5f);
  task.control_period = 0.02;
  const auto refused = RunSuite(policy, task, {}, {2, 1, 1, nullptr});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
  EXPECT_NE(refused.error().message.find("control_period_s"), std::string::npos);
}

TEST(Suite, StopsWhenAsked) {
  const TaskSpec task = SlideTask();
  const std::atomic<bool> stop{true};
  EXPECT_EQ(RunSuite(SlideController(task, 1, 1), task, {}, {2, 1, 1, &stop}).error().kind,
            ErrorKind::kInterrupted);
}

// With two parameters that act alone, each part equals the run with that parameter only, and the
// draw of a parameter is the same alone and together.
TEST(Suite, DecompositionSharesWorldsAndDraws) {
  const TaskSpec task = SlideTask();
  const PolicyArtifact policy = SlideController(task, 2.0f, 0.5f);
  GapSpec gap = SlideGap();
  gap.parameters.resize(2);
  const GapDecomposition d = *DecomposeGap(policy, task, gap, {20, 1, 5, nullptr});
  EXPECT_EQ(d.parameters, (std::vector<std::string>{"mass", "damping"}));
  EXPECT_TRUE(Same(d.nominal, *RunSuite(policy, task, {}, {20, 1, 5, nullptr})));
  EXPECT_TRUE(Same(d.together, *RunSuite(policy, task, gap, {20, 1, 5, nullptr})));
  EXPECT_FALSE(Same(d.alone[0], d.alone[1]));
  gap.parameters[1].distribution = {
      DistributionKind::kConstant, 1.0, 0.0, {}, {}};  // damping does nothing now
  EXPECT_TRUE(Same(d.alone[0], *RunSuite(policy, task, gap, {20, 1, 5, nullptr})));
}

TEST(Suite, TrialsPairByWorld) {
  const TaskSpec task = SlideTask();
  const auto episodes = *RunSuite(SlideController(task, 2.0f, 0.5f), task, {}, {5, 1, 1, nullptr});
  const auto trials = ToTrials("p", "s", episodes);
  ASSERT_EQ(trials.size(), 5u);
  EXPECT_EQ(trials[3].key.seed, 3u);
  EXPECT_EQ(*trials[3].episode_return, episodes[3].episode_return);
  EXPECT_TRUE(CheckTrial(trials[3]).ok());
}

}  // namespace
}  // namespace realward
