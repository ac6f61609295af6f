// Local polynomials through samples at uneven times: the state of a joint at a time. Savitzky &
// Golay, "Smoothing and differentiation of data by simplified least squares procedures", Analytical
// Chemistry 1964, here solved for the stamps as they are.
#ifndef REALWARD_LOGS_SMOOTH_H_
#define REALWARD_LOGS_SMOOTH_H_

#include <optional>
#include <span>

#include "base/result.h"

namespace realward {

struct SmoothOptions {
  double half_width_s =
      0.025;            // samples within this of the time count (causal: within twice, before)
  int degree = 2;       // of the polynomial, 0 to 5; lowered when there are too few samples
  bool causal = false;  // only samples at or before the time, as a controller would have
};

// Position and velocity at a time, in the channels' units, with their standard deviations by the
// scatter about the polynomial (0 when it passes through every sample).
struct JointEstimate {
  double position = 0.0;
  double velocity = 0.0;
  double position_sigma = 0.0;
  double velocity_sigma = 0.0;
  std::size_t samples = 0;
};

// Estimates from position samples alone (velocities empty), or from both: the polynomial's
// derivative then fits the velocities too, weighted by the ratio of the sigmas. time_s increasing;
// non-finite samples are left out. When fewer than degree + 1 samples lie in the window, the
// nearest ones are taken. Errors: fewer than two usable samples (or, causal, none at or before the
// time). Thread-safe.
Result<JointEstimate> EstimateJoint(std::span<const double> time_s,
                                    std::span<const double> positions,
                                    std::span<const double> velocities, double at,
                                    const SmoothOptions& options = {}, double position_sigma = 1.0,
                                    double velocity_sigma = 1.0);

}  // namespace realward

#endif  // REALWARD_LOGS_SMOOTH_H_
