#include "logs/log_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/random.h"

namespace realward {
namespace {

// A swinging joint q = 1.5 sin 3t at 100 Hz, its velocity, and a smooth command.
Log Swing(std::size_t samples = 500) {
  Log log;
  log.name = "swing";
  log.channels = {"hinge.position", "hinge.velocity"};
  log.actuators = {"motor"};
  log.values = Matrix<double>(samples, 2);
  log.commands = Matrix<double>(samples, 1);
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = 0.01 * static_cast<double>(i);
    log.time_s.push_back(t);
    log.values(i, 0) = 1.5 * std::sin(3.0 * t);
    log.values(i, 1) = 4.5 * std::cos(3.0 * t);
    log.commands(i, 0) = std::sin(5.0 * t);
  }
  return log;
}

const Finding* Find(const std::vector<Finding>& findings, FindingKind kind) {
  for (const Finding& finding : findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

TEST(CheckLog, AGoodLogHasNoFindings) {
  for (const Finding& finding : CheckLog(Swing())) ADD_FAILURE() << ToText(finding);
}

TEST(CheckLog, DuplicatedFirstStamp) {
  Log log = Swing();
  log.time_s[1] = log.time_s[0];
  auto findings = CheckLog(log);
  const Finding* found = Find(findings, FindingKind::kDuplicateTime);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->first, 1u);
  EXPECT_EQ(found->severity, Severity::kError);  // the values differ
  EXPECT_EQ(found->repair, Repair::kNone);
  for (std::size_t c = 0; c < 2; ++c) log.values(1, c) = log.values(0, c);
  log.commands(1, 0) = log.commands(0, 0);
  findings = CheckLog(log);
  found = Find(findings, FindingKind::kDuplicateTime);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->severity, Severity::kWarning);
  EXPECT_EQ(found->repair, Repair::kDropDuplicate);
}

TEST(CheckLog, BackwardsGapAndJitter) {
  Log log = Swing();
  log.time_s[100] -= 0.05;
  for (std::size_t i = 300; i < log.samples(); ++i) log.time_s[i] += 0.5;
  const auto findings = CheckLog(log);
  const Finding* backwards = Find(findings, FindingKind::kTimeBackwards);
  ASSERT_NE(backwards, nullptr);
  EXPECT_EQ(backwards->first, 100u);
  EXPECT_EQ(backwards->severity, Severity::kError);
  std::vector<std::size_t> gaps;
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::kGap) gaps.push_back(finding.first);
  }
  EXPECT_EQ(gaps, (std::vector<std::size_t>{101, 300}));
  EXPECT_EQ(Find(findings, FindingKind::kJitter), nullptr);

  Log uneven = Swing();
  Stream stream({.seed = 3});
  for (double& time : uneven.time_s) time += 0.006 * (stream.Uniform() - 0.5);
  EXPECT_NE(Find(CheckLog(uneven), FindingKind::kJitter), nullptr);
}

TEST(CheckLog, MissingValuesAndTheirRepair) {
  Log log = Swing();
  log.values(10, 0) = log.values(11, 0) = NAN;
  log.commands(20, 0) = NAN;
  log.commands(499, 0) = NAN;
  const auto findings = CheckLog(log);
  ASSERT_EQ(Count(findings, FindingKind::kMissingValue), 3u);
  EXPECT_EQ(findings[0].first, 10u);
  EXPECT_EQ(findings[0].last, 12u);
  EXPECT_EQ(findings[0].repair, Repair::kDropRow);
  EXPECT_EQ(findings[2].repair, Repair::kHoldCommand);
  EXPECT_EQ(findings[2].severity, Severity::kInfo);
  Log none = Swing();
  for (std::size_t i = 0; i < none.samples(); ++i) none.values(i, 1) = NAN;
  EXPECT_EQ(Worst(CheckLog(none)), Severity::kError);
}

TEST(CheckLog, ConstantFrozenAndClipped) {
  Log log = Swing();
  for (std::size_t i = 200; i < 230; ++i) log.values(i, 0) = log.values(200, 0);
  for (std::size_t i = 0; i < log.samples(); ++i) {
    log.commands(i, 0) = std::clamp(log.commands(i, 0), -0.8, 5.0);
  }
  const auto findings = CheckLog(log);
  const Finding* frozen = Find(findings, FindingKind::kFrozen);
  ASSERT_NE(frozen, nullptr);
  EXPECT_EQ(frozen->first, 200u);
  EXPECT_EQ(frozen->last, 230u);
  ASSERT_EQ(Count(findings, FindingKind::kClipped), 1u);
  EXPECT_THAT(Find(findings, FindingKind::kClipped)->message, ::testing::HasSubstr("exactly -0.8"));
  Log constant = Swing();
  for (std::size_t i = 0; i < constant.samples(); ++i)
    constant.values(i, 1) = constant.commands(i, 0) = 2.0;
  EXPECT_EQ(Count(CheckLog(constant), FindingKind::kConstant), 2u);
}

TEST(CheckLog, BangBangCommandsAreNotClipped) {
  Log log = Swing();
  for (std::size_t i = 0; i < log.samples(); ++i)
    log.commands(i, 0) = log.commands(i, 0) > 0 ? 2.0 : -2.0;
  EXPECT_EQ(Count(CheckLog(log), FindingKind::kClipped), 0u);
}

TEST(CheckLog, TooShort) {
  Log log = Swing(2);
  EXPECT_NE(Find(CheckLog(log), FindingKind::kTooShort), nullptr);
  EXPECT_NE(Find(CheckLog(Log()), FindingKind::kTooShort), nullptr);
}

// Recordings from hardware that are known to be good: nothing above a warning, whatever their
// noise.
TEST(CheckLog, RealRecordingsPass) {
  const std::string folder = std::string(RW_SOURCE_DIR) + "/../shared/data/dfki_pendulums/simple/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recorded data beside the checkout";
  const auto mapping = ParseMapping(R"(mapping: dfki-simple
time: {column: time, unit: s}
channels:
  - {channel: hinge.position, column: position, unit: rad}
  - {channel: hinge.velocity, column: velocity, unit: rad/s}
commands:
  - {actuator: motor, column: torque, unit: N*m}
)",
                                    "m.yaml");
  ASSERT_TRUE(mapping.ok());
  for (const std::string file : {"pd_sysid.csv", "energy_shaping.csv", "ddp_swingup.csv"}) {
    auto log = ReadLog(folder + file, *mapping);
    ASSERT_TRUE(log.ok()) << log.error().message;
    for (const Finding& finding : CheckLog(*log)) ADD_FAILURE() << file << ": " << ToText(finding);
    // The same file declared wrongly is refused: values in degrees taken as radians.
    for (std::size_t i = 0; i < log->samples(); ++i) log->values(i, 0) *= 57.29577951308232;
    EXPECT_NE(Find(CheckLog(*log), FindingKind::kDegrees), nullptr) << file;
    for (std::size_t i = 0; i < log->samples(); ++i) log->values(i, 1) *= 57.29577951308232;
    EXPECT_NE(Find(CheckLog(*log), FindingKind::kDegrees), nullptr) << file << ", both in degrees";
  }
}

}  // namespace
}  // namespace realward
