#include "sim/effect.h"

#include <gtest/gtest.h>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support
using enum Operation;
using enum Level;

std::vector<ParameterEffect> Effects(std::vector<GapParameter> parameters) {
  GapSpec gap;
  gap.name = "effects";
  gap.parameters = std::move(parameters);
  const auto effects = MeasureEffects(SliderTask(), gap, {.units = 2, .seconds = 0.1});
  EXPECT_TRUE(effects.ok()) << effects.error().message;
  return effects.ok() ? *effects : std::vector<ParameterEffect>{};
}

// x = a/2 · t² in steps of 5 ms; a mass by 25 % heavier is slower by a fifth.
TEST(Effect, IsTheDifferenceOfTheMotion) {
  const auto effects = Effects({Parameter("body_mass", {"block"}, kScale, kUnit, Constant(1.25))});
  EXPECT_GT(effects[0].alone->state, 0.0);
  EXPECT_EQ(effects[0].alone->channel, "x.velocity");
  EXPECT_EQ(effects[0].alone->state, effects[0].within->state);
  EXPECT_EQ(effects[0].alone->state, effects[0].alone->reading) << "readings are the truth here";
  EXPECT_FALSE(effects[0].is_without_effect());
}

TEST(Effect, ASensorChangesReadingsOnly) {
  const auto effects =
      Effects({Parameter("sensor_offset", {"x.position"}, kSet, kUnit, Constant(0.25))});
  EXPECT_EQ(effects[0].alone->state, 0.0);
  EXPECT_DOUBLE_EQ(effects[0].alone->reading, 0.25);
  EXPECT_EQ(effects[0].alone->channel, "x.position");
}

TEST(Effect, FindsDrawsThatDoNothing) {
  const auto effects = Effects({
      Parameter("actuator_deadband", {"spare"}, kSet, kUnit, Constant(0.1)),   // is no action
      Parameter("body_inertia", {"block"}, kScale, kUnit, Constant(2.0)),      // never turns
      Parameter("joint_stribeck_speed", {"x"}, kSet, kUnit, Constant(0.3)),    // without friction
      Parameter("actuator_saturation", {"push"}, kSet, kUnit, Constant(2.0)),  // never reached
      Parameter("joint_damping", {"x"}, kSet, kUnit, Constant(0.3)),
  });
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(effects[i].is_without_effect()) << effects[i].parameter;
  EXPECT_FALSE(effects[4].is_without_effect());
}

// Alone it does nothing, together with what it belongs to it does.
TEST(Effect, SeesWhatActsOnlyTogether) {
  const auto effects = Effects({
      Parameter("joint_stribeck_friction", {"x"}, kSet, kUnit, Constant(0.05)),
      Parameter("joint_stribeck_speed", {"x"}, kSet, kUnit, Constant(0.01)),
  });
  EXPECT_FALSE(effects[1].acts_alone());
  EXPECT_TRUE(effects[1].acts_within());
}

// A wear of a friction that only another parameter gives: there is no world with the wear alone.
TEST(Effect, AWearOfWhatAnotherParameterSetsIsSeenWithIt) {
  GapParameter wear = Parameter("joint_frictionloss", {"x"}, kScale, kDrift, Constant(0.5));
  wear.name = "wear";
  wear.drift_per = 3.6e6;
  const auto effects =
      Effects({Parameter("joint_frictionloss", {"x"}, kSet, kUnit, Constant(0.05)),
               Parameter("operating_hours", {}, kSet, kUnit, Constant(3.6e6)), wear});
  EXPECT_FALSE(effects[2].alone.has_value());
  EXPECT_TRUE(effects[2].acts_within());
  EXPECT_TRUE(effects[0].acts_alone());
  EXPECT_FALSE(effects[0].within.has_value());
}

TEST(Effect, ADriftIsMeasuredUnderItsConditions) {
  GapParameter wear = Parameter("sensor_offset", {"x.position"}, kAdd, kDrift, Constant(0.1));
  wear.drift_per = 3.6e6;
  const auto old = Parameter("operating_hours", {}, kSet, kUnit, Constant(7.2e6));
  const auto effects = Effects({wear, old});
  EXPECT_NEAR(effects[0].alone->reading, 0.2, 1e-12);
  EXPECT_FALSE(effects[1].acts_alone()) << "hours alone do nothing";
  EXPECT_NEAR(effects[1].within->reading, 0.2, 1e-12);
}

}  // namespace
}  // namespace realward
