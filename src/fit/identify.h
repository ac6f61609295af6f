// Identification: the parameters of a gap spec from logs, by multiple-shooting least squares.
#ifndef REALWARD_FIT_IDENTIFY_H_
#define REALWARD_FIT_IDENTIFY_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fit/solve.h"
#include "fit/uncertainty.h"
#include "spec/loop.h"

namespace realward {

// One fitted parameter, SI.
struct ParameterEstimate {
  std::string name;
  std::string kind;
  std::string unit;  // "1" for scale; "" when only the target decides it
  double low = 0.0;  // bounds: the uniform prior
  double high = 0.0;
  double start = 0.0;
  double estimate = 0.0;
  double sd = 0.0;            // posterior; at a bound, of the half-normal that begins there
  double interval_low = 0.0;  // 95 %, inside the bounds
  double interval_high = 0.0;
  BoundState bound = BoundState::kInside;
  bool determined = false;
};

// How one channel of one fit log is explained.
struct ChannelFit {
  std::string log;
  std::string channel;
  double sigma = 0.0;  // used weight; infinite = ignored
  double rms = 0.0;  // of predicted − measured at the estimate, segments with fitted start states
};

struct Identification {
  std::vector<ParameterEstimate> parameters;  // those with bounds, in the spec's order
  Matrix<double> covariance;                  // SI, of those
  std::vector<Direction> undetermined;
  bool excited = false;  // false: the logs determine no parameter at all, estimates are the starts
  std::vector<ChannelFit> channels;
  double cost = 0.0;        // ½ Σ y²
  double dispersion = 0.0;  // 1 if the sigmas are right
  std::size_t residuals = 0;
  int segments = 0;
  int clusters = 0;
  int iterations = 0;
  int diverged = 0;                 // segments that left physics, over all evaluations
  std::vector<double> start_costs;  // final cost from each start; the smallest is taken
  bool converged = false;           // false: max_iterations ran out
  std::vector<double> values;       // every parameter of the gap spec at the estimate, SI
};

struct IdentifyInput {
  const mjModel* model = nullptr;
  GapSpec gap;
  FitSpec options;  // gap_path and validation_window are not used here
  std::span<const Log> logs;
  std::uint64_t seed = 1;  // of the random starts
  int threads = 1;
};

// Options, beyond what FitSpec says: a noise of 0 is estimated per log and channel (ChannelSigmas),
// an infinite one leaves the channels out; a defect of 0 is the largest position noise in use, and
// 20/s times the position defect. Starts after the first are uniform between the bounds.
// Errors: no parameter has bounds, what Shooter::Make refuses, all channels left out, and
// interrupted when `stop` becomes true (looked at once per iteration).
// The same bits at any thread count.
Result<Identification> Identify(const IdentifyInput& input, const std::atomic<bool>& stop,
                                const FitCallback& progress = {});

}  // namespace realward

#endif  // REALWARD_FIT_IDENTIFY_H_
