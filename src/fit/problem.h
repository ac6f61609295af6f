// The multiple-shooting least-squares problem: residuals and Jacobians of all segments of all logs,
// from one batch of simulations per evaluation.
//
// Method: Bock, "Recent advances in parameter identification techniques for ODE", 1983 (multiple
// shooting); residuals are output errors with a pseudo-Huber loss (Hartley & Zisserman, Multiple
// View Geometry, A6.8), continuity is a soft constraint whose weight is the allowed process noise.
#ifndef REALWARD_FIT_PROBLEM_H_
#define REALWARD_FIT_PROBLEM_H_

#include <span>
#include <vector>

#include "fit/shooting.h"

namespace realward {

// Which residuals and how they are weighed. All sigmas > 0; infinity leaves a channel out.
struct Weights {
  std::vector<std::vector<double>> sigma;  // log × channel of the model; 0 where the log has none
  double position_defect = 0.0;            // allowed jump between segments, rad or m
  double velocity_defect = 0.0;            // rad/s or m/s
  double huber = 3.0;                      // > 0: sigmas beyond which a residual counts linearly
};

// One segment's measurement residuals y (sample-major, used channels in model order) and
// derivatives. y = k sign(r) √(2 (√(1 + (r/k)²) − 1)), r = (predicted − measured) / sigma, so that
// ½ y² is the pseudo-Huber loss. A value that was not recorded (NaN) has a row of zeros.
struct MeasurementBlock {
  std::vector<double> y;
  Matrix<double> d_global;  // rows × fitted parameters
  Matrix<double> d_state;   // rows × state
};

// Continuity between a segment and the next: (end − next start) / allowed jump. Its derivative by
// the next start is −1 / allowed jump on the diagonal.
struct DefectBlock {
  std::vector<double> r;
  Matrix<double> d_global;  // state × fitted parameters
  Matrix<double> d_state;   // state × state
};

// What an evaluation gives.
struct Evaluation {
  std::vector<MeasurementBlock> measurements;  // of each segment
  std::vector<DefectBlock> defects;            // of each segment; empty r where none follows
  int diverged = 0;                            // segments that left physics at this point
  double Cost() const;                         // ½ Σ y² + ½ Σ r²
};

// How derivatives are made. Forward differences cost half as much and steer an optimiser as well;
// central ones are what statistics are made of.
enum class Derivatives { kNone, kForward, kCentral };

// Fitted parameters are scaled to their bounds: 0 is the lower, 1 the upper. Not thread-safe.
class ShootingProblem {
 public:
  // Cuts the logs. `shooter` must outlive the problem. segment_length > 0, s.
  ShootingProblem(Shooter& shooter, Weights weights, double segment_length);

  const std::vector<Segment>& segments() const { return segments_; }
  const Weights& weights() const { return weights_; }
  bool IsContinued(std::size_t segment) const { return segments_[segment].is_continued; }
  // Indices (in the gap spec) of the parameters that have bounds.
  const std::vector<int>& fitted() const { return fitted_; }
  int state_size() const { return shooter_.state_size(); }
  std::size_t MeasurementRows(std::size_t segment) const;
  double DefectScale(int state) const;  // allowed jump of a state component
  Shooter& shooter() { return shooter_; }

  // Scaled ↔ SI. FullParameters gives a value for every parameter of the gap spec; those without
  // bounds stay at the centre of their distribution.
  std::vector<double> FullParameters(std::span<const double> scaled) const;
  std::vector<double> ScaledStart() const;
  // Scaled length of a prior range in SI: high − low.
  double Range(int fitted) const;

  // Residuals at a point, and derivatives if asked for: one-sided at a bound and where a perturbed
  // simulation diverges. states: segments × state. A diverged segment counts
  // kDivergedSigmas on every residual, with zero derivatives.
  Status Evaluate(std::span<const double> scaled, MatrixView<const double> states,
                  Derivatives derivatives, Evaluation& evaluation);

 private:
  struct Pair {  // shots above and below, and the distance between their arguments
    std::size_t above = 0, below = 0;
    double distance = 0.0;
  };
  void SetWorlds(std::span<const double> scaled, Derivatives derivatives);
  void AddShots(MatrixView<const double> states, Derivatives derivatives);
  std::size_t AddStateShot(std::size_t segment, std::span<const double> state, std::size_t moved,
                           double by);
  void FillResiduals(std::size_t segment, Evaluation& evaluation) const;
  void FillDerivatives(std::size_t segment, Evaluation& evaluation) const;
  void Difference(std::size_t segment, Pair pair, std::size_t column, Matrix<double>& d_y,
                  Matrix<double>& d_r) const;

  Shooter& shooter_;
  Weights weights_;
  std::vector<Segment> segments_;
  std::vector<int> fitted_;
  std::vector<std::vector<int>> used_;  // log → channels with residuals
  // Rebuilt by each evaluation.
  Matrix<double> worlds_;          // row 0: the point; then each fitted parameter above, and below
  std::vector<double> distances_;  // of each fitted parameter: between above and below
  std::vector<double> perturbed_states_;
  std::vector<Shot> shots_;
  std::vector<std::size_t> base_;         // of each segment: its unperturbed shot
  std::vector<std::vector<Pair>> pairs_;  // of each segment: fitted parameters, then state
  ShotResults results_;
};

// Residual of every sample of a diverged segment, in sigmas: far beyond any that a simulation in
// physics gives, and still a finite cost.
inline constexpr double kDivergedSigmas = 1e4;

}  // namespace realward

#endif  // REALWARD_FIT_PROBLEM_H_
