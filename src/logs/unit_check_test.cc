#include "logs/unit_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"

namespace realward {
namespace {

using ::testing::HasSubstr;

constexpr double kTurn = 2.0 * std::numbers::pi;

// A joint q = amplitude · sin 4t with encoder steps and noise on the velocity.
Log Joint(double amplitude, double position_scale, double velocity_scale) {
  Log log;
  log.channels = {"hinge.position", "hinge.velocity"};
  log.values = Matrix<double>(600, 2);
  Stream stream({.seed = 11});
  for (std::size_t i = 0; i < 600; ++i) {
    const double t = 0.004 * static_cast<double>(i);
    log.time_s.push_back(t);
    log.values(i, 0) = position_scale * 0.003 * std::round(amplitude * std::sin(4 * t) / 0.003);
    log.values(i, 1) = velocity_scale * (4 * amplitude * std::cos(4 * t) + 0.1 * stream.Normal());
  }
  return log;
}

std::vector<Finding> Check(const Log& log, bool many_turns = false) {
  return CheckJointUnits(log, 0, 1, many_turns);
}

TEST(UnitCheck, AgreementIsTheFactor) {
  for (const double factor : {1.0, -1.0, 57.3, 0.01745, 6.0}) {
    const MotionAgreement agreement = CompareMotion(Joint(1.0, 1.0, factor), 0, 1);
    EXPECT_NEAR(agreement.factor / factor, 1.0, 0.02);
    EXPECT_GT(std::abs(agreement.correlation), 0.99);
  }
}

TEST(UnitCheck, NamesTheLikelyCause) {
  EXPECT_TRUE(Check(Joint(1.0, 1.0, 1.0)).empty());
  EXPECT_TRUE(Check(Joint(1.0, 1.0, 0.9)).empty());  // a filtered velocity
  const auto position_deg = Check(Joint(0.1, 57.3, 1.0));
  ASSERT_EQ(position_deg.size(), 1u);
  EXPECT_EQ(position_deg[0].kind, FindingKind::kDegrees);
  EXPECT_EQ(position_deg[0].channel, "hinge.position");
  EXPECT_EQ(position_deg[0].severity, Severity::kError);
  const auto velocity_deg = Check(Joint(1.0, 1.0, 57.3));
  ASSERT_EQ(velocity_deg.size(), 1u);
  EXPECT_EQ(velocity_deg[0].channel, "hinge.velocity");
  const auto sign = Check(Joint(1.0, 1.0, -1.0));
  ASSERT_EQ(sign.size(), 1u);
  EXPECT_EQ(sign[0].kind, FindingKind::kSign);
  const auto gear = Check(Joint(1.0, 1.0, 6.0));
  ASSERT_EQ(gear.size(), 1u);
  EXPECT_EQ(gear[0].kind, FindingKind::kFactor);
  EXPECT_THAT(gear[0].message, HasSubstr("times"));
}

TEST(UnitCheck, StillOrUncorrelatedJointsSayNothing) {
  EXPECT_TRUE(Check(Joint(0.0, 1.0, 1.0)).empty());
}

TEST(UnitCheck, BothInDegreesShowsInTheRange) {
  const auto findings = Check(Joint(2.0, 57.3, 57.3));  // 229 "rad"
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kDegrees);
  EXPECT_TRUE(Check(Joint(2.0, 57.3, 57.3), true).empty());
  const auto warning = Check(Joint(0.5, 57.3, 57.3));  // 57 "rad"
  ASSERT_EQ(warning.size(), 1u);
  EXPECT_EQ(warning[0].severity, Severity::kWarning);
}

TEST(UnitCheck, WrapsAreUnwrappedOrDegrees) {
  for (const double period : {kTurn, 360.0}) {
    Log log = Joint(1.0, 1.0, 1.0);
    for (std::size_t i = 0; i < 600; ++i) {
      const double turns = 0.9 * log.time_s[i];
      log.values(i, 0) = period * (turns - std::round(turns));
      log.values(i, 1) = 0.9 * period;
    }
    const auto findings = Check(log);
    ASSERT_EQ(findings.size(), 1u) << period;
    EXPECT_EQ(findings[0].kind, period == kTurn ? FindingKind::kWrapped : FindingKind::kDegrees);
    EXPECT_EQ(findings[0].repair, period == kTurn ? Repair::kUnwrap : Repair::kNone);
  }
}

}  // namespace
}  // namespace realward
