#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "sim/test_task.h"

namespace realward {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::SlideGap;
using testing_support::SlideTask;

class TrainerTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/trainer_test_" + std::to_string(::getpid());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  TrainJob Job(const std::string& folder, int threads = 1) const {
    TrainJob job;
    job.name = "p";
    job.task = SlideTask();
    job.gap = SlideGap();
    job.spec.steps = 8 * 64;
    job.spec.worlds = 4;
    job.spec.rollout_steps = 16;  // 8 updates
    job.spec.hidden = {8};
    job.spec.epochs = 2;
    job.spec.minibatches = 2;
    job.spec.checkpoint_every = 2;
    job.threads = threads;
    job.folder = root_ + "/" + folder;
    return job;
  }
  // Runs a job that is stopped after `updates` updates.
  void RunAndStop(TrainJob job, int updates) {
    std::atomic<bool> stop{false};
    int seen = 0;
    job.stop = &stop;
    job.progress = [&](const CurvePoint&, std::int64_t) { stop = ++seen >= updates; };
    const auto outcome = Train(job);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind, ErrorKind::kInterrupted);
  }
  std::vector<std::string> Checkpoints(const std::string& folder) const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(root_ + "/" + folder))
      paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  std::string root_;
};

TEST_F(TrainerTest, ThreadsDoNotChangeABit) {
  const TrainOutcome one = *Train(Job("one", 1)), two = *Train(Job("two", 2));
  EXPECT_EQ(HashOf(one.policy), HashOf(two.policy));
  EXPECT_EQ(CurveToCsv(one.curve), CurveToCsv(two.curve));
  EXPECT_EQ(one.curve.size(), 8u);
}

TEST_F(TrainerTest, AnInterruptedRunContinuesBitForBit) {
  const TrainOutcome whole = *Train(Job("whole"));
  for (int updates : {1, 3, 6}) {
    const std::string folder = "cut" + std::to_string(updates);
    RunAndStop(Job(folder), updates);
    const TrainOutcome rest = *Train(Job(folder));
    EXPECT_EQ(HashOf(rest.policy), HashOf(whole.policy)) << updates;
    EXPECT_EQ(CurveToCsv(rest.curve), CurveToCsv(whole.curve)) << updates;
    EXPECT_THAT(rest.notes.back(), HasSubstr("resumed after update " + std::to_string(updates)));
  }
}

TEST_F(TrainerTest, ADamagedCheckpointIsPassedOver) {
  const std::string expected = HashOf(Train(Job("whole"))->policy);
  for (const std::string damage : {"cut", "zeros", "empty"}) {
    RunAndStop(Job(damage), 5);
    const std::string newest = Checkpoints(damage).back();
    std::string bytes = *ReadFile(newest);
    if (damage == "cut") bytes.resize(bytes.size() / 2);
    if (damage == "zeros") std::fill(bytes.end() - 200, bytes.end(), '\0');
    if (damage == "empty") bytes.clear();
    ASSERT_TRUE(WriteFileAtomic(newest, bytes).ok());
    ASSERT_TRUE(
        WriteFileAtomic(root_ + "/" + damage + "/update_00000007.checkpoint.1.tmp", "half").ok());
    const TrainOutcome rest = *Train(Job(damage));
    EXPECT_EQ(HashOf(rest.policy), expected) << damage;
    EXPECT_THAT(rest.notes, testing::Contains(HasSubstr("rejected: " + newest)));
    EXPECT_THAT(rest.notes, testing::Contains(HasSubstr("unfinished")));
  }
}

TEST_F(TrainerTest, ACheckpointOfAnotherRunIsRefused) {
  RunAndStop(Job("x"), 2);
  TrainJob other = Job("x");
  other.seed = 2;
  const auto refused = Train(other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
  EXPECT_THAT(refused.error().message, HasSubstr("\"seed\":2"));
  EXPECT_THAT(refused.error().message, HasSubstr("\"seed\":1"));
}

TEST_F(TrainerTest, AFullDiskKeepsThePreviousCheckpoint) {
  const std::string expected = HashOf(Train(Job("whole"))->policy);
  RunAndStop(Job("full"), 2);
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit tiny = before;
  tiny.rlim_cur = 512;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tiny), 0);
  const auto failed = Train(Job("full"));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(failed.error().message, HasSubstr("bytes free"));
  EXPECT_EQ(HashOf(Train(Job("full"))->policy), expected);  // space is back: no cleaning by hand
}

TEST_F(TrainerTest, ARewardBeyondNumbersIsRefused) {
  TrainJob job = Job("nan");
  job.task.rewards = {{RewardKind::kVelocitySquared, "rail", 0.0, 1.0, 1e308}};
  job.spec.normalise_returns = false;
  job.task.rewards.push_back({RewardKind::kVelocitySquared, "rail", 0.0, 1.0, -1e308});
  job.task.rewards.push_back(
      {RewardKind::kVelocity, "rail", 0.0, 1.0, std::numeric_limits<double>::quiet_NaN()});
  const auto refused = Train(job);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("left the finite numbers"));
}

TEST_F(TrainerTest, TheContractAndProvenanceAreInTheArtifact) {
  const TrainOutcome outcome = *Train(Job("x"));
  EXPECT_TRUE(CheckContract(outcome.policy.contract, SlideTask()).ok());
  EXPECT_EQ(outcome.policy.provenance["steps"], 8 * 64);
  EXPECT_EQ(outcome.policy.provenance["task"], HashJson(ToJson(SlideTask())));
}

TEST(Curve, ReadsBackWhatItWrites) {
  const std::vector<CurvePoint> curve = {{64, 1.5, 0.25, 3, 1, -0.1, 0.2, 0.01, 1.4, 3e-4}};
  const std::string text = CurveToCsv(curve);
  EXPECT_EQ(CurveToCsv(*CurveFromCsv(text)), text);
  for (const char* garbage : {"", "a,b\n1,2\n"}) EXPECT_FALSE(CurveFromCsv(garbage).ok());
  EXPECT_FALSE(CurveFromCsv(text + "1,2,x\n").ok());
}

}  // namespace
}  // namespace realward
