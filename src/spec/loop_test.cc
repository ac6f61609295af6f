#include "spec/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kLoop = R"(loop: pendulum
task: task.yaml
seed: 3
logs:
  dataset: pendulum_runs
  fit: [run1.csv]
  validate: [run2.csv]
  fallback: {gap: hidden.yaml, seed: 9}
fit:
  gap: prior.yaml
  segment: 250 ms
  velocity_noise: 3 deg/s
train:
  steps: 2e6
  worlds: 128
  schedule: linear
  hidden: [32, 16]
  normalise_returns: false
policies:
  - {name: nominal}
  - {name: posterior, gaps: [fit]}
suites:
  - {name: nominal, worlds: 1}
  - {name: held-out, gaps: [fit, wide.yaml]}
robot: {name: virtual, gap: hidden.yaml, trials: 50}
baseline: nominal
)";

Result<LoopSpec> Load(const std::string& yaml) {
  for (const char* name : {"task.yaml", "hidden.yaml", "prior.yaml", "wide.yaml", "run1.csv",
                           "run2.csv", "columns.yaml"}) {
    WriteTestFile(name, "x\n");
  }
  return LoadLoop(WriteTestFile("loop.yaml", yaml));
}

std::string ErrorsOf(std::string_view from, std::string_view to) {
  const auto loop = Load(Replaced(kLoop, from, to));
  return loop.ok() ? "" : loop.error().message;
}

// Without the lines from the one that starts with `first` up to the one that starts with `last`.
std::string Without(std::string text, std::string_view first, std::string_view last) {
  const std::size_t begin = text.find(first), end = text.find(last);
  EXPECT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end);
  return text.erase(begin, end - begin);
}

TEST(Loop, ReadsTheDocumentedForm) {
  const auto loop = Load(kLoop);
  ASSERT_TRUE(loop.ok()) << loop.error().message;
  EXPECT_EQ(loop->name, "pendulum");
  EXPECT_EQ(loop->seed, 3u);
  EXPECT_EQ(loop->task_path.front(), '/');
  EXPECT_THAT(loop->task_path, EndsWith("/task.yaml"));
  EXPECT_EQ(loop->logs.dataset, "pendulum_runs");
  EXPECT_THAT(loop->logs.fit, ElementsAre(testing::Field(&LogFile::path, "run1.csv")))
      << "a name inside the data set";
  EXPECT_THAT(loop->logs.fallback_gap_path, EndsWith("/hidden.yaml"));
  EXPECT_EQ(loop->logs.fallback_seed, 9u);
  EXPECT_THAT(loop->fit.gap_path, EndsWith("/prior.yaml"));
  EXPECT_DOUBLE_EQ(loop->fit.segment, 0.25);
  EXPECT_NEAR(loop->fit.velocity_noise, 0.05235987755982989, 1e-15);
  EXPECT_EQ(loop->fit.huber, 3.0);
  EXPECT_EQ(loop->train.steps, 2'000'000);
  EXPECT_EQ(loop->train.worlds, 128);
  EXPECT_EQ(loop->train.schedule, "linear");
  EXPECT_THAT(loop->train.hidden, ElementsAre(32, 16));
  EXPECT_FALSE(loop->train.normalise_returns);
  EXPECT_EQ(loop->train.clip, 0.2);
  ASSERT_EQ(loop->policies.size(), 2u);
  EXPECT_TRUE(loop->policies[0].gaps.empty());
  EXPECT_THAT(loop->policies[1].gaps, ElementsAre("fit"));
  ASSERT_EQ(loop->suites.size(), 2u);
  EXPECT_EQ(loop->suites[0].worlds, 1);
  EXPECT_THAT(loop->suites[1].gaps, ElementsAre("fit", EndsWith("/wide.yaml")));
  EXPECT_EQ(loop->suites[1].worlds, 200);
  ASSERT_TRUE(loop->robot.has_value());
  EXPECT_EQ(loop->robot->trials, 50);
  EXPECT_EQ(loop->robot->seed, 1234u);
  EXPECT_EQ(loop->baseline, "nominal");
}

TEST(Loop, DefaultBaselineIsTheFirstPolicy) {
  const auto loop = Load(Replaced(kLoop, "baseline: nominal\n", ""));
  ASSERT_TRUE(loop.ok());
  EXPECT_EQ(loop->baseline, "nominal");
}

TEST(Loop, PlainLogFilesNeedAMappingAndExist) {
  const std::string plain =
      Replaced(Replaced(kLoop, "  dataset: pendulum_runs\n", "  mapping: columns.yaml\n"),
               "  fallback: {gap: hidden.yaml, seed: 9}\n", "");
  const auto loop = Load(plain);
  ASSERT_TRUE(loop.ok()) << loop.error().message;
  EXPECT_THAT(loop->logs.fit, ElementsAre(testing::Field(&LogFile::path, EndsWith("/run1.csv"))));
  EXPECT_EQ(loop->logs.fit[0].path.front(), '/');
  EXPECT_THAT(Load(Replaced(plain, "run1.csv", "run7.csv")).error().message,
              HasSubstr("loop.yaml:6: key 'fit[0]' in logs: there is no file "));
  EXPECT_THAT(Load(Replaced(plain, "  mapping: columns.yaml\n", "")).error().message,
              HasSubstr("key 'mapping' in logs: is missing"));
  EXPECT_THAT(ErrorsOf("  dataset: pendulum_runs\n", "  mapping: columns.yaml\n"),
              HasSubstr("key 'fallback' in logs: is for logs of a 'dataset'"));
}

TEST(Loop, AStretchOfALogHasABeginAndAnEnd) {
  const auto loop =
      Load(Replaced(kLoop, "run1.csv", "{file: run1.csv, from: 500 ms, until: 4.7 s}"));
  ASSERT_TRUE(loop.ok()) << loop.error().message;
  EXPECT_EQ(loop->logs.fit[0].path, "run1.csv");
  EXPECT_DOUBLE_EQ(loop->logs.fit[0].from, 0.5);
  EXPECT_DOUBLE_EQ(loop->logs.fit[0].until, 4.7);
  EXPECT_THAT(ErrorsOf("run1.csv", "{file: run1.csv, from: 3 s, until: 2 s}"),
              HasSubstr("until 2 s is not after from 3 s"));
  EXPECT_THAT(ErrorsOf("run1.csv", "{file: run1.csv, til: 2 s}"), HasSubstr("until"));
}

TEST(Loop, WithoutLogsNothingIsFitted) {
  const std::string no_logs = Without(kLoop, "logs:", "fit:\n");
  const std::string errors = Load(no_logs).error().message;
  EXPECT_THAT(errors, HasSubstr("loop.yaml:4: key 'fit': needs key 'logs'"));
  EXPECT_THAT(errors, HasSubstr("key 'gaps[0]' in policies[1]: 'fit' needs key 'logs'"));
  EXPECT_THAT(errors, HasSubstr("key 'gaps[0]' in suites[1]: 'fit' needs key 'logs'"));
  std::string neither = Without(no_logs, "fit:\n", "train:");
  neither = Replaced(Replaced(neither, "[fit]", "[wide.yaml]"), "[fit, wide.yaml]", "[wide.yaml]");
  const auto loop = Load(neither);
  ASSERT_TRUE(loop.ok()) << loop.error().message;
  EXPECT_TRUE(loop->logs.fit.empty());
  EXPECT_THAT(Load(Without(kLoop, "fit:\n", "train:")).error().message,
              HasSubstr("key 'fit': is missing"));
}

TEST(Loop, ValidationIsHeldOut) {
  EXPECT_THAT(ErrorsOf("[run2.csv]", "[run2.csv, run1.csv]"),
              HasSubstr("loop.yaml:7: key 'validate' in logs: 'run1.csv' is also in 'fit'"));
  EXPECT_THAT(ErrorsOf("[run2.csv]", "[]"), HasSubstr("needs at least one log"));
}

TEST(Loop, ChecksFilesAndNames) {
  EXPECT_THAT(ErrorsOf("task: task.yaml", "task: tsk.yaml"),
              HasSubstr("loop.yaml:2: key 'task': there is no"));
  EXPECT_THAT(ErrorsOf("task: task.yaml", "task: ."), HasSubstr("is a folder"));
  EXPECT_THAT(ErrorsOf("wide.yaml]", "wde.yaml]"),
              HasSubstr("key 'gaps[1]' in suites[1]: there is no file"));
  EXPECT_THAT(ErrorsOf("{name: posterior,", "{name: nominal,"),
              HasSubstr("key 'name' in policies[1]: 'nominal' stands twice in policies"));
  EXPECT_THAT(ErrorsOf("{name: held-out,", "{name: nominal,"), HasSubstr("stands twice in suites"));
  EXPECT_THAT(ErrorsOf("{name: posterior,", "{name: ../x,"), HasSubstr("cannot name a folder"));
  EXPECT_THAT(ErrorsOf("baseline: nominal", "baseline: nominl"),
              HasSubstr("key 'baseline': unknown policy 'nominl'; nearest valid: nominal"));
  EXPECT_THAT(ErrorsOf("suites:\n", "suits:\n"),
              HasSubstr("key 'suits': unknown key; nearest valid: suites"));
}

TEST(Loop, ChecksTraining) {
  EXPECT_THAT(ErrorsOf("worlds: 128", "worlds: 0"),
              HasSubstr("key 'worlds' in train: 0 is out of range"));
  EXPECT_THAT(ErrorsOf("schedule: linear", "schedule: liner"), HasSubstr("nearest valid: linear"));
  EXPECT_THAT(ErrorsOf("hidden: [32, 16]", "hidden: [32, 0]"),
              HasSubstr("key 'hidden[1]' in train: 0"));
  EXPECT_THAT(ErrorsOf("hidden: [32, 16]", "hidden: []"), HasSubstr("at least one layer"));
  EXPECT_THAT(ErrorsOf("hidden: [32, 16]", "discount: 1.1"), HasSubstr(">= 0 and <= 1"));
  EXPECT_THAT(ErrorsOf("steps: 2e6", "steps: 100"),
              HasSubstr("steps 100 are less than one update"));
  EXPECT_THAT(ErrorsOf("steps: 2e6", "minibatches: 5000"),
              HasSubstr("minibatches 5000 are more than"));
}

TEST(Loop, ChecksTheRobot) {
  const std::string gap = "gap: hidden.yaml, trials";
  EXPECT_EQ(ErrorsOf(gap, "endpoint: 'unix:/run/robot', trials"), "");
  EXPECT_EQ(ErrorsOf(gap, "endpoint: 'tcp:localhost:7000', trials"), "");
  for (const char* bad :
       {"tcp:localhost", "tcp::7000", "tcp:h:0", "tcp:h:70000", "udp:h:1", "unix:x"}) {
    EXPECT_THAT(ErrorsOf(gap, std::string("endpoint: '").append(bad).append("', trials")),
                HasSubstr("is no endpoint; valid: unix:/path or tcp:host:port"))
        << bad;
  }
  EXPECT_THAT(ErrorsOf(gap, "trials"), HasSubstr("needs either key 'gap'"));
  EXPECT_THAT(ErrorsOf(gap, "endpoint: 'unix:/x', gap: hidden.yaml, trials"),
              HasSubstr("needs either key 'gap'"));
  EXPECT_THAT(ErrorsOf("trials: 50", "trials: -1"), HasSubstr("out of range"));
}

TEST(Loop, JsonOfStagesHoldsNoPath) {
  const auto loop = Load(kLoop);
  ASSERT_TRUE(loop.ok());
  const Json train = ToJson(loop->train);
  EXPECT_EQ(train["steps"], 2'000'000);
  EXPECT_EQ(train["hidden"], Json({32, 16}));
  EXPECT_THAT(ToJson(loop->fit).dump(), Not(HasSubstr("prior.yaml")));
  TrainSpec other = loop->train;
  other.gae_lambda = 0.9;
  EXPECT_NE(HashJson(ToJson(other)), HashJson(train));
}

}  // namespace
}  // namespace realward
