#include "sim/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

// free: qpos 0–6, dof 0–5; spin (unlimited hinge): 7, 6; bend (limited hinge): 8, 7; rail (slide):
// 9, 8.
constexpr char kModel[] = R"(
<mujoco><compiler angle="radian"/><worldbody><body><freejoint name="free"/><geom size=".1"/>
  <body><joint name="spin" axis="0 1 0"/><geom size=".1"/>
    <body><joint name="bend" axis="0 1 0" range="-7 7"/><geom size=".1"/>
      <body><joint name="rail" type="slide"/><geom size=".1"/></body></body></body>
</body></worldbody></mujoco>)";

struct State {
  std::vector<mjtNum> qpos = std::vector<mjtNum>(10, 0.0);
  std::vector<mjtNum> qvel = std::vector<mjtNum>(9, 0.0);
};

TaskTerms Compile(const TaskSpec& task) {
  ModelPtr model = std::move(LoadModelText(kModel)).value();
  return std::move(CompileTerms(*model, task)).value();
}

double Reward(const RewardTerm& term, const State& state, std::vector<float> action = {},
              std::vector<float> previous = {}, bool success = false) {
  TaskSpec task;
  task.rewards = {term};
  return RewardValue(Compile(task).rewards[0], state.qpos.data(), state.qvel.data(), action,
                     previous, success);
}

bool Condition(const realward::Condition& condition, const State& state) {
  TaskSpec task;
  task.success = {condition};
  return Holds(Compile(task).success[0], state.qpos.data(), state.qvel.data());
}

TEST(Terms, RewardsByHand) {
  State s;
  s.qpos[7] = kPi / 3;
  s.qvel[6] = -1.5;
  s.qpos[9] = 0.4;
  // (1 + cos 60°)/2 = 3/4
  EXPECT_NEAR(Reward({RewardKind::kCosTo, "spin", 0.0, 1.0, 2.0}, s), 1.5, 1e-15);
  EXPECT_NEAR(Reward({RewardKind::kCosTo, "spin", kPi / 3, 1.0, 1.0}, s), 1.0, 1e-15);
  EXPECT_NEAR(Reward({RewardKind::kNear, "rail", 0.1, 0.3, 1.0}, s), std::exp(-1.0), 1e-15);
  EXPECT_EQ(Reward({RewardKind::kVelocity, "spin", 0, 1, -2.0}, s), 3.0);
  EXPECT_EQ(Reward({RewardKind::kVelocitySquared, "spin", 0, 1, -2.0}, s), -4.5);
  EXPECT_EQ(Reward({RewardKind::kActionSquared, "", 0, 1, -1.0}, s, {0.5f, -1.0f}, {0, 0}), -1.25);
  EXPECT_EQ(Reward({RewardKind::kActionRateSquared, "", 0, 1, 1.0}, s, {0.5f, -1.0f}, {0.0f, 1.0f}),
            4.25);
  EXPECT_EQ(Reward({RewardKind::kAlive, "", 0, 1, 0.3}, s), 0.3);
  EXPECT_EQ(Reward({RewardKind::kSuccess, "", 0, 1, 5.0}, s, {}, {}, true), 5.0);
  EXPECT_EQ(Reward({RewardKind::kSuccess, "", 0, 1, 5.0}, s, {}, {}, false), 0.0);
}

// Five turns further an unlimited hinge looks the same; a limited one and a slide do not.
TEST(Terms, OnlyUnlimitedHingesWrap) {
  State s;
  s.qpos[7] = 10 * kPi + 0.1;
  s.qpos[8] = 2 * kPi + 0.1;
  s.qpos[9] = 2 * kPi + 0.1;
  const auto near = [](const std::string& joint, double target, double within) {
    return realward::Condition{ConditionKind::kNear, joint, target, within};
  };
  EXPECT_TRUE(Condition(near("spin", 0.0, 0.11), s));
  EXPECT_FALSE(Condition(near("spin", 0.0, 0.09), s));
  EXPECT_FALSE(Condition(near("bend", 0.0, 0.11), s));
  EXPECT_TRUE(Condition(near("bend", 2 * kPi, 0.11), s));
  EXPECT_FALSE(Condition(near("rail", 0.0, 0.11), s));
  EXPECT_NEAR(Reward({RewardKind::kNear, "spin", 0.0, 0.1, 1.0}, s), std::exp(-1.0), 1e-9);
  EXPECT_LT(Reward({RewardKind::kNear, "bend", 0.0, 0.1, 1.0}, s), 1e-9);
  // Either side of ±π is near π.
  for (double q : {kPi - 0.05, -kPi + 0.05}) {
    s.qpos[7] = q;
    EXPECT_TRUE(Condition(near("spin", kPi, 0.06), s)) << q;
    EXPECT_FALSE(Condition(near("spin", kPi, 0.04), s)) << q;
  }
}

TEST(Terms, ConditionsByHand) {
  State s;
  s.qpos[9] = -0.4;
  s.qvel[8] = -0.2;
  EXPECT_TRUE(Condition({ConditionKind::kSlow, "rail", 0, 0.2}, s));
  EXPECT_FALSE(Condition({ConditionKind::kSlow, "rail", 0, 0.19}, s));
  EXPECT_TRUE(Condition({ConditionKind::kPositionAbove, "rail", 0, 0.39}, s));
  EXPECT_FALSE(Condition({ConditionKind::kPositionAbove, "rail", 0, 0.4}, s));
  EXPECT_TRUE(Condition({ConditionKind::kVelocityAbove, "rail", 0, 0.19}, s));
  EXPECT_FALSE(Condition({ConditionKind::kVelocityAbove, "rail", 0, 0.2}, s));
}

TEST(Terms, ErrorsNameTheJoint) {
  ModelPtr model = std::move(LoadModelText(kModel)).value();
  TaskSpec task;
  task.rewards = {{RewardKind::kCosTo, "spni"}};
  const auto unknown = CompileTerms(*model, task);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("spin"));
  task.rewards.clear();
  task.terminations = {{ConditionKind::kSlow, "free", 0, 1}};
  const auto free = CompileTerms(*model, task);
  ASSERT_FALSE(free.ok());
  EXPECT_THAT(free.error().message, HasSubstr("'free' is a ball or free joint"));
}

const std::vector<std::string> kChannels = {"a.position", "a.velocity", "b.position", "b.velocity"};

TEST(Terms, ObservationLayoutWithHistory) {
  const std::vector<ObservationTerm> terms = {{ObservationKind::kVelocity, "b", 0.5, 1.0, 2},
                                              {ObservationKind::kSin, "a"},
                                              {ObservationKind::kCos, "a"},
                                              {ObservationKind::kLastAction, "", 1.0, 1e3, 3}};
  const auto made = ObservationLayout::Make(terms, kChannels, 2);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const ObservationLayout& layout = *made;
  EXPECT_EQ(layout.size(), 2 + 1 + 1 + 6);
  EXPECT_EQ(layout.depth(), 3);
  EXPECT_EQ(layout.frame_size(), 6);
  const std::vector<std::string> names = ObservationNames(terms, {{"m", 0, 1}, {"n", 0, 1}});
  EXPECT_THAT(names, ElementsAre("b.velocity", "b.velocity[t-1]", "sin(a.position)",
                                 "cos(a.position)", "action(m)", "action(n)", "action(m)[t-1]",
                                 "action(n)[t-1]", "action(m)[t-2]", "action(n)[t-2]"));
  // a.position = 0.1·(age+1), b.velocity = 1.2 + age, actions (age, −age).
  std::vector<double> frames;
  for (int age = 0; age < 3; ++age) {
    for (double v : {0.1 * (age + 1), 9.0, 9.0, 1.2 + age, 0.1 * age, -0.1 * age})
      frames.push_back(v);
  }
  std::vector<float> observation(layout.size());
  layout.Write(frames, observation);
  EXPECT_THAT(observation,
              ElementsAre(0.6f, 1.0f /* 1.1 clipped */, static_cast<float>(std::sin(0.1)),
                          static_cast<float>(std::cos(0.1)), 0.0f, 0.0f, 0.1f, -0.1f, 0.2f, -0.2f));
}

TEST(Terms, ObservationErrorsNameTheChannel) {
  const auto unknown = ObservationLayout::Make({{ObservationKind::kVelocity, "c"}}, kChannels, 1);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("c.velocity"));
  EXPECT_THAT(unknown.error().message, HasSubstr("a.velocity"));
  EXPECT_FALSE(ObservationLayout::Make({}, kChannels, 1).ok());
}

TEST(Terms, FramesShiftNewestFirst) {
  std::vector<double> frames(3 * 3, 7.0);
  FillFrames(frames, 3, std::vector<double>{1.0, 2.0});
  EXPECT_THAT(frames, ElementsAre(1, 2, 0, 1, 2, 0, 1, 2, 0));
  PushFrame(frames, 3, std::vector<double>{3.0, 4.0}, std::vector<float>{0.5f});
  PushFrame(frames, 3, std::vector<double>{5.0, 6.0}, std::vector<float>{0.25f});
  EXPECT_THAT(frames, ElementsAre(5, 6, 0.25, 3, 4, 0.5, 1, 2, 0));
}

}  // namespace
}  // namespace realward
