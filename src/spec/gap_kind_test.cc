#include "spec/gap_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/units.h"

namespace realward {
namespace {

using testing::ElementsAre;

TEST(GapKind, TableIsConsistent) {
  std::set<std::string> names;
  for (const GapKind& kind : GapKinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name << " stands twice";
    EXPECT_EQ(FindGapKind(kind.name), &kind);
    EXPECT_LT(kind.lowest, kind.highest) << kind.name;
    ASSERT_FALSE(kind.meaning.empty()) << kind.name;
    EXPECT_EQ(kind.meaning.back(), '.') << kind.name;
    EXPECT_NE(kind.dimension.empty(), kind.alternatives.empty())
        << kind.name << ": one dimension, or several to choose from";
    for (const std::string& dimension : RuleFor(kind, Operation::kSet, {}).dimensions) {
      EXPECT_FALSE(UnitNames(dimension).empty()) << kind.name << ": " << dimension;
    }
  }
  EXPECT_EQ(FindGapKind("no_such_kind"), nullptr);
}

TEST(GapKind, HasEveryRowOfTheFirstLoop) {
  for (const char* name :
       {"body_mass",          "body_inertia",      "body_com_x",         "body_com_y",
        "body_com_z",         "joint_damping",     "joint_frictionloss", "joint_stiffness",
        "joint_armature",     "joint_springref",   "geom_friction",      "geom_friction_torsion",
        "geom_friction_roll", "gravity",           "actuator_delay",     "actuator_strength",
        "actuator_offset",    "actuator_deadband", "actuator_kp",        "actuator_kd",
        "motor_resistance",   "motor_constant",    "sensor_noise",       "sensor_quantization",
        "sensor_offset",      "joint_zero_offset"}) {
    EXPECT_NE(FindGapKind(name), nullptr) << name;
  }
}

TEST(GapKind, RulesFollowTheOperation) {
  const GapKind& mass = *FindGapKind("body_mass");
  const NumberRule set = RuleFor(mass, Operation::kSet, {"link"});
  EXPECT_THAT(set.dimensions, ElementsAre("mass"));
  EXPECT_EQ(set.low, 0.0);
  EXPECT_TRUE(set.low_open) << "a mass of 0 is no mass";
  const NumberRule scale = RuleFor(mass, Operation::kScale, {"link"});
  EXPECT_THAT(scale.dimensions, ElementsAre("ratio"));
  EXPECT_TRUE(scale.low_open);
  const NumberRule add = RuleFor(mass, Operation::kAdd, {"link"});
  EXPECT_THAT(add.dimensions, ElementsAre("mass"));
  EXPECT_EQ(add.low, -std::numeric_limits<double>::infinity());
  const NumberRule damping = RuleFor(*FindGapKind("joint_damping"), Operation::kScale, {"q"});
  EXPECT_FALSE(damping.low_open) << "no damping is possible";
  EXPECT_EQ(RuleFor(*FindGapKind("actuator_delay"), Operation::kSet, {"m"}).high, 0.2);
}

TEST(GapKind, ChannelNamesDecideTheDimension) {
  const GapKind& noise = *FindGapKind("sensor_noise");
  EXPECT_THAT(RuleFor(noise, Operation::kSet, {"a.position", "b.position"}).dimensions,
              ElementsAre("angle", "length"));
  EXPECT_THAT(RuleFor(noise, Operation::kSet, {"*.velocity"}).dimensions,
              ElementsAre("angular_velocity", "velocity"));
  EXPECT_THAT(RuleFor(noise, Operation::kSet, {"imu.x", "wrist.z"}).dimensions,
              ElementsAre("acceleration", "angular_velocity", "velocity", "force", "torque"));
  EXPECT_EQ(RuleFor(noise, Operation::kSet, {"*"}).dimensions, noise.alternatives);
}

TEST(GapKind, OnlyNoiseIsDrawnPerStep) {
  EXPECT_TRUE(AllowsStep(*FindGapKind("sensor_noise")));
  EXPECT_FALSE(AllowsStep(*FindGapKind("body_mass")));
}

TEST(GapKind, NamesOfEnums) {
  EXPECT_STREQ(NameOf(GapClass::kActuation), "actuation");
  EXPECT_STREQ(NameOf(Level::kEpisode), "episode");
  EXPECT_STREQ(NameOf(Operation::kScale), "scale");
  EXPECT_STREQ(NameOf(TargetKind::kChannel), "channel");
}

}  // namespace
}  // namespace realward
