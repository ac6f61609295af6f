// Minimises a multiple-shooting problem within its bounds (Ceres, Levenberg–Marquardt).
#ifndef REALWARD_FIT_SOLVE_H_
#define REALWARD_FIT_SOLVE_H_

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "fit/problem.h"

namespace realward {

struct FitProgress {
  int start = 0;  // 0-based, of `starts`
  int starts = 1;
  int iteration = 0;
  int max_iterations = 0;
  double cost = 0.0;
};
using FitCallback = std::function<void(const FitProgress&)>;

struct Solution {
  std::vector<double> scaled;  // parameters, 0 … 1 between their bounds
  Matrix<double> states;       // segments × state
  double cost = std::numeric_limits<double>::infinity();
  int iterations = 0;
  int diverged = 0;        // segments that left physics, over all evaluations
  bool converged = false;  // false: max_iterations ran out
};

// From a start in [0, 1] per parameter, with start states guessed from the logs. Ceres projects
// steps onto the bounds but does not know which of them are active, and then crawls. So this holds
// parameters that come to a bound, solves for the others, and lets go of those that the cost then
// pulls inwards, until nothing changes (an active-set method).
// place.max_iterations bounds all of it; `progress` is called once per iteration with `place`
// updated. Errors: interrupted when `stop` becomes true (looked at once per iteration); a batch
// that cannot be made. The same bits at any thread count of the shooter.
Result<Solution> Solve(ShootingProblem& problem, std::vector<double> start,
                       const FitProgress& place, const std::atomic<bool>& stop,
                       const FitCallback& progress);

}  // namespace realward

#endif  // REALWARD_FIT_SOLVE_H_
