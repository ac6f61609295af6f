#include "evaluate/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "base/text.h"
#include "evaluate/text_table.h"

namespace realward {
namespace {

constexpr std::array kEnds = {TrialEnd::kHorizon, TrialEnd::kTerminated, TrialEnd::kDiverged,
                              TrialEnd::kAborted, TrialEnd::kEmergencyStop};

std::string Describe(const TrialRecord& trial) {
  return fmt::format("trial of policy '{}' on suite '{}', {}, attempt {}", trial.policy,
                     trial.suite, ToString(trial.key), trial.attempt);
}

Error Bad(const TrialRecord& trial, std::string_view what) {
  return InvalidInput(fmt::format("{}: {}", Describe(trial), what));
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// All attempts of one trial, sorted by attempt.
using Attempts = std::vector<const TrialRecord*>;

Status CheckDistinct(const Attempts& attempts) {
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    if (attempts[i]->attempt == attempts[i - 1]->attempt) {
      return Bad(*attempts[i], "recorded twice; a trial that is run again has the next attempt");
    }
  }
  return {};
}

void AddTrial(const Attempts& attempts, TrialSummary& summary) {
  const auto counted =
      std::find_if(attempts.begin(), attempts.end(), [](auto* t) { return t->finished(); });
  ++summary.planned;
  if (counted == attempts.end()) {
    const TrialRecord& last = *attempts.back();
    summary.aborted.push_back(last);
    if (last.end == TrialEnd::kEmergencyStop) summary.emergency_stops.push_back(last.key);
    ++summary.abort_reasons[last.reason.empty() ? std::string(Name(last.end)) : last.reason];
    return;
  }
  const TrialRecord& trial = **counted;
  summary.counted.push_back(trial);
  summary.successes += trial.success;
  summary.diverged += trial.end == TrialEnd::kDiverged;
  if (counted != attempts.begin()) summary.replaced_aborts.push_back({trial.key, trial.attempt});
  for (auto later = counted + 1; later != attempts.end(); ++later) {
    summary.ignored_retries.push_back({(*later)->key, (*later)->attempt});
  }
}

Status FinishSummary(double confidence, TrialSummary& summary) {
  const auto finished = static_cast<std::int64_t>(summary.counted.size());
  RW_ASSIGN(summary.completed_rate, MeasureProportion(summary.successes, finished, confidence));
  if (summary.planned > 0) {
    const double planned = static_cast<double>(summary.planned);
    const auto open = summary.planned - finished;
    summary.planned_rate_bounds = {static_cast<double>(summary.successes) / planned,
                                   static_cast<double>(summary.successes + open) / planned};
  }
  return {};
}

Result<std::string> StringField(const Json& object, const char* key) {
  if (!object.contains(key) || !object[key].is_string()) {
    return InvalidInput(fmt::format("trial record: '{}' must be a string", key));
  }
  return object[key].get<std::string>();
}

Result<std::optional<double>> NumberField(const Json& object, const char* key) {
  if (!object.contains(key)) return InvalidInput(fmt::format("trial record: '{}' is missing", key));
  if (object[key].is_null()) return std::optional<double>();
  if (!object[key].is_number()) {
    return InvalidInput(fmt::format("trial record: '{}' must be a number or null", key));
  }
  return std::optional<double>(object[key].get<double>());
}

Result<TrialEnd> ParseEnd(const std::string& text) {
  std::vector<std::string> names;
  for (TrialEnd end : kEnds) {
    if (Name(end) == text) return end;
    names.emplace_back(Name(end));
  }
  return InvalidInput("trial record: " + UnknownName("end", text, names));
}

Result<TrialRecord> TrialFromJson(const Json& json) {
  if (!json.is_object()) return InvalidInput("trial record: must be an object");
  TrialRecord out;
  RW_ASSIGN(out.policy, StringField(json, "policy"));
  RW_ASSIGN(out.suite, StringField(json, "suite"));
  RW_ASSIGN(out.key.world, StringField(json, "world"));
  RW_ASSIGN(out.key.initial_state, StringField(json, "initial_state"));
  RW_ASSIGN(const std::string end, StringField(json, "end"));
  RW_ASSIGN(out.end, ParseEnd(end));
  RW_ASSIGN(out.reason, StringField(json, "reason"));
  if (!json.contains("seed") || !json["seed"].is_number_unsigned()) {
    return InvalidInput("trial record: 'seed' must be a non-negative integer");
  }
  out.key.seed = json["seed"].get<std::uint64_t>();
  constexpr std::int64_t kMostAttempts = 1'000'000;
  if (!json.contains("attempt") || !json["attempt"].is_number_integer() ||
      json["attempt"].get<std::int64_t>() > kMostAttempts) {
    return InvalidInput("trial record: 'attempt' must be a small positive integer");
  }
  out.attempt = static_cast<int>(std::max<std::int64_t>(json["attempt"].get<std::int64_t>(), 0));
  if (!json.contains("success") || !json["success"].is_boolean()) {
    return InvalidInput("trial record: 'success' must be true or false");
  }
  out.success = json["success"].get<bool>();
  RW_ASSIGN(out.episode_return, NumberField(json, "return"));
  RW_ASSIGN(out.time_to_success, NumberField(json, "time_to_success"));
  RW_TRY(CheckTrial(out));
  return out;
}

}  // namespace

std::string ToString(const TrialKey& key) {
  std::string out = fmt::format("seed {}", key.seed);
  if (!key.world.empty()) out += ", world " + key.world;
  if (!key.initial_state.empty()) out += ", initial state " + key.initial_state;
  return out;
}

std::string_view Name(TrialEnd end) {
  switch (end) {
    case TrialEnd::kHorizon:
      return "horizon";
    case TrialEnd::kTerminated:
      return "terminated";
    case TrialEnd::kDiverged:
      return "diverged";
    case TrialEnd::kAborted:
      return "aborted";
    case TrialEnd::kEmergencyStop:
      return "emergency_stop";
  }
  return "horizon";
}

Status CheckTrial(const TrialRecord& trial) {
  for (const std::string* text :
       {&trial.policy, &trial.suite, &trial.key.world, &trial.key.initial_state, &trial.reason}) {
    if (!IsUtf8(*text)) return InvalidInput("trial record: a name or reason is not valid UTF-8");
  }
  if (trial.policy.empty()) return Bad(trial, "the policy needs a name");
  if (trial.suite.empty()) return Bad(trial, "the suite needs a name");
  if (trial.attempt < 1) return Bad(trial, "attempts count from 1");
  if (trial.success && !trial.finished()) return Bad(trial, "aborted, so it is no success");
  if (trial.success && trial.end == TrialEnd::kDiverged) {
    return Bad(trial, "diverged, so it is no success");
  }
  if (trial.episode_return && !std::isfinite(*trial.episode_return)) {
    return Bad(trial, fmt::format("return {} must be finite", *trial.episode_return));
  }
  if (trial.time_to_success) {
    const double time = *trial.time_to_success;
    if (!std::isfinite(time) || time < 0.0) {
      return Bad(trial, fmt::format("time to success {} s must be finite and not negative", time));
    }
    if (!trial.success) return Bad(trial, "a time to success, but no success");
  }
  return {};
}

Json ToJson(std::span<const TrialRecord> trials) {
  Json out = Json::array();
  for (const TrialRecord& t : trials) {
    out.push_back({{"policy", t.policy},
                   {"suite", t.suite},
                   {"seed", t.key.seed},
                   {"world", t.key.world},
                   {"initial_state", t.key.initial_state},
                   {"attempt", t.attempt},
                   {"end", Name(t.end)},
                   {"reason", t.reason},
                   {"success", t.success},
                   {"return", OrNull(t.episode_return)},
                   {"time_to_success", OrNull(t.time_to_success)}});
  }
  return out;
}

Result<std::vector<TrialRecord>> TrialsFromJson(const Json& json) {
  if (!json.is_array()) return InvalidInput("trial records: must be an array");
  std::vector<TrialRecord> out;
  for (const Json& entry : json) {
    RW_ASSIGN(TrialRecord trial, TrialFromJson(entry));
    out.push_back(std::move(trial));
  }
  return out;
}

Result<std::vector<TrialSummary>> SummarizeTrials(std::span<const TrialRecord> trials,
                                                  std::span<const TrialKey> planned,
                                                  double confidence) {
  const std::set<TrialKey> planned_keys(planned.begin(), planned.end());
  std::map<std::pair<std::string, std::string>, std::map<TrialKey, Attempts>> by_suite;
  for (const TrialRecord& trial : trials) {
    RW_TRY(CheckTrial(trial));
    if (!planned_keys.empty() && !planned_keys.contains(trial.key)) {
      return Bad(trial, fmt::format("not one of the {} planned trials", planned_keys.size()));
    }
    by_suite[{trial.policy, trial.suite}][trial.key].push_back(&trial);
  }
  std::vector<TrialSummary> out;
  for (auto& [name, by_key] : by_suite) {
    TrialSummary summary;
    std::tie(summary.policy, summary.suite) = name;
    for (auto& [key, attempts] : by_key) {
      std::sort(attempts.begin(), attempts.end(),
                [](auto* a, auto* b) { return a->attempt < b->attempt; });
      RW_TRY(CheckDistinct(attempts));
      AddTrial(attempts, summary);
    }
    for (const TrialKey& key : planned_keys) {
      if (by_key.contains(key)) continue;
      summary.not_run.push_back(key);
      ++summary.planned;
    }
    RW_TRY(FinishSummary(confidence, summary));
    out.push_back(std::move(summary));
  }
  return out;
}

}  // namespace realward
