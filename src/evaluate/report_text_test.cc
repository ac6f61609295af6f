#include "evaluate/report_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "evaluate/text_table.h"

namespace realward {
namespace {

std::string Rate(std::int64_t successes, std::int64_t trials) {
  return FormatRate(*MeasureProportion(successes, trials));
}

TEST(ReportText, RatesNeverLookCertain) {
  EXPECT_EQ(Rate(195, 200), "97.5 % [94.3, 98.9]");
  EXPECT_EQ(Rate(0, 0), "not measured");
  EXPECT_EQ(Rate(35, 35), "100.0 % [90.1, 100.0]");
  EXPECT_EQ(Rate(0, 35), "0.0 % [0.0, 9.9]");
  // Of many trials, one failure and one success are visible.
  EXPECT_EQ(Rate(99999, 100000), "99.9990 % [99.9943, 99.9998]");
  EXPECT_EQ(Rate(1, 100000), "0.0010 % [0.0002, 0.0057]");
}

MeanEstimate Estimate(double mean, double low, double high) {
  MeanEstimate out;
  out.state = MeanState::kMeasured;
  out.count = 10;
  out.mean = mean;
  out.interval = Interval{low, high};
  return out;
}

TEST(ReportText, MeansShowWhatTheIntervalSupports) {
  EXPECT_EQ(FormatMean(Estimate(-12.3456, -14.1, -10.9)), "-12.3 [-14.1, -10.9]");
  EXPECT_EQ(FormatMean(Estimate(1234.5, 1100.0, 1400.0)), "1234 [1100, 1400]");
  EXPECT_EQ(FormatMean(Estimate(0.01234, 0.0101, 0.0142)), "0.0123 [0.0101, 0.0142]");
  EXPECT_EQ(FormatMean(Estimate(-0.0001, -3.0, 3.0)), "0.0 [-3.0, 3.0]");
  EXPECT_EQ(FormatMean(Estimate(5e12, 4e12, 6e12)), "5e+12 [4e+12, 6e+12]");
  EXPECT_EQ(FormatMean({}), "not measured");
  MeanEstimate single = Estimate(3.2, 0.0, 0.0);
  single.state = MeanState::kSingleValue;
  single.interval.reset();
  EXPECT_EQ(FormatMean(single), "3.2 (one value)");
  MeanEstimate equal = Estimate(-0.0, 0.0, 0.0);
  equal.state = MeanState::kNoSpread;
  EXPECT_EQ(FormatMean(equal), "0 (no spread)");
}

TrialRecord Trial(const std::string& policy, std::uint64_t seed, bool success) {
  TrialRecord out;
  out.policy = policy;
  out.suite = std::string("实机");
  out.key.seed = seed;
  out.success = success;
  return out;
}

TEST(ReportText, SaysWhatHappened) {
  std::vector<TrialRecord> trials;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    trials.push_back(Trial("标称", seed, false));
    trials.push_back(Trial("posterior", seed, true));
  }
  trials[0].end = TrialEnd::kEmergencyStop;
  trials[0].reason = std::string("robot_estop");
  trials.push_back(trials[2]);
  trials.back().attempt = 2;
  ReportRequest request;
  request.resamples = 200;
  request.comparisons = {{"posterior", "标称", "实机"}};
  const auto report = MakeReport(trials, request);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const std::string text = FormatReport(*report);
  for (const char* part :
       {"success Wilson", "unit of replication is the trial", "100.0 % [67.6, 100.0]",
        "1 of 8 planned trials did not finish (1 robot_estop)", "0.0 to 12.5 %", "emergency stop",
        "retries of finished trials do not count (seed 1)", "exact McNemar, two-sided",
        "seed 0 of 实机 is not compared: aborted", "A better", "0.0156", "not measured"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("nan"), std::string::npos);
  // Aligned: every row of the first table with right-aligned last columns ends at the same width.
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  int width = -1;
  while (std::getline(lines, line) && !line.empty()) {
    if (width < 0) width = DisplayWidth(line);
    EXPECT_EQ(DisplayWidth(line), width) << line;
  }
}

}  // namespace
}  // namespace realward
