#include "logs/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace realward {
namespace {

using ::testing::HasSubstr;

Log Swing() {
  Log log;
  log.name = "swing";
  log.channels = {"hinge.position", "hinge.velocity"};
  log.actuators = {"motor"};
  log.values = Matrix<double>(200, 2);
  log.commands = Matrix<double>(200, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    const double t = 0.01 * static_cast<double>(i);
    log.time_s.push_back(t);
    log.values(i, 0) = 1.5 * std::sin(3.0 * t);
    log.values(i, 1) = 4.5 * std::cos(3.0 * t);
    log.commands(i, 0) = std::sin(5.0 * t);
  }
  log.hash = HashLog(log);
  return log;
}

TEST(Prepare, AGoodLogIsUnchanged) {
  const Log log = Swing();
  const auto prepared = PrepareLog(log);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_EQ(prepared->log.hash, log.hash);
  EXPECT_TRUE(prepared->repairs.empty());
  EXPECT_TRUE(prepared->log.cuts.empty());
}

TEST(Prepare, RepairsAreDoneAndReported) {
  Log log = Swing();
  log.time_s[1] = log.time_s[0];
  for (std::size_t c = 0; c < 2; ++c) log.values(1, c) = log.values(0, c);
  log.commands(1, 0) = log.commands(0, 0);
  log.values(50, 1) = NAN;                                       // dropped
  log.commands(60, 0) = NAN;                                     // dropped, cut
  for (std::size_t i = 100; i < 200; ++i) log.time_s[i] += 1.0;  // gap
  log.commands(199, 0) = NAN;                                    // held
  const auto prepared = PrepareLog(log);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_EQ(prepared->log.samples(), 197u);
  EXPECT_EQ(prepared->log.cuts, (std::vector<std::size_t>{58, 97}));
  EXPECT_DOUBLE_EQ(prepared->log.time_s[58], 0.61);
  EXPECT_EQ(prepared->log.commands(196, 0), log.commands(198, 0));
  EXPECT_NE(prepared->log.hash, log.hash);
  std::vector<Repair> done;
  for (const Finding& finding : prepared->repairs) done.push_back(finding.repair);
  EXPECT_THAT(done,
              ::testing::UnorderedElementsAre(Repair::kHoldCommand, Repair::kDropDuplicate,
                                              Repair::kDropRow, Repair::kDropRow, Repair::kCut));
  // A prepared log needs no further repair: preparing is idempotent.
  const auto again = PrepareLog(prepared->log);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->log.hash, prepared->log.hash);
  EXPECT_TRUE(again->repairs.empty());
  EXPECT_EQ(again->log.cuts, prepared->log.cuts);
}

TEST(Prepare, RefusesWithEveryReason) {
  Log log = Swing();
  log.time_s[1] = log.time_s[0];
  log.time_s[80] = 0.1;
  const auto prepared = PrepareLog(log);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(prepared.error().message, HasSubstr("the first time stamp 0 s is there twice"));
  EXPECT_THAT(prepared.error().message, HasSubstr("time runs backwards"));
  Log degrees = Swing();
  for (std::size_t i = 0; i < 200; ++i) degrees.values(i, 0) *= 180 / std::numbers::pi;
  EXPECT_THAT(PrepareLog(degrees).error().message, HasSubstr("looks like degrees"));
}

TEST(Prepare, UnwrapsAngles) {
  Log log = Swing();
  for (std::size_t i = 0; i < 200; ++i) {
    const double angle = 3.0 * log.time_s[i] - 5.0 * log.time_s[i] * log.time_s[i];
    log.values(i, 0) = std::remainder(angle, 2 * std::numbers::pi);
    log.values(i, 1) = 3.0 - 10.0 * log.time_s[i];
  }
  const auto prepared = PrepareLog(log);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  ASSERT_EQ(prepared->repairs.size(), 1u);
  EXPECT_EQ(prepared->repairs[0].repair, Repair::kUnwrap);
  for (std::size_t i = 0; i < 200; ++i) {
    const double angle = 3.0 * log.time_s[i] - 5.0 * log.time_s[i] * log.time_s[i];
    EXPECT_NEAR(prepared->log.values(i, 0), angle, 1e-9);
  }
}

TEST(Prepare, NothingCompleteIsRefused) {
  Log log = Swing();
  for (std::size_t i = 0; i < 200; ++i) log.values(i, i % 2) = NAN;
  EXPECT_THAT(PrepareLog(log).error().message, HasSubstr("0 of its 200 samples"));
}

}  // namespace
}  // namespace realward
