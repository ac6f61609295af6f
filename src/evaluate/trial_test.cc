#include "evaluate/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace realward {
namespace {

TrialRecord Trial(std::uint64_t seed, bool success, TrialEnd end = TrialEnd::kHorizon,
                  int attempt = 1) {
  TrialRecord out;
  out.policy = std::string("p");  // not "p": g++ 12 then warns without a cause (its bug 105651)
  out.suite = std::string("s");
  out.key.seed = seed;
  out.success = success;
  out.end = end;
  out.attempt = attempt;
  return out;
}

TEST(Trial, FirstFinishedAttemptCounts) {
  std::vector<TrialRecord> trials = {
      Trial(1, false),
      Trial(1, true, TrialEnd::kHorizon, 2),  // a second chance that does not count
      Trial(2, false, TrialEnd::kAborted),    // replaced by the next
      Trial(2, true, TrialEnd::kTerminated, 2),
      Trial(3, false, TrialEnd::kEmergencyStop),  // never finished
      Trial(3, false, TrialEnd::kAborted, 2),
      Trial(4, false, TrialEnd::kDiverged),
      Trial(5, true),
      Trial(6, false, TrialEnd::kEmergencyStop),
  };
  trials[5].reason = "worker_crash";
  // The order of the records says nothing: all rotations agree.
  for (std::size_t r = 0; r < trials.size(); ++r) {
    std::rotate(trials.begin(), trials.begin() + 1, trials.end());
    const auto summaries = SummarizeTrials(trials);
    ASSERT_TRUE(summaries.ok());
    ASSERT_EQ(summaries->size(), 1u);
    const TrialSummary& s = summaries->front();
    EXPECT_EQ(s.planned, 6);
    EXPECT_EQ(s.counted.size(), 4u);
    EXPECT_EQ(s.successes, 2);
    EXPECT_EQ(s.diverged, 1);
    EXPECT_EQ(s.aborted.size(), 2u);
    ASSERT_EQ(s.ignored_retries.size(), 1u);
    EXPECT_EQ(s.ignored_retries[0].key.seed, 1u);
    EXPECT_EQ(s.ignored_retries[0].attempt, 2);
    ASSERT_EQ(s.replaced_aborts.size(), 1u);
    EXPECT_EQ(s.replaced_aborts[0].key.seed, 2u);
    ASSERT_EQ(s.emergency_stops.size(), 1u);
    EXPECT_EQ(s.emergency_stops[0].seed, 6u);
    EXPECT_EQ(s.abort_reasons.at("worker_crash"), 1);
    EXPECT_EQ(s.abort_reasons.at("emergency_stop"), 1);
    EXPECT_DOUBLE_EQ(*s.completed_rate.rate, 0.5);
    EXPECT_DOUBLE_EQ(s.planned_rate_bounds.low, 2.0 / 6.0);
    EXPECT_DOUBLE_EQ(s.planned_rate_bounds.high, 4.0 / 6.0);
  }
}

TEST(Trial, PlannedTrialsThatNeverRan) {
  const std::vector<TrialRecord> trials = {Trial(1, true), Trial(2, true)};
  const std::vector<TrialKey> planned = {{1, "", ""}, {2, "", ""}, {3, "", ""}, {4, "", ""}};
  const auto summaries = SummarizeTrials(trials, planned);
  const TrialSummary& s = summaries->front();
  EXPECT_EQ(s.planned, 4);
  ASSERT_EQ(s.not_run.size(), 2u);
  EXPECT_EQ(s.not_run[0].seed, 3u);
  EXPECT_DOUBLE_EQ(s.planned_rate_bounds.low, 0.5);
  EXPECT_DOUBLE_EQ(s.planned_rate_bounds.high, 1.0);
  const std::vector<TrialRecord> stray = {Trial(9, true)};
  EXPECT_NE(SummarizeTrials(stray, planned).error().message.find("seed 9"), std::string::npos);
}

TEST(Trial, AllAborted) {
  const std::vector<TrialRecord> trials = {Trial(1, false, TrialEnd::kAborted)};
  const auto summaries = SummarizeTrials(trials);
  EXPECT_FALSE(summaries->front().completed_rate.measured());
  EXPECT_EQ(summaries->front().planned_rate_bounds.low, 0.0);
  EXPECT_EQ(summaries->front().planned_rate_bounds.high, 1.0);
  EXPECT_TRUE(SummarizeTrials({})->empty());
}

TEST(Trial, PoliciesAndSuitesApart) {
  std::vector<TrialRecord> trials = {Trial(1, true), Trial(1, false), Trial(1, true)};
  trials[0].suite = "z";
  trials[1].policy = "a";
  const auto summaries = SummarizeTrials(trials);
  ASSERT_EQ(summaries->size(), 3u);
  EXPECT_EQ((*summaries)[0].policy, "a");
  EXPECT_EQ((*summaries)[1].suite, "s");
  EXPECT_EQ((*summaries)[2].suite, "z");
}

TEST(Trial, BadRecordsAreNamed) {
  auto message = [](const TrialRecord& trial) {
    const Status status = CheckTrial(trial);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(Trial(1, true)), "");
  EXPECT_NE(message(Trial(7, true, TrialEnd::kDiverged)).find("seed 7"), std::string::npos);
  EXPECT_NE(message(Trial(7, true, TrialEnd::kAborted)).find("no success"), std::string::npos);
  EXPECT_NE(message(Trial(7, true, TrialEnd::kEmergencyStop)), "");
  EXPECT_NE(message(Trial(7, true, TrialEnd::kHorizon, 0)), "");
  TrialRecord trial = Trial(7, true);
  trial.episode_return = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(trial).find("return nan"), std::string::npos);
  trial = Trial(7, true);
  trial.time_to_success = -1.0;
  EXPECT_NE(message(trial), "");
  trial = Trial(7, false);
  trial.time_to_success = 1.0;
  EXPECT_NE(message(trial), "");
  trial = Trial(7, true);
  trial.policy = "\xFF";
  EXPECT_NE(message(trial).find("UTF-8"), std::string::npos);
  trial.policy = "";
  EXPECT_NE(message(trial), "");
  const std::vector<TrialRecord> twice = {Trial(3, true), Trial(3, false)};
  EXPECT_NE(SummarizeTrials(twice).error().message.find("recorded twice"), std::string::npos);
}

TEST(Trial, JsonRoundTrip) {
  TrialRecord full = Trial(0xFFFFFFFFFFFFFFFFULL, true, TrialEnd::kTerminated, 3);
  full.key.world = "世界";
  full.key.initial_state = "4";
  full.reason = "done";
  full.episode_return = -0.1;
  full.time_to_success = 2.5;
  const std::vector<TrialRecord> trials = {full, Trial(2, false, TrialEnd::kEmergencyStop)};
  const std::string text = CanonicalJson(ToJson(trials));
  const auto back = TrialsFromJson(Json::parse(text));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(CanonicalJson(ToJson(*back)), text);
  EXPECT_EQ(back->front().key, full.key);
  EXPECT_EQ(*back->front().episode_return, -0.1);
  EXPECT_FALSE(back->back().episode_return.has_value());

  for (const char* key : {"policy", "seed", "attempt", "success", "return", "end", "reason"}) {
    Json json = ToJson(trials);
    json[0].erase(key);
    EXPECT_FALSE(TrialsFromJson(json).ok()) << key;
    json = ToJson(trials);
    json[0][key] = Json::array();
    EXPECT_FALSE(TrialsFromJson(json).ok()) << key;
  }
  Json json = ToJson(trials);
  json[0]["end"] = "diverge";
  EXPECT_NE(TrialsFromJson(json).error().message.find("diverged"), std::string::npos);
  json = ToJson(trials);
  json[0]["attempt"] = 4294967297;  // 1 after truncation to 32 bits
  EXPECT_FALSE(TrialsFromJson(json).ok());
  EXPECT_FALSE(TrialsFromJson(Json::object()).ok());
  EXPECT_FALSE(TrialsFromJson(Json::array({1})).ok());
}

}  // namespace
}  // namespace realward
