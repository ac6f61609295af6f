#include "sim/joint_friction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace realward {
namespace {

const double kE = std::exp(1.0);

TEST(JointFriction, WithoutSettingsIsCoulombs) {
  EXPECT_EQ(JointFriction({}, 0.3, 5.0, -2.0, 0.7), 0.3);
}

TEST(JointFriction, StribeckFallsToItsEthPart) {
  JointSettings s;
  s.stribeck = 0.2;
  s.stribeck_speed = 0.5;
  s.stribeck_exponent = 2.0;
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 0, 0, 0.0), 0.5);
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 0, 0, -0.5), 0.3 + 0.2 / kE);
  EXPECT_NEAR(JointFriction(s, 0.3, 0, 0, 50.0), 0.3, 1e-12);
}

TEST(JointFriction, LoadDependentIsWhatTheGearTransmits) {
  JointSettings s;
  s.load_motor = s.load_external = 0.1;
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 2.0, -3.0, 1.0), 0.3 + 0.1 * 5.0);  // against each other
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 2.0, 3.0, 1.0), 0.3 + 0.1 * 1.0);
  s.load_external = 0.2;  // directional
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 2.0, -3.0, 1.0), 0.3 + 0.2 + 0.6);
  s.stribeck_load_motor = 0.05;
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.3, 2.0, -3.0, 0.0), 0.3 + 0.2 + 0.6 + 0.1);
}

TEST(JointFriction, TheQuadraticTermActsWhenMotorAndLoadPullApart) {
  JointSettings s;
  s.quadratic_motor = 0.01;
  s.quadratic_external = 0.02;
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.0, 2.0, 3.0, 0.0), 0.0) << "same direction";
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.0, 4.0, -3.0, 0.0), 0.02 * 9.0) << "the motor drives";
  EXPECT_DOUBLE_EQ(JointFriction(s, 0.0, 2.0, -3.0, 0.0), 0.01 * 4.0) << "the load drives";
}

TEST(JointFriction, AnInefficientGearLosesAShareOfTheMotor) {
  JointSettings s;
  s.efficiency = 0.8;
  EXPECT_NEAR(JointFriction(s, 0.1, -5.0, 0.0, 2.0), 0.1 + 1.0, 1e-12);
}

}  // namespace
}  // namespace realward
