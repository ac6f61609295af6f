// Bootstrap intervals of means and of differences of means. Randomness is an argument: one Stream
// per estimate, so that a result does not depend on what else was estimated. Thread-safe.
//
// Efron and Tibshirani, "An introduction to the bootstrap" (1993), chapters 13 (percentile) and 14
// (BCa); Davison and Hinkley, "Bootstrap methods and their application" (1997), section 3.8
// (clusters).
#ifndef REALWARD_EVALUATE_BOOTSTRAP_H_
#define REALWARD_EVALUATE_BOOTSTRAP_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "evaluate/statistics.h"

namespace realward {

enum class BootstrapMethod {
  kBca,         // bias corrected and accelerated; second-order accurate
  kPercentile,  // plain quantiles of the resampled means
};

// "BCa bootstrap", "percentile bootstrap".
std::string_view Name(BootstrapMethod method);

struct BootstrapOptions {
  int resamples = 9999;  // at least 100
  double confidence = 0.95;
  BootstrapMethod method = BootstrapMethod::kBca;
};

enum class MeanState {
  kMeasured,     // a mean and its interval
  kNotMeasured,  // no value: neither
  kSingleValue,  // one value: a mean; nothing says how far it can be trusted
  kNoSpread,  // every resample gives the same: the interval has zero width, which is no certainty
};

// "measured", "not measured", "single value", "no spread".
std::string_view Name(MeanState state);

struct MeanEstimate {
  MeanState state = MeanState::kNotMeasured;
  std::size_t count = 0;              // how many units of replication
  std::string replication = "trial";  // what was resampled: "trial", "pair", "training seed"
  std::optional<double> mean;
  std::optional<Interval> interval;
  double confidence = 0.95;
  // What made the interval. BCa falls back to percentile when every resample lies on one side of
  // the mean.
  BootstrapMethod method = BootstrapMethod::kBca;
};

// Mean of independent values.
// Errors, in all functions below: a value that is not finite (its index is named), values so large
// that their mean overflows, bad options.
Result<MeanEstimate> BootstrapMean(std::span<const double> values, const BootstrapOptions& options,
                                   Stream& random);

// Mean of a[i] − b[i]; pairs are resampled. Error when the lengths differ.
Result<MeanEstimate> BootstrapPairedDifference(std::span<const double> a, std::span<const double> b,
                                               const BootstrapOptions& options, Stream& random);

// Mean of a minus mean of b, for independent samples, each resampled by itself. count is the
// smaller size.
Result<MeanEstimate> BootstrapDifference(std::span<const double> a, std::span<const double> b,
                                         const BootstrapOptions& options, Stream& random);

// Mean of the group means; whole groups are resampled, because values of one group (episodes of one
// trained policy) are not independent. An empty group is an error.
Result<MeanEstimate> BootstrapGroups(std::span<const std::vector<double>> groups,
                                     std::string replication, const BootstrapOptions& options,
                                     Stream& random);

// The pieces, for other statistics.

Status CheckBootstrap(const BootstrapOptions& options);
// Error naming the first value of `what` that is not finite, or that its sum overflows.
Status CheckFinite(std::span<const double> values, std::string_view what);
// Arithmetic mean of a non-empty sample, never outside its range; exact when all values are equal.
double Mean(std::span<const double> values);

// Quantile of sorted values with linear interpolation (Hyndman and Fan's type 7).
double SortedQuantile(std::span<const double> sorted, double p);

// The interval from replicates of a statistic. `influence` holds each observation's influence on
// the estimate (the empirical influence function divided by its sample's size), for the
// acceleration.
struct ReplicateInterval {
  Interval interval;
  BootstrapMethod method = BootstrapMethod::kBca;  // the one that was used
};
ReplicateInterval IntervalOfReplicates(std::vector<double> replicates, double estimate,
                                       std::span<const double> influence,
                                       const BootstrapOptions& options);

}  // namespace realward

#endif  // REALWARD_EVALUATE_BOOTSTRAP_H_
