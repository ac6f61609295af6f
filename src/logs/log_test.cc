#include "logs/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <sstream>

#include "base/random.h"

namespace realward {
namespace {

using ::testing::HasSubstr;

constexpr char kMapping[] = R"(mapping: test
time: {column: t, unit: s}
channels:
  - {channel: hinge.position, column: q, unit: rad}
  - {channel: hinge.velocity, column: qd, unit: rad/s}
  - {channel: supply, column: supply_V, unit: V}
)";

Mapping TestMapping(const std::string& text = kMapping) {
  auto mapping = ParseMapping(text, "m.yaml");
  EXPECT_TRUE(mapping.ok()) << mapping.error().message;
  return *mapping;
}

TEST(Log, CaseD11SevenFindingsAndThreeCompleteRows) {
  const auto log = ReadLog(
      std::string(RW_SOURCE_DIR) + "/tests/cases/d11_csv_missing_values/log.csv", TestMapping());
  ASSERT_TRUE(log.ok()) << log.error().message;
  // (column, data row from 1) of each finding; ragged rows have no column.
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const Finding& finding : log->reading) found.emplace_back(finding.channel, finding.line - 1);
  const std::vector<std::pair<std::string, std::size_t>> expected = {{"", 9},
                                                                     {"", 10},
                                                                     {"hinge.position", 3},
                                                                     {"hinge.position", 6},
                                                                     {"hinge.velocity", 2},
                                                                     {"hinge.velocity", 4},
                                                                     {"hinge.velocity", 8}};
  EXPECT_EQ(found, expected);
  std::vector<std::size_t> complete;
  for (std::size_t i = 0; i < log->samples(); ++i) {
    bool finite = true;
    for (const double value : log->values.row(i)) finite = finite && std::isfinite(value);
    if (finite) complete.push_back(log->lines[i] - 1);
  }
  EXPECT_EQ(complete, (std::vector<std::size_t>{1, 5, 7}));
  EXPECT_EQ(log->values(2, 1), 2.1);  // the empty q before it did not shift the row
}

TEST(Log, CaseD03BecomesSi) {
  const auto log =
      ReadLog(std::string(RW_SOURCE_DIR) + "/tests/cases/d03_csv_locale_bom_headers/messung.csv",
              TestMapping(R"(mapping: messung
time: {column: Zeit, unit: s}
channels:
  - {channel: gelenk1.position, column: Gelenk 1 pos, unit: deg}
  - {channel: gelenk1.velocity, column: Gelenk 1 vel, unit: deg/s}
  - {channel: gelenk1.current, column: Strom, unit: mA}
)"));
  ASSERT_TRUE(log.ok()) << log.error().message;
  const double position[] = {0.1832595715, 0.1850049007, 0.18675023, 0.1884955592};
  const double velocity[] = {0, 0.1745329252, 0.1745329252, 0.1745329252};
  const double current[] = {0.12, -0.0805, 0.095};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(log->time_s[i], 0.01 * i, 1e-12);
    EXPECT_NEAR(log->values(i, 0), position[i], 1e-7);
    EXPECT_NEAR(log->values(i, 1), velocity[i], 1e-7);
    if (i < 3) {
      EXPECT_NEAR(log->values(i, 2), current[i], 1e-7);
    }
  }
  EXPECT_TRUE(std::isnan(log->values(3, 2)));
}

TEST(Log, CaseD10VelocityFromEitherClock) {
  for (const std::string time : {"column: stamp_ns, unit: ns", "column: mcu_us, unit: us"}) {
    const auto log = ReadLog(
        std::string(RW_SOURCE_DIR) + "/tests/cases/d10_timestamp_precision_and_rollover/log.csv",
        TestMapping("mapping: d10\ntime: {" + time +
                    "}\nchannels:\n  - {channel: hinge.position, column: q, unit: rad}\n"));
    ASSERT_TRUE(log.ok()) << log.error().message;
    for (std::size_t i = 1; i < log->samples(); ++i) {
      const double velocity =
          (log->values(i, 0) - log->values(i - 1, 0)) / (log->time_s[i] - log->time_s[i - 1]);
      EXPECT_NEAR(velocity, 2.0, 2e-6);
    }
  }
}

TEST(Log, ScaleOffsetAndUnitInThisOrder) {
  std::istringstream stream("t,q,qd,supply_V\n0,10,0,1\n1,20,0,1\n");
  Mapping mapping = TestMapping();
  mapping.channels[0].unit = *ParseUnit("deg");
  mapping.channels[0].scale = -2.0;
  mapping.channels[0].offset = 5.0;
  const auto log = LogFromTable(*ParseCsv(stream, "log.csv"), mapping, "log.csv");
  ASSERT_TRUE(log.ok());
  EXPECT_DOUBLE_EQ(log->values(1, 0), (-2.0 * 20 + 5) * std::numbers::pi / 180);
}

TEST(Log, RowsLeftOutCutTheLog) {
  std::istringstream stream(
      "t,q,qd,supply_V\n1\n0,0,0,1\n1,0,0,1\nx,0,0,1\n3,0\n3,0,0,1\n4,0,0,1,9\n");
  const auto log = LogFromTable(*ParseCsv(stream, "log.csv"), TestMapping(), "log.csv");
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ(log->time_s, (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(log->lines, (std::vector<std::size_t>{3, 4, 7}));
  EXPECT_EQ(log->cuts, (std::vector<std::size_t>{2}));
  EXPECT_EQ(Count(log->reading, FindingKind::kRaggedRow), 3u);
  EXPECT_EQ(Count(log->reading, FindingKind::kBadTime), 1u);
}

TEST(Log, ErrorsNameTheColumn) {
  std::istringstream stream("t,q,supply_V\n0,0,1\n");
  const auto log = LogFromTable(*ParseCsv(stream, "log.csv"), TestMapping(), "log.csv");
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(log.error().message,
              HasSubstr("m.yaml:5: key 'column': log.csv: unknown column 'qd'"));
  std::istringstream empty("t,q,qd,supply_V\n");
  EXPECT_THAT(LogFromTable(*ParseCsv(empty, "log.csv"), TestMapping(), "x").error().message,
              HasSubstr("no row"));
}

Log RandomLog(std::uint64_t seed) {
  Stream stream({.seed = seed, .purpose = Purpose::kTest});
  Log log;
  log.name = "random";
  log.channels = {"hinge.position", "a, \"b\"", "x"};
  log.actuators = {"motor"};
  const std::size_t samples = 2 + stream.Index(50);
  log.values = Matrix<double>(samples, 3);
  log.commands = Matrix<double>(samples, 1);
  for (std::size_t i = 0; i < samples; ++i) {
    log.time_s.push_back(0.001 * static_cast<double>(i) + 1e-4 * stream.Uniform());
    for (double& value : log.values.row(i)) {
      value = stream.Index(9) == 0 ? std::nan("1")
                                   : stream.Normal() * std::pow(10.0, stream.Uniform(-300, 300));
    }
    log.commands(i, 0) = stream.Index(5) == 0 ? -0.0 : stream.Normal();
  }
  log.hash = HashLog(log);
  return log;
}

TEST(Log, WriteThenReadKeepsEveryBit) {
  const std::string folder = ::testing::TempDir() + "/rw_log_test";
  std::filesystem::create_directories(folder);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Log log = RandomLog(seed);
    ASSERT_TRUE(WriteLog(log, folder + "/run.csv").ok());
    const auto mapping = LoadMapping(folder + "/run.mapping.yaml");
    ASSERT_TRUE(mapping.ok()) << mapping.error().message;
    const auto again = ReadLog(folder + "/run.csv", *mapping);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->hash, log.hash);
    EXPECT_EQ(again->channels, log.channels);
    EXPECT_EQ(again->actuators, log.actuators);
    EXPECT_EQ(again->time_s, log.time_s);
  }
  std::filesystem::remove_all(folder);
}

TEST(Log, HashSeesEveryPart) {
  const Log log = RandomLog(1);
  Log other = log;
  other.values(0, 2) = 12.0;
  EXPECT_NE(HashLog(other), log.hash);
  other = log;
  other.actuators[0] = "engine";
  EXPECT_NE(HashLog(other), log.hash);
  other = log;
  other.time_s[1] += 1e-12;
  EXPECT_NE(HashLog(other), log.hash);
  other = log;
  other.name = "renamed";
  EXPECT_EQ(HashLog(other), log.hash);
}

TEST(Log, RefusesToWriteWhatWouldNotReadBack) {
  Log log = RandomLog(2);
  log.channels[2] = "x [m]";
  EXPECT_FALSE(WriteLog(log, ::testing::TempDir() + "/never.csv").ok());
  log = RandomLog(2);
  log.channels[2] = log.channels[0];
  EXPECT_FALSE(WriteLog(log, ::testing::TempDir() + "/never.csv").ok());
  log = RandomLog(2);
  log.time_s.back() = 1.7e9;
  EXPECT_THAT(WriteLog(log, ::testing::TempDir() + "/never.csv").error().message,
              HasSubstr("start"));
  EXPECT_FALSE(std::filesystem::exists(::testing::TempDir() + "/never.csv"));
}

}  // namespace
}  // namespace realward
