#include "evaluate/replication.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluate/gap_measure.h"

namespace realward {
namespace {

Status FillPolicies(std::span<const SeedResult> seeds, double confidence, MethodEstimate& out) {
  std::set<std::string> seen;
  for (const SeedResult& seed : seeds) {
    if (!seen.insert(seed.training_seed).second) {
      return InvalidInput(fmt::format("training seed '{}' is given twice", seed.training_seed));
    }
    if (seed.trials == 0) {
      return InvalidInput(fmt::format("training seed '{}' has no trials", seed.training_seed));
    }
    RW_ASSIGN(Proportion policy, MeasureProportion(seed.successes, seed.trials, confidence));
    out.policies.push_back(policy);
    out.trials += seed.trials;
  }
  return {};
}

// The interval over seeds; at least two rates.
Status FillInterval(std::span<const double> rates, MethodEstimate& out) {
  const double n = static_cast<double>(rates.size());
  double squares = 0.0;
  for (double r : rates) squares += (r - *out.mean) * (r - *out.mean);
  out.standard_error = std::sqrt(squares / (n - 1.0) / n);
  if (out.state == MeanState::kNoSpread) {
    std::int64_t successes = 0;
    for (const Proportion& p : out.policies) successes += p.successes;
    RW_ASSIGN(const Proportion pooled, MeasureProportion(successes, out.trials, out.confidence));
    out.interval = pooled.interval;
    out.interval_method = "Wilson over pooled trials, for want of spread between training seeds";
    return {};
  }
  const double half = StudentQuantile(0.5 + 0.5 * out.confidence, n - 1.0) * *out.standard_error;
  out.t_interval = Interval{*out.mean - half, *out.mean + half};
  out.interval = Interval{std::max(out.t_interval->low, 0.0), std::min(out.t_interval->high, 1.0)};
  out.interval_method =
      fmt::format("Student t over {} training seeds, cut to [0, 1]", rates.size());
  return {};
}

}  // namespace

Result<MethodEstimate> MeasureMethod(std::span<const SeedResult> seeds,
                                     const BootstrapOptions& options, Stream& random) {
  MethodEstimate out;
  out.confidence = options.confidence;
  RW_TRY(FillPolicies(seeds, options.confidence, out));
  std::vector<std::vector<double>> groups;
  std::vector<double> rates;
  for (const Proportion& policy : out.policies) {
    rates.push_back(*policy.rate);
    groups.push_back({*policy.rate});
  }
  RW_ASSIGN(out.bootstrap, BootstrapGroups(groups, out.replication, options, random));
  out.state = out.bootstrap.state;
  out.mean = out.bootstrap.mean;
  if (rates.size() >= 2) RW_TRY(FillInterval(rates, out));
  return out;
}

Json ToJson(const Proportion& proportion) {
  return {{"successes", proportion.successes},
          {"trials", proportion.trials},
          {"rate", proportion.rate ? Json(*proportion.rate) : Json(nullptr)},
          {"interval", ToJson(proportion.interval)},
          {"confidence", proportion.confidence},
          {"method", Name(proportion.method)}};
}

Json ToJson(const MethodEstimate& method) {
  auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  auto interval = [](const std::optional<Interval>& v) { return v ? ToJson(*v) : Json(nullptr); };
  Json policies = Json::array();
  for (const Proportion& p : method.policies) policies.push_back(ToJson(p));
  return {{"replication", method.replication},
          {"seeds", method.policies.size()},
          {"trials", method.trials},
          {"policies", std::move(policies)},
          {"state", Name(method.state)},
          {"mean", number(method.mean)},
          {"standard_error", number(method.standard_error)},
          {"t_interval", interval(method.t_interval)},
          {"interval", interval(method.interval)},
          {"interval_method", method.interval_method},
          {"bootstrap", ToJson(method.bootstrap)},
          {"confidence", method.confidence}};
}

}  // namespace realward
