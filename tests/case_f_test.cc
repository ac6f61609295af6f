// Evaluation cases. Inputs and expected values lie in tests/cases/<id>; each value has the
// tolerance 1e-6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "evaluate/compare.h"
#include "evaluate/replication.h"
#include "evaluate/report.h"
#include "evaluate/report_text.h"
#include "evaluate/statistics.h"
#include "evaluate/trial.h"

namespace realward {
namespace {

constexpr double kTolerance = 1e-6;

std::string CaseFile(const std::string& id, const std::string& name) {
  auto text = ReadFile(std::string(RW_SOURCE_DIR) + "/tests/cases/" + id + "/" + name);
  EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
  return text.ok() ? *text : std::string();
}

Json Expected(const std::string& id) { return Json::parse(CaseFile(id, "expected.json")); }

// Rows of a CSV without quotes, by column name.
std::vector<std::map<std::string, std::string>> Rows(const std::string& id,
                                                     const std::string& name) {
  std::istringstream lines(CaseFile(id, name));
  std::vector<std::string> header;
  std::vector<std::map<std::string, std::string>> out;
  std::string line;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line + ",");
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    auto& row = out.emplace_back();
    for (std::size_t c = 0; c < header.size(); ++c) row[header[c]] = cells.at(c);
  }
  return out;
}

void ExpectInterval(const Interval& made, const Json& expected) {
  EXPECT_NEAR(made.low, expected[0].get<double>(), kTolerance);
  EXPECT_NEAR(made.high, expected[1].get<double>(), kTolerance);
}

TEST(case, f01_zero_or_all_successes) {
  const std::string id = "f01_zero_or_all_successes";
  const Json expected = Expected(id);
  const auto rows = Rows(id, "counts.csv");
  ASSERT_EQ(rows.size(), expected.size());
  for (const auto& row : rows) {
    const std::string name = row.at("successes") + "/" + row.at("trials");
    SCOPED_TRACE(name);
    const int successes = std::stoi(row.at("successes"));
    const int trials = std::stoi(row.at("trials"));
    for (auto method : {ProportionMethod::kWilson, ProportionMethod::kClopperPearson}) {
      const auto made = MeasureProportion(successes, trials, 0.95, method);
      ASSERT_TRUE(made.ok());
      ExpectInterval(
          made->interval,
          expected[name][method == ProportionMethod::kWilson ? "wilson" : "clopper_pearson"]);
      EXPECT_GT(made->interval.width(), 0.0);
      EXPECT_GE(made->interval.low, 0.0);
      EXPECT_LE(made->interval.high, 1.0);
      EXPECT_EQ(made->measured(), trials > 0);
      EXPECT_EQ(made->interval.low == 0.0, successes == 0);
      EXPECT_EQ(made->interval.high == 1.0, successes == trials);
    }
  }
  EXPECT_EQ(FormatRate(*MeasureProportion(0, 0)), "not measured");
  EXPECT_TRUE(ToJson(*MeasureProportion(0, 0))["rate"].is_null());
  EXPECT_EQ(ToJson(*MeasureProportion(0, 35))["method"], "Wilson");
}

TEST(case, f03_paired_by_seed) {
  const std::string id = "f03_paired_by_seed";
  const Json expected = Expected(id);
  std::vector<TrialRecord> a, b;
  for (const auto& row : Rows(id, "trials.csv")) {
    TrialRecord trial;
    trial.policy = row.at("policy");
    trial.suite = std::string("robot");
    trial.key = {std::stoull(row.at("seed")), "", row.at("init_state")};
    trial.success = row.at("success") == "1";
    (trial.policy == "A" ? a : b).push_back(trial);
  }
  Stream random({.seed = 0, .purpose = Purpose::kBootstrap});
  const auto made = ComparePolicies(a, b, {}, random);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->table.pairs(), expected["pairs"].get<int>());
  EXPECT_EQ(made->table.both, expected["both"].get<int>());
  EXPECT_EQ(made->table.only_a, expected["only_A"].get<int>());
  EXPECT_EQ(made->table.only_b, expected["only_B"].get<int>());
  EXPECT_EQ(made->table.none, expected["none"].get<int>());
  std::vector<std::uint64_t> seeds;
  std::vector<ExclusionReason> reasons;
  for (const Exclusion& e : made->excluded) {
    seeds.push_back(e.seed);
    reasons.push_back(e.reason);
  }
  EXPECT_EQ(seeds, expected["excluded"].get<std::vector<std::uint64_t>>());
  EXPECT_THAT(reasons,
              testing::ElementsAre(ExclusionReason::kOnlyA, ExclusionReason::kOnlyA,
                                   ExclusionReason::kOnlyB, ExclusionReason::kInitialStateDiffers));
  EXPECT_NEAR(*made->success.difference, expected["difference"].get<double>(), kTolerance);
  EXPECT_NEAR(made->p_value, expected["mcnemar_exact_p"].get<double>(), kTolerance);
  EXPECT_NEAR(*FisherExact(32, 40, 25, 40), expected["fisher_p"].get<double>(), kTolerance);
  EXPECT_EQ(ToJson(*made)["verdict"], expected["verdict_at_0.05"]);
  EXPECT_EQ(ToJson(*made)["test"], "exact McNemar, two-sided");
}

TEST(case, f05_missing_and_retried_trials) {
  const std::string id = "f05_missing_and_retried_trials";
  const Json expected = Expected(id);
  std::vector<TrialRecord> trials;
  for (const auto& row : Rows(id, "trials.csv")) {
    TrialRecord trial;
    trial.policy = std::string("policy");
    trial.suite = std::string("robot");
    trial.key = {std::stoull(row.at("trial")), "", ""};
    trial.attempt = std::stoi(row.at("attempt"));
    trial.reason = row.at("reason");
    trial.success = row.at("success") == "1";
    if (row.at("status") == "aborted") {
      trial.end = trial.reason == "robot_estop" ? TrialEnd::kEmergencyStop : TrialEnd::kAborted;
    }
    trials.push_back(trial);
  }
  const auto report = MakeReport(trials, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const TrialSummary& made = report->results.at(0).trials;
  EXPECT_EQ(made.planned, expected["planned"].get<int>());
  EXPECT_EQ(static_cast<int>(made.counted.size()), expected["completed"].get<int>());
  EXPECT_EQ(made.successes, expected["successes"].get<int>());
  EXPECT_EQ(static_cast<int>(made.aborted.size()), expected["aborted"].get<int>());
  EXPECT_NEAR(*made.completed_rate.rate, expected["rate_completed"].get<double>(), kTolerance);
  ExpectInterval(made.completed_rate.interval, expected["wilson_completed"]);
  ExpectInterval(made.planned_rate_bounds, expected["bounds"]);
  std::vector<std::uint64_t> ignored;
  for (const auto& retry : made.ignored_retries) ignored.push_back(retry.key.seed);
  EXPECT_EQ(ignored, expected["ignored_retries"].get<std::vector<std::uint64_t>>());
  ASSERT_EQ(made.replaced_aborts.size(), 1u);
  EXPECT_EQ(made.replaced_aborts[0].key.seed, 52u);
  EXPECT_EQ(Json(made.abort_reasons), expected["abort_reasons"]);
  EXPECT_EQ(made.emergency_stops.size(), 3u);
  const std::string text = FormatReport(*report);
  EXPECT_THAT(text, testing::HasSubstr("66.7 % [53.0, 78.0]"));
  EXPECT_THAT(text, testing::HasSubstr("56.7 to 71.7 %"));
  EXPECT_THAT(text, testing::HasSubstr("3 of them emergency stops"));
}

TEST(case, f07_training_seed_is_the_unit) {
  const std::string id = "f07_training_seed_is_the_unit";
  const Json expected = Expected(id);
  std::vector<SeedResult> seeds;
  for (const auto& row : Rows(id, "results.csv")) {
    seeds.push_back(
        {row.at("training_seed"), std::stoi(row.at("successes")), std::stoi(row.at("episodes"))});
  }
  Stream random({.seed = 0, .purpose = Purpose::kBootstrap});
  const auto made = MeasureMethod(seeds, {}, random);
  ASSERT_TRUE(made.ok());
  EXPECT_NEAR(*made->mean, expected["mean"].get<double>(), kTolerance);
  EXPECT_NEAR(*made->standard_error, expected["se_over_seeds"].get<double>(), kTolerance);
  ExpectInterval(*made->t_interval, expected["t_interval"]);
  EXPECT_NEAR(made->interval->low, expected["t_interval"][0].get<double>(), kTolerance);
  EXPECT_EQ(made->interval->high, 1.0);
  const double least = expected["min_width_accepted"].get<double>();
  EXPECT_GE(made->interval->width(), least);
  EXPECT_GE(made->bootstrap.interval->width(), least);
  ExpectInterval(made->policies.at(0).interval, expected["seed0_wilson"]);
  EXPECT_EQ(ToJson(*made)["replication"], "training seed");
}

}  // namespace
}  // namespace realward
