#include "logs/time_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace realward {
namespace {

using ::testing::HasSubstr;

CsvTable Table(const std::string& text) {
  std::istringstream stream(text);
  auto table = ParseCsv(stream, "log.csv");
  EXPECT_TRUE(table.ok()) << table.error().message;
  return *table;
}

CsvTable CaseD10() {
  return *ReadCsv(std::string(RW_SOURCE_DIR) +
                  "/tests/cases/d10_timestamp_precision_and_rollover/log.csv");
}

TEST(TimeAxis, CaseD10NanosecondEpoch) {
  const auto axis = ReadTimeAxis(CaseD10(), 0, 1e-9);
  ASSERT_TRUE(axis.ok()) << axis.error().message;
  EXPECT_EQ(axis->origin, "1722470400123456000");
  ASSERT_EQ(axis->time_s.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(axis->time_s[i], i / 1000.0);
  EXPECT_TRUE(axis->findings.empty());
}

TEST(TimeAxis, CaseD10CounterRollsOver) {
  for (const int bits : {0, 32}) {
    const auto axis = ReadTimeAxis(CaseD10(), 1, 1e-6, bits);
    ASSERT_TRUE(axis.ok()) << axis.error().message;
    for (int i = 1; i < 12; ++i) {
      EXPECT_NEAR(axis->time_s[i] - axis->time_s[i - 1], 1e-3, 1e-12);
    }
    ASSERT_EQ(axis->findings.size(), 1u);
    EXPECT_EQ(axis->findings[0].kind, FindingKind::kCounterRollover);
    EXPECT_EQ(axis->findings[0].line, 10u);  // data row 8 from 0
  }
}

TEST(TimeAxis, CaseD10SinglePrecisionIsRefused) {
  const auto axis = ReadTimeAxis(CaseD10(), 2, 1.0);
  ASSERT_FALSE(axis.ok());
  EXPECT_THAT(axis.error().message, HasSubstr("stamp_s_float32"));
  EXPECT_THAT(axis.error().message, HasSubstr("single precision"));
}

TEST(TimeAxis, LongDecimalsKeepTheirDigits) {
  const auto axis = ReadTimeAxis(
      Table("t,q\n1722470400.123456,0\n1722470400.123556,0\n1722470400.123656,0\n"), 0, 1.0);
  ASSERT_TRUE(axis.ok());
  EXPECT_EQ(axis->time_s[1], 1e-4);
  EXPECT_EQ(axis->time_s[2], 2e-4);
}

TEST(TimeAxis, ShortStampsAreTakenAsWritten) {
  const auto decimal = ReadTimeAxis(Table("t,q\n0.1,0\n0.25,0\n3,0\n"), 0, 1.0);
  EXPECT_EQ(decimal->time_s, (std::vector<double>{0.1, 0.25, 3.0}));
  EXPECT_TRUE(decimal->origin.empty());
  const auto scientific = ReadTimeAxis(Table("t,q\n0,0\n2.000570297241210938e-03,0\n"), 0, 1.0);
  EXPECT_EQ(scientific->time_s[1], 2.000570297241210938e-03);
  const auto comma = ReadTimeAxis(Table("t;q\n0,010;0,5\n0,020;1\n"), 0, 1.0);
  EXPECT_EQ(comma->time_s[1], 0.02);
  const auto minutes = ReadTimeAxis(Table("t,q\n1,0\n2,0\n"), 0, 60.0);
  EXPECT_EQ(minutes->time_s[1], 120.0);
}

TEST(TimeAxis, BackwardsIsNoRollover) {
  const auto axis = ReadTimeAxis(Table("t,q\n0,0\n1000,0\n2000,0\n1500,0\n2500,0\n"), 0, 1e-6);
  ASSERT_TRUE(axis.ok());
  EXPECT_TRUE(axis->findings.empty());
  EXPECT_LT(axis->time_s[3], axis->time_s[2]);
}

TEST(TimeAxis, UnreadableStampsAreReported) {
  const auto axis = ReadTimeAxis(Table("t,q\n0,0\n-,0\n2,0\n"), 0, 1.0);
  ASSERT_TRUE(axis.ok());
  EXPECT_TRUE(std::isnan(axis->time_s[1]));
  ASSERT_EQ(axis->findings.size(), 1u);
  EXPECT_EQ(axis->findings[0].line, 3u);
  EXPECT_FALSE(ReadTimeAxis(Table("t,q\nx,0\n"), 0, 1.0).ok());
}

TEST(TimeAxis, ParseFixed) {
  EXPECT_EQ(ParseFixed("12.5", '.', 3), 12500);
  EXPECT_EQ(ParseFixed("-0,25", ',', 2), -25);
  EXPECT_EQ(ParseFixed("7", '.', 0), 7);
  EXPECT_EQ(ParseFixed("9223372036854775807", '.', 0), 9223372036854775807);
  for (const char* text : {"", ".", "1e3", "1.2.3", "9223372036854775808", "1.234", "x"}) {
    EXPECT_FALSE(ParseFixed(text, '.', 2)) << text;
  }
}

}  // namespace
}  // namespace realward
