#include "evaluate/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace realward {
namespace {

TrialRecord Trial(const std::string& policy, const std::string& suite, std::uint64_t seed,
                  bool success, double episode_return) {
  TrialRecord out;
  out.policy = policy;
  out.suite = suite;
  out.key = {seed, suite + std::to_string(seed), ""};
  out.success = success;
  out.episode_return = episode_return;
  if (success) out.time_to_success = 1.0 + 0.01 * static_cast<double>(seed);
  return out;
}

// "wide" always succeeds; "nominal" succeeds in simulation, and on the robot for every fourth seed.
std::vector<TrialRecord> SomeTrials() {
  Stream data({.seed = 1, .purpose = Purpose::kTest});
  std::vector<TrialRecord> out;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const double luck = data.Normal();
    out.push_back(Trial("nominal", "sim", seed, true, 100.0 + luck));
    out.push_back(Trial("nominal", "robot", seed, seed % 4 == 0, 60.0 + luck));
    out.push_back(Trial("wide", "sim", seed, true, 90.0 + luck));
    out.push_back(Trial("wide", "robot", seed, true, 85.0 + luck));
  }
  out[1].success = false;
  out[1].time_to_success.reset();
  out[1].end = TrialEnd::kDiverged;
  return out;
}

ReportRequest SomeRequest() {
  ReportRequest out;
  out.resamples = 500;
  out.policies = {"wide", "nominal"};
  out.suites = {"sim", "robot"};
  out.gaps = {{"nominal", "robot", "sim", Pairing::kUnpaired},
              {"nominal", "robot", "sim", Pairing::kPaired}};
  out.comparisons = {{"wide", "nominal", "robot"}, {"wide", "nominal", ""}};
  out.parents = {"abc"};
  return out;
}

TEST(Report, Content) {
  const auto report = MakeReport(SomeTrials(), SomeRequest());
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->results.size(), 4u);
  EXPECT_EQ(report->results[0].trials.policy, "wide");
  EXPECT_EQ(report->results[0].trials.suite, "sim");
  const SuiteResult& hard = report->results[3];
  EXPECT_EQ(hard.trials.policy, "nominal");
  EXPECT_EQ(hard.trials.suite, "robot");
  EXPECT_EQ(hard.trials.successes, 9);
  EXPECT_EQ(hard.trials.diverged, 1);
  EXPECT_EQ(hard.time_to_success->count, 9u);
  EXPECT_NEAR(*hard.episode_return.mean, 60.0, 0.6);

  ASSERT_EQ(report->gaps.size(), 2u);
  EXPECT_NEAR(*report->gaps[0].success.difference, 9.0 / 40.0 - 1.0, 1e-12);
  EXPECT_NEAR(*report->gaps[0].episode_return.delta.mean, -40.0, 1e-9);
  EXPECT_NEAR(*report->gaps[0].episode_return.ratio.ratio, 0.4, 0.01);
  // Paired, the luck cancels to rounding: the same difference for each trial.
  EXPECT_LT(report->gaps[1].episode_return.delta.interval->width(), 1e-12);
  EXPECT_GT(report->gaps[0].episode_return.delta.interval->width(), 0.5);

  ASSERT_EQ(report->comparisons.size(), 2u);
  EXPECT_EQ(report->comparisons[0].comparison.table.pairs(), 40);
  EXPECT_EQ(report->comparisons[0].comparison.table.only_a, 31);
  EXPECT_EQ(report->comparisons[0].comparison.verdict, Verdict::kABetter);
  EXPECT_EQ(report->comparisons[0].comparison.alpha, 0.05);
  EXPECT_EQ(report->comparisons[1].comparison.table.pairs(), 80);
}

TEST(Report, SameBytesInAnyOrder) {
  std::vector<TrialRecord> trials = SomeTrials();
  const std::string text = CanonicalJson(ToJson(*MakeReport(trials, SomeRequest())));
  std::reverse(trials.begin(), trials.end());
  EXPECT_EQ(CanonicalJson(ToJson(*MakeReport(trials, SomeRequest()))), text);
  std::rotate(trials.begin(), trials.begin() + 57, trials.end());
  EXPECT_EQ(CanonicalJson(ToJson(*MakeReport(trials, SomeRequest()))), text);
  ReportRequest other = SomeRequest();
  other.seed = 1;
  EXPECT_NE(CanonicalJson(ToJson(*MakeReport(trials, other))), text);
  trials[0].reason = "changed";
  EXPECT_NE(CanonicalJson(ToJson(*MakeReport(trials, SomeRequest()))), text);
}

// One policy's numbers do not depend on which others are reported.
TEST(Report, ResultsStandAlone) {
  const std::vector<TrialRecord> all = SomeTrials();
  std::vector<TrialRecord> some;
  for (const auto& t : all) {
    if (t.policy == "nominal") some.push_back(t);
  }
  ReportRequest request = SomeRequest();
  request.comparisons.clear();
  const Json json_all = ToJson(*MakeReport(all, request));
  const Json json_some = ToJson(*MakeReport(some, request));
  EXPECT_EQ(json_all["results"][3], json_some["results"][1]);
  EXPECT_EQ(json_all["gaps"], json_some["gaps"]);
}

TEST(Report, Empty) {
  const auto report = MakeReport({}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->results.empty());
  CanonicalJson(ToJson(*report));
}

TEST(Report, BadRequestsAreNamed) {
  auto message = [](const ReportRequest& request) {
    const auto report = MakeReport(SomeTrials(), request);
    return report.ok() ? std::string() : report.error().message;
  };
  ReportRequest request = SomeRequest();
  request.gaps[0].policy = "nominl";
  EXPECT_NE(message(request).find("nominal"), std::string::npos);
  request = SomeRequest();
  request.gaps[0].real_suite = "robt";
  EXPECT_NE(message(request).find("robot"), std::string::npos);
  request = SomeRequest();
  request.comparisons[1].policy_b = "narrow";
  EXPECT_NE(message(request).find("'narrow'"), std::string::npos);
  request = SomeRequest();
  request.confidence = 95;
  EXPECT_NE(message(request).find("95"), std::string::npos);
  request = SomeRequest();
  request.resamples = 1;
  EXPECT_NE(message(request).find("resamples"), std::string::npos);
}

TEST(Report, PairedGapRefusesAmbiguousPartners) {
  std::vector<TrialRecord> trials = SomeTrials();
  trials.push_back(Trial("nominal", "sim", 3, true, 1.0));
  trials.back().key.world = "another";
  const auto report = MakeReport(trials, SomeRequest());
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("seed 3"), std::string::npos);
}

}  // namespace
}  // namespace realward
