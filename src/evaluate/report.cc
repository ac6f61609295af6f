#include "evaluate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "evaluate/replication.h"

namespace realward {
namespace {

// A stream that depends on what is estimated, not on what else the report holds.
Stream StreamFor(std::uint64_t seed, const std::vector<std::string>& what) {
  const std::string digest = HashJson(Json(what));
  StreamId id;
  id.seed = seed;
  id.purpose = Purpose::kBootstrap;
  id.episode = std::stoull(digest.substr(0, 16), nullptr, 16);
  id.step = std::stoull(digest.substr(16, 16), nullptr, 16);
  return Stream(id);
}

BootstrapOptions Options(const ReportRequest& request) {
  BootstrapOptions out;
  out.confidence = request.confidence;
  out.resamples = request.resamples;
  return out;
}

std::vector<double> Returns(const TrialSummary& summary) {
  std::vector<double> out;
  for (const TrialRecord& t : summary.counted) {
    if (t.episode_return) out.push_back(*t.episode_return);
  }
  return out;
}

// Position in the wanted order; the unlisted come last.
std::size_t Rank(const std::vector<std::string>& order, const std::string& name) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), name) - order.begin());
}

Result<SuiteResult> MeasureSuite(TrialSummary summary, const ReportRequest& request) {
  SuiteResult out;
  Stream random = StreamFor(request.seed, {"return", summary.policy, summary.suite});
  RW_ASSIGN(out.episode_return, BootstrapMean(Returns(summary), Options(request), random));
  std::vector<double> times;
  for (const TrialRecord& t : summary.counted) {
    if (t.time_to_success) times.push_back(*t.time_to_success);
  }
  if (!times.empty()) {
    Stream time_random = StreamFor(request.seed, {"time", summary.policy, summary.suite});
    RW_ASSIGN(out.time_to_success, BootstrapMean(times, Options(request), time_random));
  }
  out.trials = std::move(summary);
  return out;
}

Result<const TrialSummary*> Find(const EvalReport& report, const std::string& policy,
                                 const std::string& suite) {
  std::vector<std::string> policies, suites;
  for (const SuiteResult& r : report.results) {
    if (r.trials.policy == policy && r.trials.suite == suite) return &r.trials;
    if (r.trials.policy == policy) suites.push_back(r.trials.suite);
    policies.push_back(r.trials.policy);
  }
  policies.erase(std::unique(policies.begin(), policies.end()), policies.end());
  if (suites.empty()) return InvalidInput("report: " + UnknownName("policy", policy, policies));
  return InvalidInput(
      fmt::format("report, policy '{}': {}", policy, UnknownName("suite", suite, suites)));
}

struct PairedReturns {
  std::vector<double> real;
  std::vector<double> sim;
};

Result<PairedReturns> JoinReturns(const TrialSummary& real, const TrialSummary& sim) {
  using Start = std::pair<std::uint64_t, std::string>;
  std::map<Start, double> by_start;
  auto ambiguous = [](const TrialRecord& t) {
    return InvalidInput(fmt::format(
        "gap of policy '{}' on suite '{}': several worlds share {}, so trials cannot be paired by "
        "seed and initial state",
        t.policy, t.suite, ToString({t.key.seed, "", t.key.initial_state})));
  };
  for (const TrialRecord& t : sim.counted) {
    if (!t.episode_return) continue;
    if (!by_start.emplace(Start{t.key.seed, t.key.initial_state}, *t.episode_return).second) {
      return ambiguous(t);
    }
  }
  PairedReturns out;
  std::map<Start, int> used;
  for (const TrialRecord& t : real.counted) {
    if (!t.episode_return) continue;
    const Start start{t.key.seed, t.key.initial_state};
    if (used[start]++ > 0) return ambiguous(t);
    const auto found = by_start.find(start);
    if (found == by_start.end()) continue;
    out.real.push_back(*t.episode_return);
    out.sim.push_back(found->second);
  }
  return out;
}

Result<GapResult> MeasureSuiteGap(const EvalReport& report, const GapRequest& gap,
                                  const ReportRequest& request) {
  RW_ASSIGN(const TrialSummary* real, Find(report, gap.policy, gap.real_suite));
  RW_ASSIGN(const TrialSummary* sim, Find(report, gap.policy, gap.sim_suite));
  GapResult out;
  out.request = gap;
  const Proportion& rate_real = real->completed_rate;
  const Proportion& rate_sim = sim->completed_rate;
  RW_ASSIGN(out.success,
            IndependentRateDifference(rate_real.successes, rate_real.trials, rate_sim.successes,
                                      rate_sim.trials, request.confidence));
  PairedReturns returns{Returns(*real), Returns(*sim)};
  if (gap.pairing == Pairing::kPaired) {
    RW_ASSIGN(returns, JoinReturns(*real, *sim));
  }
  Stream random = StreamFor(request.seed, {"gap", gap.policy, gap.real_suite, gap.sim_suite});
  RW_ASSIGN(out.episode_return,
            MeasureGap(returns.real, returns.sim, gap.pairing, Options(request), random));
  return out;
}

Result<CompareResult> MeasureComparison(const EvalReport& report,
                                        std::span<const TrialRecord> trials,
                                        const CompareRequest& compare,
                                        const ReportRequest& request) {
  for (const std::string* policy : {&compare.policy_a, &compare.policy_b}) {
    const bool known =
        std::any_of(report.results.begin(), report.results.end(), [&](const SuiteResult& r) {
          return r.trials.policy == *policy &&
                 (compare.suite.empty() || r.trials.suite == compare.suite);
        });
    if (!known) RW_TRY(Find(report, *policy, compare.suite));
  }
  std::vector<TrialRecord> a, b;
  for (const TrialRecord& t : trials) {
    if (!compare.suite.empty() && t.suite != compare.suite) continue;
    if (t.policy == compare.policy_a) a.push_back(t);
    if (t.policy == compare.policy_b) b.push_back(t);
  }
  Stream random =
      StreamFor(request.seed, {"compare", compare.policy_a, compare.policy_b, compare.suite});
  CompareOptions options;
  options.alpha = std::round((1.0 - request.confidence) * 1e12) / 1e12;  // 0.05, not 0.05 + 4e-17
  options.resamples = request.resamples;
  CompareResult out;
  out.suite = compare.suite;
  RW_ASSIGN(out.comparison, ComparePolicies(a, b, options, random));
  return out;
}

Json KeysToJson(std::span<const TrialKey> keys) {
  Json out = Json::array();
  for (const TrialKey& key : keys) out.push_back(ToString(key));
  return out;
}

Json RetriesToJson(std::span<const TrialSummary::Retry> retries) {
  Json out = Json::array();
  for (const auto& r : retries) {
    out.push_back({{"trial", ToString(r.key)}, {"attempt", r.attempt}});
  }
  return out;
}

Json ToJson(const SuiteResult& result) {
  const TrialSummary& t = result.trials;
  return {{"policy", t.policy},
          {"suite", t.suite},
          {"planned", t.planned},
          {"completed", t.counted.size()},
          {"successes", t.successes},
          {"diverged", t.diverged},
          {"aborted", t.aborted.size()},
          {"not_run", t.not_run.size()},
          {"emergency_stops", KeysToJson(t.emergency_stops)},
          {"abort_reasons", t.abort_reasons},
          {"ignored_retries", RetriesToJson(t.ignored_retries)},
          {"replaced_aborts", RetriesToJson(t.replaced_aborts)},
          {"success", ToJson(t.completed_rate)},
          {"planned_rate_bounds", ToJson(t.planned_rate_bounds)},
          {"return", ToJson(result.episode_return)},
          {"time_to_success",
           result.time_to_success ? ToJson(*result.time_to_success) : Json(nullptr)}};
}

}  // namespace

Result<EvalReport> MakeReport(std::span<const TrialRecord> trials, const ReportRequest& request) {
  EvalReport out;
  out.seed = request.seed;
  out.confidence = request.confidence;
  out.resamples = request.resamples;
  out.parents = request.parents;
  RW_ASSIGN(std::vector<TrialSummary> summaries, SummarizeTrials(trials, {}, request.confidence));
  std::vector<TrialRecord> sorted(trials.begin(), trials.end());
  std::sort(sorted.begin(), sorted.end(), [](const TrialRecord& a, const TrialRecord& b) {
    return std::tie(a.policy, a.suite, a.key, a.attempt) <
           std::tie(b.policy, b.suite, b.key, b.attempt);
  });
  out.trials_hash = HashJson(ToJson(std::span<const TrialRecord>(sorted)));
  auto place = [&](const TrialSummary& t) {
    return std::tuple(Rank(request.policies, t.policy), t.policy, Rank(request.suites, t.suite),
                      t.suite);
  };
  std::sort(summaries.begin(), summaries.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (TrialSummary& summary : summaries) {
    RW_ASSIGN(SuiteResult result, MeasureSuite(std::move(summary), request));
    out.results.push_back(std::move(result));
  }
  for (const GapRequest& gap : request.gaps) {
    RW_ASSIGN(GapResult result, MeasureSuiteGap(out, gap, request));
    out.gaps.push_back(std::move(result));
  }
  for (const CompareRequest& compare : request.comparisons) {
    RW_ASSIGN(CompareResult result, MeasureComparison(out, trials, compare, request));
    out.comparisons.push_back(std::move(result));
  }
  return out;
}

Json ToJson(const EvalReport& report) {
  Json results = Json::array();
  for (const SuiteResult& r : report.results) results.push_back(ToJson(r));
  Json gaps = Json::array();
  for (const GapResult& g : report.gaps) {
    gaps.push_back({{"policy", g.request.policy},
                    {"real_suite", g.request.real_suite},
                    {"sim_suite", g.request.sim_suite},
                    {"success", ToJson(g.success)},
                    {"success_interval_method", "Newcombe, independent samples"},
                    {"return", ToJson(g.episode_return)}});
  }
  Json comparisons = Json::array();
  for (const CompareResult& c : report.comparisons) {
    Json comparison = ToJson(c.comparison);
    comparison["suite"] = c.suite;
    comparisons.push_back(std::move(comparison));
  }
  return {{"seed", report.seed},           {"confidence", report.confidence},
          {"resamples", report.resamples}, {"trials_hash", report.trials_hash},
          {"parents", report.parents},     {"results", std::move(results)},
          {"gaps", std::move(gaps)},       {"comparisons", std::move(comparisons)}};
}

}  // namespace realward
