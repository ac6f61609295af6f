#include "jobs/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace realward {
namespace {

using testing::HasSubstr;

// A whole small loop without recordings and robot: two policies of a few updates.
class LoopTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/loop_test_" + std::to_string(::getpid());
    std::filesystem::create_directories(root_);
    Write("slide.xml",
          R"(<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="cart">
      <joint name="rail" type="slide" axis="1 0 0" damping="2"/><geom size="0.1" mass="1"/></body></worldbody>
      <actuator><motor name="push" joint="rail"/></actuator></mujoco>)");
    Write("task.yaml",
          "task: slide\nmodel: slide.xml\ncontrol_rate: 50 Hz\nhorizon: 1 s\n"
          "actions:\n  - {actuator: push, range: [-5 N, 5 N]}\n"
          "observations:\n  - {term: position, joint: rail}\n  - {term: velocity, joint: rail}\n"
          "reward:\n  - {term: near, joint: rail, target: 0.5 m, within: 0.3 m}\n"
          "success:\n  all:\n    - {when: near, joint: rail, target: 0.5 m, within: 0.2 m}\n"
          "reset:\n  - {joint: rail, position: [-0.2 m, 0.2 m]}\n");
    Write("gap.yaml",
          "gap: heavy\nparameters:\n  - {kind: body_mass, target: cart, operation: scale, "
          "distribution: {uniform: [1, 2]}}\n");
    Write("loop.yaml",
          "loop: slide\ntask: task.yaml\ntrain: {steps: 1280, worlds: 8, rollout_steps: 16, "
          "epochs: 1}\n"
          "policies:\n  - {name: plain}\n  - {name: wide, gaps: [gap.yaml]}\n"
          "suites:\n  - {name: nominal, worlds: 20}\n  - {name: heavy, gaps: [gap.yaml], worlds: "
          "20, held_out: true}\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
  }

  Result<LoopOutcome> Run(const std::string& out, int threads = 1,
                          const std::atomic<bool>* stop = nullptr) {
    events_.clear();
    RW_ASSIGN(const LoopSpec loop, LoadLoop(root_ + "/loop.yaml"));
    LoopOptions options;
    options.threads = threads;
    options.output = root_ + "/" + out;
    options.stop = stop;
    options.progress = [&](const std::string& stage, double share, const std::string& detail) {
      if (share >= 1.0) events_.push_back(stage + " " + detail);
      if (on_progress_) on_progress_(stage, share);
    };
    return RunLoop(loop, options);
  }
  std::string Page(const std::string& out) { return *ReadFile(root_ + "/" + out + "/report.html"); }

  std::string root_;
  std::vector<std::string> events_;
  std::function<void(const std::string&, double)> on_progress_;
};

TEST_F(LoopTest, RunsOnceAndIsCachedAfterwardsWithTheSameBytes) {
  ASSERT_TRUE(Run("run").ok());
  EXPECT_THAT(events_, testing::Contains("train-wide done"));
  const std::string page = Page("run");
  const LoopOutcome again = *Run("run");
  EXPECT_THAT(events_, testing::Contains("train-wide cached"));
  EXPECT_THAT(events_, testing::Not(testing::Contains(HasSubstr(" done"))));
  EXPECT_EQ(Page("run"), page);
  EXPECT_EQ(again.report.scores.size(), 4u);
  EXPECT_EQ(again.report.scores[0].trials, 20);
}

TEST_F(LoopTest, ThreadsDoNotChangeAByteOfPoliciesAndReport) {
  ASSERT_TRUE(Run("one", 1).ok());
  ASSERT_TRUE(Run("two", 2).ok());
  EXPECT_EQ(Page("one"), Page("two"));
  for (const char* report : {"report.json"}) {
    EXPECT_EQ(*ReadFile(root_ + "/one/" + report), *ReadFile(root_ + "/two/" + report));
  }
  for (const auto& entry : std::filesystem::directory_iterator(root_ + "/one/stages")) {
    const std::string policy = entry.path().string() + "/policy.json";
    if (!std::filesystem::exists(policy)) continue;
    EXPECT_EQ(*ReadFile(policy), *ReadFile(root_ + "/two/stages/" +
                                           entry.path().filename().string() + "/policy.json"));
  }
}

// Stops at the first sign of every stage, goes on, and must end with the uninterrupted bytes.
TEST_F(LoopTest, AnInterruptionInAnyStageLosesNothing) {
  ASSERT_TRUE(Run("whole").ok());
  for (const std::string stage :
       {"train-plain", "train-wide", "evaluate-plain-nominal", "evaluate-wide-heavy"}) {
    std::atomic<bool> stop{false};
    on_progress_ = [&](const std::string& now, double) { stop = stop || now == stage; };
    const auto cut = Run("cut-" + stage, 1, &stop);
    ASSERT_FALSE(cut.ok()) << stage;
    EXPECT_EQ(cut.error().kind, ErrorKind::kInterrupted);
    on_progress_ = {};
    ASSERT_TRUE(Run("cut-" + stage).ok());
    EXPECT_EQ(Page("cut-" + stage), Page("whole")) << stage;
  }
}

TEST_F(LoopTest, NothingStartsWhenAnyInputIsWrong) {
  Write("gap.yaml",
        "gap: heavy\nparameters:\n  - {kind: body_mass, target: kart, distribution: 2 kg}\n");
  const auto refused = Run("run");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(refused.error().message, HasSubstr("kart"));
  EXPECT_THAT(refused.error().message, HasSubstr("cart"));
  EXPECT_TRUE(events_.empty());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/run/stages"));
}

TEST_F(LoopTest, AModelThatDoesNotCompileIsNamed) {
  Write("slide.xml",
        "<mujoco><worldbody><body><joint name='rail' type='slide'/></body></worldbody></mujoco>");
  const auto refused = Run("run");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("slide.xml"));
}

}  // namespace
}  // namespace realward
