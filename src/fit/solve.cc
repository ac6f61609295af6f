#include "fit/solve.h"

#include <ceres/ceres.h>

#include <algorithm>

#include "fit/segments.h"

namespace realward {
namespace {

// The unknowns of a problem and what was computed at them. Ceres writes the point into `scaled` and
// `states` and then asks for an evaluation; cost functions copy their blocks out.
class Point : public ceres::EvaluationCallback {
 public:
  explicit Point(ShootingProblem& problem)
      : problem_(problem), states_(problem.segments().size(), problem.state_size()) {}

  void PrepareForEvaluation(bool with_derivatives, bool is_new_point) override {
    if (!is_new_point && (has_derivatives_ || !with_derivatives) && evaluated_) return;
    has_derivatives_ = with_derivatives;
    Update(with_derivatives ? Derivatives::kForward : Derivatives::kNone);
  }
  void Update(Derivatives derivatives) {
    status_ = problem_.Evaluate(scaled_, states_.view(), derivatives, evaluation_);
    diverged_ += evaluation_.diverged;
    evaluated_ = true;
  }

  ShootingProblem& problem() { return problem_; }
  std::vector<double>& scaled() { return scaled_; }
  Matrix<double>& states() { return states_; }
  const Evaluation& evaluation() const { return evaluation_; }
  const Status& status() const { return status_; }
  int diverged() const { return diverged_; }

 private:
  ShootingProblem& problem_;
  std::vector<double> scaled_;
  Matrix<double> states_;
  Evaluation evaluation_;
  Status status_;
  bool evaluated_ = false;
  bool has_derivatives_ = false;
  int diverged_ = 0;
};

void CopyOut(const Matrix<double>& from, double* to) {
  if (to != nullptr) std::copy(from.values().begin(), from.values().end(), to);
}

// Residuals of one segment. Parameter blocks: scaled parameters, start state.
class MeasurementCost : public ceres::CostFunction {
 public:
  MeasurementCost(const Point& point, ShootingProblem& problem, std::size_t segment)
      : point_(point), segment_(segment) {
    set_num_residuals(static_cast<int>(problem.MeasurementRows(segment)));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.fitted().size()));
    mutable_parameter_block_sizes()->push_back(problem.state_size());
  }
  bool Evaluate(double const* const*, double* residuals, double** jacobians) const override {
    if (!point_.status().ok()) return false;
    const MeasurementBlock& block = point_.evaluation().measurements[segment_];
    std::copy(block.y.begin(), block.y.end(), residuals);
    if (jacobians == nullptr) return true;
    CopyOut(block.d_global, jacobians[0]);
    CopyOut(block.d_state, jacobians[1]);
    return true;
  }

 private:
  const Point& point_;
  std::size_t segment_;
};

// Continuity of one segment with the next. Blocks: scaled parameters, start state, next start.
class DefectCost : public ceres::CostFunction {
 public:
  DefectCost(const Point& point, ShootingProblem& problem, std::size_t segment)
      : point_(point), problem_(problem), segment_(segment) {
    set_num_residuals(problem.state_size());
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.fitted().size()));
    mutable_parameter_block_sizes()->push_back(problem.state_size());
    mutable_parameter_block_sizes()->push_back(problem.state_size());
  }
  bool Evaluate(double const* const*, double* residuals, double** jacobians) const override {
    if (!point_.status().ok()) return false;
    const DefectBlock& block = point_.evaluation().defects[segment_];
    std::copy(block.r.begin(), block.r.end(), residuals);
    if (jacobians == nullptr) return true;
    CopyOut(block.d_global, jacobians[0]);
    CopyOut(block.d_state, jacobians[1]);
    if (jacobians[2] != nullptr) {
      const int n = problem_.state_size();
      std::fill_n(jacobians[2], n * n, 0.0);
      for (int i = 0; i < n; ++i) jacobians[2][i * n + i] = -1.0 / problem_.DefectScale(i);
    }
    return true;
  }

 private:
  const Point& point_;
  const ShootingProblem& problem_;
  std::size_t segment_;
};

constexpr int kStepsToLeave = 2;  // a bound, before a parameter is held there

// Reports each iteration, and ends the solve when the user stops it or when a free parameter has
// come to a bound, so that it can be held there. One that begins on a bound has some steps to leave
// it.
class Reporter : public ceres::IterationCallback {
 public:
  Reporter(const std::atomic<bool>& stop, const FitCallback& progress, FitProgress state)
      : stop_(stop), progress_(progress), state_(state) {}
  void Watch(const std::vector<double>& scaled, const std::vector<int>& held) {
    is_held_.assign(scaled.size(), false);
    for (int j : held) is_held_[j] = true;
    scaled_ = &scaled;
    patience_.clear();
    for (double x : scaled) patience_.push_back(IsOnBound(x) ? kStepsToLeave : 0);
  }
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (summary.iteration > 0) {
      ++state_.iteration;
      state_.cost = summary.step_is_successful ? summary.cost : state_.cost;
      if (progress_) progress_(state_);
    } else {
      state_.cost = summary.cost;
    }
    if (stop_) return ceres::SOLVER_ABORT;
    if (summary.iteration > 0 && summary.step_is_successful && HasNewOnBound()) {
      return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
    }
    return ceres::SOLVER_CONTINUE;
  }
  int iteration() const { return state_.iteration; }

 private:
  static bool IsOnBound(double x) { return x <= 0.0 || x >= 1.0; }
  bool HasNewOnBound() {
    bool is_new = false;
    for (std::size_t j = 0; j < scaled_->size(); ++j) {
      if (is_held_[j]) continue;
      if (!IsOnBound((*scaled_)[j])) {
        patience_[j] = 0;
      } else if (patience_[j]-- <= 0) {
        is_new = true;
      }
    }
    return is_new;
  }

  const std::atomic<bool>& stop_;
  const FitCallback& progress_;
  FitProgress state_;
  const std::vector<double>* scaled_ = nullptr;
  std::vector<int> patience_;  // steps left to leave a bound
  std::vector<bool> is_held_;
};

void GuessStates(ShootingProblem& problem, std::span<const double> scaled, Matrix<double>& states) {
  Shooter& shooter = problem.shooter();
  const std::vector<double> full = problem.FullParameters(scaled);
  shooter.SetWorlds({full.data(), 1, full.size()});
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const Segment& segment = problem.segments()[s];
    const std::vector<double> guess =
        GuessState(shooter, segment.log, segment.begin, shooter.channel_settings(0));
    std::copy(guess.begin(), guess.end(), states.row(s).begin());
  }
}

void BuildProblem(Point& point, ceres::Problem& ceres_problem) {
  ShootingProblem& problem = point.problem();
  double* global = point.scaled().data();
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    double* state = point.states().row(s).data();
    if (problem.MeasurementRows(s) > 0) {
      ceres_problem.AddResidualBlock(new MeasurementCost(point, problem, s), nullptr, global,
                                     state);
    }
    if (problem.IsContinued(s)) {
      ceres_problem.AddResidualBlock(new DefectCost(point, problem, s), nullptr, global, state,
                                     point.states().row(s + 1).data());
    }
  }
  for (std::size_t j = 0; j < point.scaled().size(); ++j) {
    ceres_problem.SetParameterLowerBound(global, static_cast<int>(j), 0.0);
    ceres_problem.SetParameterUpperBound(global, static_cast<int>(j), 1.0);
  }
}

ceres::Solver::Options SolverOptions(int max_iterations, Reporter& reporter) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = max_iterations;
  options.function_tolerance = 1e-6;  // far below one sigma of any parameter
  options.parameter_tolerance = 1e-7;
  options.gradient_tolerance = 1e-12;
  options.num_threads = 1;  // the simulations are what takes time, and they have their own threads
  options.logging_type = ceres::SILENT;
  options.line_search_interpolation_type = ceres::BISECTION;  // needs no derivatives
  options.update_state_every_iteration = true;                // the reporter looks at the point
  options.callbacks.push_back(&reporter);
  return options;
}

// Parameters to hold: on a bound, with the cost falling only outwards.
std::vector<int> HeldOnBounds(const Point& point, std::span<const double> scaled) {
  std::vector<int> held;
  for (std::size_t j = 0; j < scaled.size(); ++j) {
    if (scaled[j] > 0.0 && scaled[j] < 1.0) continue;
    double gradient = 0.0;
    for (const MeasurementBlock& block : point.evaluation().measurements) {
      for (std::size_t k = 0; k < block.y.size(); ++k)
        gradient += block.d_global(k, j) * block.y[k];
    }
    for (const DefectBlock& block : point.evaluation().defects) {
      for (std::size_t k = 0; k < block.r.size(); ++k)
        gradient += block.d_global(k, j) * block.r[k];
    }
    const bool falls_outwards = scaled[j] <= 0.0 ? gradient > 0.0 : gradient < 0.0;
    if (falls_outwards) held.push_back(static_cast<int>(j));
  }
  return held;
}

}  // namespace

Result<Solution> Solve(ShootingProblem& problem, std::vector<double> start,
                       const FitProgress& place, const std::atomic<bool>& stop,
                       const FitCallback& progress) {
  Reporter reporter(stop, progress, place);
  const int max_iterations = place.max_iterations;
  Point point(problem);
  point.scaled() = std::move(start);
  GuessStates(problem, point.scaled(), point.states());
  ceres::Problem::Options options;
  options.evaluation_callback = &point;
  ceres::Problem ceres_problem(options);
  BuildProblem(point, ceres_problem);
  double* global = point.scaled().data();
  const int n = static_cast<int>(problem.fitted().size());
  Solution solution;
  std::vector<int> held;
  const int most_solves = 10 + 4 * n;  // a solve may end at once; bounds could then take turns
  for (int solve = 0; solve < most_solves && reporter.iteration() < max_iterations; ++solve) {
    if (static_cast<int>(held.size()) == n) {
      ceres_problem.SetParameterBlockConstant(global);
    } else {
      ceres_problem.SetParameterBlockVariable(global);
      ceres_problem.SetManifold(global,
                                held.empty() ? nullptr : new ceres::SubsetManifold(n, held));
    }
    reporter.Watch(point.scaled(), held);
    ceres::Solver::Summary summary;
    ceres::Solve(SolverOptions(max_iterations - reporter.iteration(), reporter), &ceres_problem,
                 &summary);
    RW_TRY(point.status());
    if (stop) return Interrupted("the fit was stopped; it keeps no checkpoint and starts again");
    point.Update(Derivatives::kForward);
    RW_TRY(point.status());
    std::vector<int> next = HeldOnBounds(point, point.scaled());
    solution.converged = next == held && summary.termination_type == ceres::CONVERGENCE;
    if (solution.converged || summary.termination_type == ceres::FAILURE) break;
    held = std::move(next);
  }
  solution.scaled = point.scaled();
  solution.states = point.states();
  solution.cost = point.evaluation().Cost();
  solution.iterations = reporter.iteration();
  solution.diverged = point.diverged();
  return solution;
}

}  // namespace realward
