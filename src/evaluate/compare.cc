#include "evaluate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "evaluate/gap_measure.h"

namespace realward {
namespace {

using SuiteKey = std::pair<std::string, TrialKey>;
// One trial per key: the counted one, or the last abort.
using Trials = std::map<SuiteKey, TrialRecord>;

Result<Trials> CollectTrials(std::span<const TrialRecord> records, std::string_view side) {
  RW_ASSIGN(const auto summaries, SummarizeTrials(records));
  if (summaries.empty()) return InvalidInput(fmt::format("side {} has no trials", side));
  Trials out;
  for (const TrialSummary& summary : summaries) {
    if (summary.policy != summaries.front().policy) {
      return InvalidInput(fmt::format("side {} mixes the policies '{}' and '{}'", side,
                                      summaries.front().policy, summary.policy));
    }
    for (const auto* trials : {&summary.counted, &summary.aborted}) {
      for (const TrialRecord& t : *trials) out.emplace(SuiteKey{t.suite, t.key}, t);
    }
  }
  return out;
}

// Trials without an exact partner, by suite and seed.
using Unpaired = std::map<std::pair<std::string, std::uint64_t>, std::vector<TrialKey>>;

Unpaired FindUnpaired(const Trials& own, const Trials& other) {
  Unpaired out;
  for (const auto& [key, trial] : own) {
    if (!other.contains(key)) out[{key.first, key.second.seed}].push_back(key.second);
  }
  return out;
}

// Lines up what one seed has left on each side; the surplus is one-sided.
void ExcludeUnpaired(const Trials& a, const Trials& b, std::vector<Exclusion>& excluded) {
  Unpaired left_a = FindUnpaired(a, b);
  Unpaired left_b = FindUnpaired(b, a);
  std::set<std::pair<std::string, std::uint64_t>> seeds;
  for (const auto& [seed, keys] : left_a) seeds.insert(seed);
  for (const auto& [seed, keys] : left_b) seeds.insert(seed);
  for (const auto& seed : seeds) {
    const auto& keys_a = left_a[seed];
    const auto& keys_b = left_b[seed];
    for (std::size_t i = 0; i < std::max(keys_a.size(), keys_b.size()); ++i) {
      Exclusion out{seed.first, seed.second, std::nullopt, std::nullopt, ExclusionReason::kOnlyA};
      if (i < keys_a.size()) out.a = keys_a[i];
      if (i < keys_b.size()) out.b = keys_b[i];
      if (!out.b) {
        out.reason = ExclusionReason::kOnlyA;
      } else if (!out.a) {
        out.reason = ExclusionReason::kOnlyB;
      } else {
        out.reason = out.a->world != out.b->world ? ExclusionReason::kWorldDiffers
                                                  : ExclusionReason::kInitialStateDiffers;
      }
      excluded.push_back(std::move(out));
    }
  }
}

void AddPair(bool a, bool b, PairedTable& table) {
  ++(a && b ? table.both : a ? table.only_a : b ? table.only_b : table.none);
}

Verdict Decide(const PairedTable& table, double p_value, double alpha) {
  if (p_value > alpha || table.only_a == table.only_b) return Verdict::kNotShown;
  return table.only_a > table.only_b ? Verdict::kABetter : Verdict::kBBetter;
}

Json KeyOrNull(const std::optional<TrialKey>& key) {
  if (!key) return nullptr;
  return {{"seed", key->seed}, {"world", key->world}, {"initial_state", key->initial_state}};
}

}  // namespace

std::string_view Name(ExclusionReason reason) {
  switch (reason) {
    case ExclusionReason::kOnlyA:
      return "only A";
    case ExclusionReason::kOnlyB:
      return "only B";
    case ExclusionReason::kWorldDiffers:
      return "world differs";
    case ExclusionReason::kInitialStateDiffers:
      return "initial state differs";
    case ExclusionReason::kAborted:
      return "aborted";
  }
  return "aborted";
}

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kABetter:
      return "A better";
    case Verdict::kBBetter:
      return "B better";
    case Verdict::kNotShown:
      return "not shown";
  }
  return "not shown";
}

Result<Comparison> ComparePolicies(std::span<const TrialRecord> a, std::span<const TrialRecord> b,
                                   const CompareOptions& options, Stream& random) {
  RW_TRY(CheckConfidence(1.0 - options.alpha));
  RW_ASSIGN(const Trials trials_a, CollectTrials(a, "A"));
  RW_ASSIGN(const Trials trials_b, CollectTrials(b, "B"));
  Comparison out;
  out.alpha = options.alpha;
  out.policy_a = trials_a.begin()->second.policy;
  out.policy_b = trials_b.begin()->second.policy;
  if (out.policy_a == out.policy_b) {
    return InvalidInput(fmt::format("both sides hold trials of policy '{}'", out.policy_a));
  }
  PairedTable aborts_fail;
  std::vector<double> returns_a, returns_b;
  for (const auto& [key, trial_a] : trials_a) {
    const auto found = trials_b.find(key);
    if (found == trials_b.end()) continue;
    const TrialRecord& trial_b = found->second;
    AddPair(trial_a.success, trial_b.success, aborts_fail);
    if (!trial_a.finished() || !trial_b.finished()) {
      out.excluded.push_back(
          {key.first, key.second.seed, trial_a.key, trial_b.key, ExclusionReason::kAborted});
      continue;
    }
    AddPair(trial_a.success, trial_b.success, out.table);
    if (!trial_a.episode_return || !trial_b.episode_return) continue;
    returns_a.push_back(*trial_a.episode_return);
    returns_b.push_back(*trial_b.episode_return);
  }
  ExcludeUnpaired(trials_a, trials_b, out.excluded);
  std::sort(out.excluded.begin(), out.excluded.end(), [](const auto& x, const auto& y) {
    return std::tie(x.suite, x.seed, x.a, x.b) < std::tie(y.suite, y.seed, y.a, y.b);
  });
  RW_ASSIGN(out.success, PairedRateDifference(out.table, 1.0 - options.alpha));
  RW_ASSIGN(out.p_value, McNemarExact(out.table));
  RW_ASSIGN(out.p_value_aborts_fail, McNemarExact(aborts_fail));
  out.verdict = Decide(out.table, out.p_value, options.alpha);
  out.verdict_aborts_fail = Decide(aborts_fail, out.p_value_aborts_fail, options.alpha);
  BootstrapOptions bootstrap;
  bootstrap.resamples = options.resamples;
  bootstrap.confidence = 1.0 - options.alpha;
  RW_ASSIGN(out.return_difference,
            BootstrapPairedDifference(returns_a, returns_b, bootstrap, random));
  return out;
}

Json ToJson(const RateDifference& difference) {
  return {{"difference", difference.difference ? Json(*difference.difference) : Json(nullptr)},
          {"interval", ToJson(difference.interval)}};
}

Json ToJson(const Comparison& comparison) {
  Json excluded = Json::array();
  for (const Exclusion& e : comparison.excluded) {
    excluded.push_back({{"suite", e.suite},
                        {"seed", e.seed},
                        {"a", KeyOrNull(e.a)},
                        {"b", KeyOrNull(e.b)},
                        {"reason", Name(e.reason)}});
  }
  const PairedTable& table = comparison.table;
  return {{"policy_a", comparison.policy_a},
          {"policy_b", comparison.policy_b},
          {"pairs", table.pairs()},
          {"both", table.both},
          {"only_a", table.only_a},
          {"only_b", table.only_b},
          {"none", table.none},
          {"excluded", std::move(excluded)},
          {"success", ToJson(comparison.success)},
          {"interval_method", comparison.interval_method},
          {"test", comparison.test},
          {"p_value", comparison.p_value},
          {"alpha", comparison.alpha},
          {"verdict", Name(comparison.verdict)},
          {"p_value_aborts_fail", comparison.p_value_aborts_fail},
          {"verdict_aborts_fail", Name(comparison.verdict_aborts_fail)},
          {"return_difference", ToJson(comparison.return_difference)}};
}

}  // namespace realward
