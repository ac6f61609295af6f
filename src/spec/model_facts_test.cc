#include "spec/model_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace realward {
namespace {

using testing::ElementsAre;

constexpr const char* kModel = R"(<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.004"/>
  <worldbody>
    <body><freejoint name="base"/><geom size="0.1"/>
      <body><joint name="hip" type="hinge" range="-1 2" limited="true" ref="0.5"/><geom size="0.1"/></body>
      <body><joint name="rail" type="slide"/><geom size="0.1"/></body>
      <body><joint name="eye" type="ball"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <actuator>
    <motor name="drive" joint="hip" ctrlrange="-3 4" ctrllimited="true"/>
    <motor name="push" joint="rail"/>
  </actuator>
</mujoco>)";

TEST(ModelFacts, TellWhatTheModelSays) {
  const auto model = LoadModelText(kModel);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const ModelFacts facts = FactsOf(**model);
  EXPECT_EQ(facts.timestep, 0.004);
  EXPECT_THAT(JointNames(facts), ElementsAre("base", "hip", "rail", "eye"));
  EXPECT_THAT(ActuatorNames(facts), ElementsAre("drive", "push"));
  const JointFacts& hip = *FindJoint(facts, "hip");
  EXPECT_EQ(hip.type, JointType::kHinge);
  EXPECT_TRUE(hip.limited);
  EXPECT_EQ(hip.low, -1.0);
  EXPECT_EQ(hip.high, 2.0);
  EXPECT_EQ(hip.rest, 0.5);
  EXPECT_EQ(FindJoint(facts, "rail")->type, JointType::kSlide);
  EXPECT_FALSE(FindJoint(facts, "rail")->limited);
  EXPECT_EQ(FindJoint(facts, "base")->type, JointType::kOther);
  EXPECT_EQ(FindJoint(facts, "eye")->type, JointType::kOther);
  EXPECT_EQ(FindJoint(facts, "knee"), nullptr);
  const ActuatorFacts& drive = *FindActuator(facts, "drive");
  EXPECT_TRUE(drive.limited);
  EXPECT_EQ(drive.low, -3.0);
  EXPECT_EQ(drive.high, 4.0);
  EXPECT_FALSE(FindActuator(facts, "push")->limited);
  EXPECT_EQ(FindActuator(facts, "pull"), nullptr);
}

TEST(ModelFacts, DimensionsFollowTheJoint) {
  EXPECT_THAT(PositionDimensions(JointType::kHinge), ElementsAre("angle"));
  EXPECT_THAT(VelocityDimensions(JointType::kSlide), ElementsAre("velocity"));
  EXPECT_THAT(PositionDimensions(JointType::kUnknown), ElementsAre("angle", "length"));
}

}  // namespace
}  // namespace realward
