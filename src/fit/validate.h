// Validation on logs that a fit never saw, and the physical quantities behind the parameters.
#ifndef REALWARD_FIT_VALIDATE_H_
#define REALWARD_FIT_VALIDATE_H_

#include <span>
#include <string>
#include <vector>

#include "base/view.h"
#include "fit/identify.h"

namespace realward {

// Free simulation of one log in windows of one length, with the data sheet's model (as compiled)
// and with the fitted one. Samples outside whole windows are left out.
struct WindowError {
  double window = 0.0;  // s
  bool is_whole_run = false;
  int windows = 0;
  std::vector<std::string> channels;  // those that the log has
  // RMS of predicted − measured over all samples of windows that stayed in physics, per channel.
  std::vector<double> datasheet_rms;
  std::vector<double> fitted_rms;
  int datasheet_diverged = 0;  // windows that left physics
  int fitted_diverged = 0;
  // For plotting: samples × channels at time_s; NaN where a window left physics.
  std::vector<double> time_s;
  Matrix<double> measured;
  Matrix<double> datasheet;
  Matrix<double> fitted;
};

struct LogValidation {
  std::string log;
  std::string hash;
  std::vector<WindowError> errors;  // one for each window length
};

// windows: lengths in s, 0 = the whole run; one longer than a log becomes the whole run, and
// lengths that come to the same are taken once. A window starts at the local quadratic fit of the
// measured positions around its begin (GuessState: ± 25 ms; one-sided at the log's first sample),
// so the error of a window is the model's and that of the start state, not an optimised start's.
Result<std::vector<LogValidation>> Validate(const mjModel& model, const GapSpec& gap,
                                            std::span<const double> values,
                                            std::span<const Log> logs,
                                            std::span<const double> windows, int threads);

// What one hinge joint feels, at the model's reference configuration.
struct JointQuantities {
  std::string joint;
  double inertia = 0.0;         // about the joint, kg·m² (dof_M0, with armature)
  double gravity_torque = 0.0;  // at 90° less at 0°: mass × centre × g of a pendulum, N·m
  // inertia · g / gravity_torque: of a point pendulum with the same swing, m; 0 without gravity
  // torque.
  double length = 0.0;
};
std::vector<JointQuantities> QuantitiesOf(const mjModel& model);

// The same for the data sheet and the estimate, with standard deviations by linear propagation of
// the covariance.
struct DerivedQuantity {
  JointQuantities datasheet;
  JointQuantities fitted;
  JointQuantities sd;
};
Result<std::vector<DerivedQuantity>> Derive(const mjModel& model, const GapSpec& gap,
                                            const Identification& identification);

}  // namespace realward

#endif  // REALWARD_FIT_VALIDATE_H_
