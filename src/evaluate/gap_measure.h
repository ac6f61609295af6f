// The reality gap of one measured quantity L (a loss, a return, a success indicator):
//   Δ        = E_real[L] − E_sim[L]
//   GapRatio = |E_real[L] − E_sim[L]| / |E_sim[L]|
// "Real" is the harder side: hardware, the virtual robot, another simulator, a held-out suite.
#ifndef REALWARD_EVALUATE_GAP_MEASURE_H_
#define REALWARD_EVALUATE_GAP_MEASURE_H_

#include <optional>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "evaluate/bootstrap.h"

namespace realward {

enum class Pairing {
  kUnpaired,  // independent samples
  kPaired,    // real[i] and sim[i] share world and initial state
};

// "unpaired", "paired".
std::string_view Name(Pairing pairing);

enum class GapRatioState {
  kMeasured,     // ratio and interval
  kNoInterval,   // too few values to say how far the ratio can be trusted: ratio only
  kSimNearZero,  // the interval of E_sim[L] holds 0: the ratio is shown, but any size is possible
  kUndefined,    // E_sim[L] is 0 (or so small that the ratio is not a number): neither
  kNotMeasured,  // a side has no value: neither
};

// "measured", "no interval", "simulated mean not distinguishable from 0", "undefined: simulated
// mean is 0", "not measured".
std::string_view Name(GapRatioState state);

struct GapRatio {
  GapRatioState state = GapRatioState::kNotMeasured;
  std::optional<double> ratio;
  // The interval of the signed ratio, folded at 0. Resampling the absolute value itself would
  // exclude 0 even where there is no gap.
  std::optional<Interval> interval;
};

struct GapMeasure {
  Pairing pairing = Pairing::kUnpaired;
  MeanEstimate real;
  MeanEstimate sim;
  MeanEstimate delta;  // real − sim
  GapRatio ratio;
};

// Errors: a value that is not finite; different lengths when paired; bad options.
Result<GapMeasure> MeasureGap(std::span<const double> real, std::span<const double> sim,
                              Pairing pairing, const BootstrapOptions& options, Stream& random);

// Absent numbers are null, beside the state that says why.
Json ToJson(const Interval& interval);
Json ToJson(const MeanEstimate& estimate);
Json ToJson(const GapMeasure& gap);

}  // namespace realward

#endif  // REALWARD_EVALUATE_GAP_MEASURE_H_
