#include "evaluate/gap_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace realward {
namespace {

// (real − sim) / |sim|; ±infinity over 0, and 0 for 0/0, so that replicates stay sortable.
double SignedRatio(double real, double sim) {
  if (real == sim) return 0.0;
  if (sim == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), real - sim);
  return (real - sim) / std::abs(sim);
}

Interval Fold(const Interval& signed_interval) {
  const double a = std::abs(signed_interval.low);
  const double b = std::abs(signed_interval.high);
  return {signed_interval.Contains(0.0) ? 0.0 : std::min(a, b), std::max(a, b)};
}

double MeanAt(std::span<const double> values, std::span<const std::size_t> rows) {
  double sum = 0.0;
  for (std::size_t row : rows) sum += values[row];
  return sum / static_cast<double>(rows.size());
}

void Draw(std::vector<std::size_t>& rows, Stream& random) {
  for (std::size_t& row : rows) row = random.Index(rows.size());
}

std::vector<double> RatioReplicates(std::span<const double> real, std::span<const double> sim,
                                    Pairing pairing, int resamples, Stream& random) {
  std::vector<std::size_t> real_rows(real.size());
  std::vector<std::size_t> sim_rows(sim.size());
  std::vector<double> replicates(resamples);
  for (double& r : replicates) {
    Draw(real_rows, random);
    if (pairing == Pairing::kUnpaired) Draw(sim_rows, random);
    const auto& rows = pairing == Pairing::kPaired ? real_rows : sim_rows;
    r = SignedRatio(MeanAt(real, real_rows), MeanAt(sim, rows));
  }
  return replicates;
}

// Influence of each observation on the signed ratio, by the delta method.
std::vector<double> RatioInfluence(std::span<const double> real, std::span<const double> sim,
                                   Pairing pairing) {
  const double real_mean = Mean(real);
  const double sim_mean = Mean(sim);
  const double by_real = 1.0 / std::abs(sim_mean);
  const double by_sim = -real_mean / (sim_mean * std::abs(sim_mean));
  std::vector<double> out;
  for (double v : real) {
    out.push_back(by_real * (v - real_mean) / static_cast<double>(real.size()));
  }
  for (std::size_t i = 0; i < sim.size(); ++i) {
    const double u = by_sim * (sim[i] - sim_mean) / static_cast<double>(sim.size());
    if (pairing == Pairing::kPaired) {
      out[i] += u;
    } else {
      out.push_back(u);
    }
  }
  return out;
}

GapRatio MeasureRatio(std::span<const double> real, std::span<const double> sim,
                      const GapMeasure& gap, const BootstrapOptions& options, Stream& random) {
  GapRatio out;
  if (!gap.real.mean || !gap.sim.mean) return out;
  const double ratio = SignedRatio(*gap.real.mean, *gap.sim.mean);
  if (*gap.sim.mean == 0.0 || !std::isfinite(ratio)) {
    out.state = GapRatioState::kUndefined;
    return out;
  }
  out.ratio = std::abs(ratio);
  if (gap.sim.interval && gap.sim.interval->Contains(0.0)) {
    out.state = GapRatioState::kSimNearZero;
    return out;
  }
  if (gap.delta.state == MeanState::kSingleValue) {
    out.state = GapRatioState::kNoInterval;
    return out;
  }
  const ReplicateInterval made =
      IntervalOfReplicates(RatioReplicates(real, sim, gap.pairing, options.resamples, random),
                           ratio, RatioInfluence(real, sim, gap.pairing), options);
  if (!std::isfinite(made.interval.low) || !std::isfinite(made.interval.high)) {
    out.state = GapRatioState::kSimNearZero;
    return out;
  }
  out.state = GapRatioState::kMeasured;
  out.interval = Fold(made.interval);
  return out;
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::string_view Name(Pairing pairing) {
  return pairing == Pairing::kPaired ? "paired" : "unpaired";
}

std::string_view Name(GapRatioState state) {
  switch (state) {
    case GapRatioState::kMeasured:
      return "measured";
    case GapRatioState::kNoInterval:
      return "no interval";
    case GapRatioState::kSimNearZero:
      return "simulated mean not distinguishable from 0";
    case GapRatioState::kUndefined:
      return "undefined: simulated mean is 0";
    case GapRatioState::kNotMeasured:
      return "not measured";
  }
  return "not measured";
}

Result<GapMeasure> MeasureGap(std::span<const double> real, std::span<const double> sim,
                              Pairing pairing, const BootstrapOptions& options, Stream& random) {
  GapMeasure out;
  out.pairing = pairing;
  RW_ASSIGN(out.real, BootstrapMean(real, options, random));
  RW_ASSIGN(out.sim, BootstrapMean(sim, options, random));
  if (pairing == Pairing::kPaired) {
    RW_ASSIGN(out.delta, BootstrapPairedDifference(real, sim, options, random));
  } else {
    RW_ASSIGN(out.delta, BootstrapDifference(real, sim, options, random));
  }
  out.ratio = MeasureRatio(real, sim, out, options, random);
  return out;
}

Json ToJson(const Interval& interval) { return {interval.low, interval.high}; }

Json ToJson(const MeanEstimate& estimate) {
  return {{"state", Name(estimate.state)},
          {"count", estimate.count},
          {"replication", estimate.replication},
          {"mean", OrNull(estimate.mean)},
          {"interval", estimate.interval ? ToJson(*estimate.interval) : Json(nullptr)},
          {"confidence", estimate.confidence},
          {"method", Name(estimate.method)}};
}

Json ToJson(const GapMeasure& gap) {
  const Interval* interval = gap.ratio.interval ? &*gap.ratio.interval : nullptr;
  return {{"pairing", Name(gap.pairing)},
          {"real", ToJson(gap.real)},
          {"sim", ToJson(gap.sim)},
          {"delta", ToJson(gap.delta)},
          {"gap_ratio",
           {{"state", Name(gap.ratio.state)},
            {"ratio", OrNull(gap.ratio.ratio)},
            {"interval", interval ? ToJson(*interval) : Json(nullptr)}}}};
}

}  // namespace realward
