#include "evaluate/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace realward {
namespace {

double ResampledMean(std::span<const double> values, Stream& random) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.Index(values.size())];
  return sum / static_cast<double>(values.size());
}

bool AllEqual(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

MeanEstimate StartEstimate(std::size_t count, std::string replication,
                           const BootstrapOptions& options) {
  MeanEstimate out;
  out.count = count;
  out.replication = std::move(replication);
  out.confidence = options.confidence;
  out.method = options.method;
  return out;
}

// Influence of each value on the mean of its sample, appended with a sign.
void AppendInfluence(std::span<const double> values, double sign, std::vector<double>& out) {
  const double mean = Mean(values);
  for (double v : values) out.push_back(sign * (v - mean) / static_cast<double>(values.size()));
}

// Mean of checked values.
MeanEstimate EstimateMean(std::span<const double> values, std::string replication,
                          const BootstrapOptions& options, Stream& random) {
  MeanEstimate out = StartEstimate(values.size(), std::move(replication), options);
  if (values.empty()) return out;
  out.mean = Mean(values);
  if (values.size() == 1) {
    out.state = MeanState::kSingleValue;
    return out;
  }
  if (AllEqual(values)) {
    out.state = MeanState::kNoSpread;
    out.interval = Interval{*out.mean, *out.mean};
    return out;
  }
  std::vector<double> replicates(options.resamples);
  for (double& r : replicates) r = ResampledMean(values, random);
  std::vector<double> influence;
  AppendInfluence(values, 1.0, influence);
  const auto made = IntervalOfReplicates(std::move(replicates), *out.mean, influence, options);
  out.state = MeanState::kMeasured;
  out.interval = made.interval;
  out.method = made.method;
  return out;
}

}  // namespace

std::string_view Name(BootstrapMethod method) {
  return method == BootstrapMethod::kBca ? "BCa bootstrap" : "percentile bootstrap";
}

std::string_view Name(MeanState state) {
  switch (state) {
    case MeanState::kMeasured:
      return "measured";
    case MeanState::kNotMeasured:
      return "not measured";
    case MeanState::kSingleValue:
      return "single value";
    case MeanState::kNoSpread:
      return "no spread";
  }
  return "not measured";
}

Status CheckBootstrap(const BootstrapOptions& options) {
  RW_TRY(CheckConfidence(options.confidence));
  if (options.resamples < 100) {
    return InvalidInput(fmt::format("{} bootstrap resamples: at least 100, better 9999, are needed",
                                    options.resamples));
  }
  return {};
}

Status CheckFinite(std::span<const double> values, std::string_view what) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return InvalidInput(
          fmt::format("{} {} of {} is {}: must be finite", what, i, values.size(), values[i]));
    }
    sum += std::abs(values[i]);
  }
  if (!std::isfinite(sum)) {
    return InvalidInput(
        fmt::format("the {} values of {} are too large: their sum overflows", values.size(), what));
  }
  return {};
}

double Mean(std::span<const double> values) {
  RW_CHECK(!values.empty());
  double sum = 0.0;
  for (double v : values) sum += v;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::clamp(sum / static_cast<double>(values.size()), *low, *high);
}

double SortedQuantile(std::span<const double> sorted, double p) {
  RW_CHECK(!sorted.empty() && p >= 0.0 && p <= 1.0);
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double part = position - static_cast<double>(below);
  if (part == 0.0 || below + 1 == sorted.size()) return sorted[below];
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

ReplicateInterval IntervalOfReplicates(std::vector<double> replicates, double estimate,
                                       std::span<const double> influence,
                                       const BootstrapOptions& options) {
  std::sort(replicates.begin(), replicates.end());
  const double tail = 0.5 * (1.0 - options.confidence);
  const ReplicateInterval percentile{
      {SortedQuantile(replicates, tail), SortedQuantile(replicates, 1.0 - tail)},
      BootstrapMethod::kPercentile};
  if (options.method == BootstrapMethod::kPercentile) return percentile;

  // Half of the ties count as below, so that a discrete statistic is not taken for a biased one.
  const auto [first, last] = std::equal_range(replicates.begin(), replicates.end(), estimate);
  const double below =
      0.5 * static_cast<double>((first - replicates.begin()) + (last - replicates.begin())) /
      static_cast<double>(replicates.size());
  double squares = 0.0;
  double cubes = 0.0;
  double largest = 0.0;
  for (double u : influence) largest = std::max(largest, std::abs(u));
  if (!(below > 0.0 && below < 1.0) || !(largest > 0.0)) return percentile;
  for (double u : influence) {
    const double scaled = u / largest;  // keeps the cubes in range
    squares += scaled * scaled;
    cubes += scaled * scaled * scaled;
  }
  const double bias = NormalQuantile(below);
  const double acceleration = cubes / (6.0 * std::pow(squares, 1.5));
  auto level = [&](double p) {
    const double z = bias + NormalQuantile(p);
    return NormalCdf(bias + z / (1.0 - acceleration * z));
  };
  const double low = level(tail);
  const double high = level(1.0 - tail);
  if (!(low < high)) return percentile;  // an acceleration so strong that the levels cross
  return {{SortedQuantile(replicates, low), SortedQuantile(replicates, high)},
          BootstrapMethod::kBca};
}

Result<MeanEstimate> BootstrapMean(std::span<const double> values, const BootstrapOptions& options,
                                   Stream& random) {
  RW_TRY(CheckBootstrap(options));
  RW_TRY(CheckFinite(values, "value"));
  return EstimateMean(values, "trial", options, random);
}

Result<MeanEstimate> BootstrapPairedDifference(std::span<const double> a, std::span<const double> b,
                                               const BootstrapOptions& options, Stream& random) {
  RW_TRY(CheckBootstrap(options));
  if (a.size() != b.size()) {
    return InvalidInput(
        fmt::format("a paired difference of {} and {} values: every value needs its partner",
                    a.size(), b.size()));
  }
  RW_TRY(CheckFinite(a, "value of A"));
  RW_TRY(CheckFinite(b, "value of B"));
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  RW_TRY(CheckFinite(differences, "difference"));
  return EstimateMean(differences, "pair", options, random);
}

Result<MeanEstimate> BootstrapDifference(std::span<const double> a, std::span<const double> b,
                                         const BootstrapOptions& options, Stream& random) {
  RW_TRY(CheckBootstrap(options));
  RW_TRY(CheckFinite(a, "value of A"));
  RW_TRY(CheckFinite(b, "value of B"));
  MeanEstimate out = StartEstimate(std::min(a.size(), b.size()), "trial", options);
  if (out.count == 0) return out;
  out.mean = Mean(a) - Mean(b);
  if (out.count == 1) {
    out.state = MeanState::kSingleValue;
    return out;
  }
  if (AllEqual(a) && AllEqual(b)) {
    out.state = MeanState::kNoSpread;
    out.interval = Interval{*out.mean, *out.mean};
    return out;
  }
  std::vector<double> replicates(options.resamples);
  for (double& r : replicates) {
    const double mean_a = ResampledMean(a, random);
    r = mean_a - ResampledMean(b, random);
  }
  std::vector<double> influence;
  AppendInfluence(a, 1.0, influence);
  AppendInfluence(b, -1.0, influence);
  const auto made = IntervalOfReplicates(std::move(replicates), *out.mean, influence, options);
  out.state = MeanState::kMeasured;
  out.interval = made.interval;
  out.method = made.method;
  return out;
}

Result<MeanEstimate> BootstrapGroups(std::span<const std::vector<double>> groups,
                                     std::string replication, const BootstrapOptions& options,
                                     Stream& random) {
  RW_TRY(CheckBootstrap(options));
  std::vector<double> means;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) {
      return InvalidInput(fmt::format("{} {} of {} has no values", replication, g, groups.size()));
    }
    RW_TRY(CheckFinite(groups[g], fmt::format("{} {}, value", replication, g)));
    means.push_back(Mean(groups[g]));
  }
  return EstimateMean(means, std::move(replication), options, random);
}

}  // namespace realward
