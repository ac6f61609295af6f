// What the data says about fitted parameters at the optimum: covariance, bounds, and directions
// that the data does not determine.
#ifndef REALWARD_FIT_UNCERTAINTY_H_
#define REALWARD_FIT_UNCERTAINTY_H_

#include <span>
#include <string>
#include <vector>

#include "fit/problem.h"

namespace realward {

enum class BoundState { kInside, kAtLow, kAtHigh };

// A combination of parameters, in units of their bounds, along which the data leaves more than
// kDeterminedShare of the prior's spread.
struct Direction {
  std::vector<std::string> parameters;  // those with a weight of 0.25 or more, largest first
  std::vector<double> weights;          // of the unit vector; the first is positive
  double spread = 0.0;                  // posterior over prior standard deviation along it
  std::string text;                     // "a and b together (+0.71, -0.71)"
};

// All in bound-scaled coordinates: 0 the lower, 1 the upper bound.
struct Uncertainty {
  std::vector<double> sd;     // of each fitted parameter; at a bound: see AtBoundSpread
  Matrix<double> covariance;  // zero rows and columns at bounds, except the diagonal
  std::vector<BoundState> bound;
  std::vector<bool> determined;         // sd < kDeterminedShare · that of the uniform prior
  std::vector<Direction> undetermined;  // of parameters inside their bounds
  double dispersion = 0.0;              // Σ y² / degrees of freedom: 1 if the sigmas are right
  int clusters = 0;                     // blocks of residuals that the covariance treats as units
};

// A parameter counts as determined when its posterior standard deviation is below this share of
// that of a uniform distribution over its bounds.
inline constexpr double kDeterminedShare = 0.25;

// `evaluation` holds derivatives at (scaled, states), the optimum.
//
// Covariance: sandwich A⁻¹ B A⁻¹, with start states marginalised by the Schur complement. B sums
// the scores of clusters, which residuals within a segment need because they are correlated. With
// many segments (4 per parameter or more) a cluster is a segment (Liang & Zeger 1986); with fewer,
// segments are cut into blocks and B is the Bartlett-weighted sum over lags up to one segment
// (Newey & West 1987). Times S/(S − 1) for S segments. No standard deviation is below that of
// independent residuals. The uniform prior enters with its precision, 12 per squared range, so that
// a direction without data has the prior's spread and nothing is singular.
//
// At a bound: the parameter is excluded from the covariance of the others. Along the inward
// direction the cost rises as g δ + ½ a δ²; sd is that of the half-normal with the same mean.
Uncertainty Assess(const ShootingProblem& problem, std::span<const double> scaled,
                   const Evaluation& evaluation, const std::vector<std::string>& names);

// Standard deviation s of the half-normal with the mean of the density ∝ exp(−(g δ + ½ a δ²)), δ ≥
// 0; g ≥ 0, a > 0.
double HalfNormalSpread(double g, double a);

}  // namespace realward

#endif  // REALWARD_FIT_UNCERTAINTY_H_
