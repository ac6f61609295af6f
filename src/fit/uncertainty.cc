#include "fit/uncertainty.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace realward {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor>;

constexpr double kPriorPrecision = 12.0;   // of a uniform distribution over [0, 1]
constexpr double kOnBound = 1e-6;          // scaled distance that counts as on the bound
constexpr double kLeastDispersion = 1e-6;  // noise-free data; keeps the prior's share positive
constexpr double kNamedWeight = 0.25;      // smaller components of a direction are not named
constexpr std::size_t kClustersPerParameter = 4;

ConstMap View(const Matrix<double>& m) {
  return {m.values().data(), static_cast<Eigen::Index>(m.rows()),
          static_cast<Eigen::Index>(m.cols())};
}

// The normal equations with start states marginalised, and what maps scores to marginal scores.
struct Marginal {
  MatrixXd information;  // A: n × n
  MatrixXd elimination;  // W = H_xx⁻¹ H_xp: states × n
};

// Adds a defect's share, which couples a segment's start state with the next one's.
void AddDefect(const ShootingProblem& problem, const DefectBlock& block, std::size_t s,
               MatrixXd& h_pp, MatrixXd& h_xp, std::vector<Eigen::Triplet<double>>& h_xx) {
  const Eigen::Index nx = problem.state_size();
  const ConstMap jp = View(block.d_global);
  MatrixXd jx(nx, 2 * nx);
  jx.leftCols(nx) = View(block.d_state);
  jx.rightCols(nx).setZero();
  for (Eigen::Index i = 0; i < nx; ++i)
    jx(i, nx + i) = -1.0 / problem.DefectScale(static_cast<int>(i));
  h_pp += jp.transpose() * jp;
  h_xp.middleRows(s * nx, 2 * nx) += jx.transpose() * jp;
  const MatrixXd square = jx.transpose() * jx;
  for (Eigen::Index i = 0; i < 2 * nx; ++i) {
    for (Eigen::Index j = 0; j < 2 * nx; ++j)
      h_xx.emplace_back(s * nx + i, s * nx + j, square(i, j));
  }
}

Marginal Marginalise(const ShootingProblem& problem, const Evaluation& evaluation) {
  const auto n = static_cast<Eigen::Index>(problem.fitted().size());
  const Eigen::Index nx = problem.state_size();
  const auto segments = static_cast<Eigen::Index>(problem.segments().size());
  MatrixXd h_pp = MatrixXd::Zero(n, n);
  MatrixXd h_xp = MatrixXd::Zero(segments * nx, n);
  std::vector<Eigen::Triplet<double>> h_xx;
  for (Eigen::Index s = 0; s < segments; ++s) {
    const ConstMap jp = View(evaluation.measurements[s].d_global);
    const ConstMap jx = View(evaluation.measurements[s].d_state);
    h_pp += jp.transpose() * jp;
    h_xp.middleRows(s * nx, nx) += jx.transpose() * jp;
    const MatrixXd square = jx.transpose() * jx;
    for (Eigen::Index i = 0; i < nx; ++i) {
      for (Eigen::Index j = 0; j < nx; ++j) h_xx.emplace_back(s * nx + i, s * nx + j, square(i, j));
    }
    if (!evaluation.defects[s].r.empty())
      AddDefect(problem, evaluation.defects[s], s, h_pp, h_xp, h_xx);
  }
  for (Eigen::Index i = 0; i < segments * nx; ++i) {
    h_xx.emplace_back(i, i, 1e-9);  // a state that nothing shows
  }
  Eigen::SparseMatrix<double> states(segments * nx, segments * nx);
  states.setFromTriplets(h_xx.begin(), h_xx.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(states);
  Marginal marginal;
  marginal.elimination = factor.solve(h_xp);
  marginal.information = h_pp - h_xp.transpose() * marginal.elimination;
  marginal.information = 0.5 * (marginal.information + marginal.information.transpose().eval());
  return marginal;
}

// Marginal scores of clusters in time order: one row each. `parts` clusters per segment; a defect
// belongs to the last one.
MatrixXd ClusterScores(const ShootingProblem& problem, const Evaluation& evaluation,
                       const Marginal& marginal, std::size_t parts) {
  const auto n = static_cast<Eigen::Index>(problem.fitted().size());
  const Eigen::Index nx = problem.state_size();
  const std::size_t segments = problem.segments().size();
  MatrixXd scores = MatrixXd::Zero(segments * parts, n);
  for (std::size_t s = 0; s < segments; ++s) {
    const MeasurementBlock& block = evaluation.measurements[s];
    const std::size_t rows = block.y.size();
    const MatrixXd own = marginal.elimination.middleRows(s * nx, nx);
    for (std::size_t part = 0; part < parts; ++part) {
      const Eigen::Index first = rows * part / parts;
      const Eigen::Index count = rows * (part + 1) / parts - first;
      const Eigen::Map<const VectorXd> y(block.y.data() + first, count);
      scores.row(s * parts + part) =
          View(block.d_global).middleRows(first, count).transpose() * y -
          own.transpose() * (View(block.d_state).middleRows(first, count).transpose() * y);
    }
    const DefectBlock& defect = evaluation.defects[s];
    if (defect.r.empty()) continue;
    const Eigen::Map<const VectorXd> r(defect.r.data(), nx);
    VectorXd at_next(nx);
    for (Eigen::Index i = 0; i < nx; ++i)
      at_next[i] = -r[i] / problem.DefectScale(static_cast<int>(i));
    const VectorXd score = View(defect.d_global).transpose() * r -
                           own.transpose() * (View(defect.d_state).transpose() * r) -
                           marginal.elimination.middleRows((s + 1) * nx, nx).transpose() * at_next;
    scores.row(s * parts + parts - 1) += score.transpose();
  }
  return scores;
}

// B: sum of the outer products of centred scores, Bartlett-weighted over lags below `parts`.
MatrixXd Meat(const ShootingProblem& problem, MatrixXd scores, std::size_t parts) {
  scores.rowwise() -= scores.colwise().mean().eval();
  MatrixXd meat = scores.transpose() * scores;
  const auto rows = static_cast<std::size_t>(scores.rows());
  for (std::size_t lag = 1; parts > 1 && lag < parts; ++lag) {
    const double weight = 1.0 - static_cast<double>(lag) / static_cast<double>(parts);
    for (std::size_t i = 0; i + lag < rows; ++i) {
      if (problem.segments()[i / parts].log != problem.segments()[(i + lag) / parts].log) continue;
      const MatrixXd cross = scores.row(i).transpose() * scores.row(i + lag);
      meat += weight * (cross + cross.transpose());
    }
  }
  const double units = static_cast<double>(parts > 1 ? rows / parts : rows);
  return units > 1.0 ? meat * (units / (units - 1.0)) : meat;
}

MatrixXd Pick(const MatrixXd& matrix, const std::vector<int>& rows, const std::vector<int>& cols) {
  MatrixXd picked(rows.size(), cols.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < cols.size(); ++j) picked(i, j) = matrix(rows[i], cols[j]);
  }
  return picked;
}

// Sandwich with the prior's share, widened where independent residuals would give more.
MatrixXd FreeCovariance(const MatrixXd& a, const MatrixXd& b, double dispersion) {
  const MatrixXd identity = MatrixXd::Identity(a.rows(), a.cols());
  const MatrixXd bread = (a + kPriorPrecision * dispersion * identity).inverse();
  const MatrixXd prior = kPriorPrecision * dispersion * dispersion * identity;
  const MatrixXd sandwich = bread * (b + prior) * bread;
  const MatrixXd independent = bread * (dispersion * a + prior) * bread;
  const double prior_sd = 1.0 / std::sqrt(kPriorPrecision);
  VectorXd scale(a.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double own = std::sqrt(sandwich(i, i));
    const double least = std::sqrt(independent(i, i));
    scale[i] = std::min(std::max(own, least), prior_sd) / own;
  }
  return scale.asDiagonal() * sandwich * scale.asDiagonal();
}

std::string Describe(const Direction& direction) {
  if (direction.parameters.size() == 1) return direction.parameters[0];
  std::vector<std::string> weights;
  for (double w : direction.weights) weights.push_back(fmt::format("{:+.2f}", w));
  std::vector<std::string> names(direction.parameters.begin(), direction.parameters.end() - 1);
  return fmt::format("{} and {} together ({})", fmt::join(names, ", "), direction.parameters.back(),
                     fmt::join(weights, ", "));
}

std::vector<Direction> UndeterminedDirections(const MatrixXd& information,
                                              const MatrixXd& covariance,
                                              const std::vector<std::string>& names) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(information);  // least known first
  std::vector<Direction> directions;
  for (Eigen::Index k = 0; k < information.cols(); ++k) {
    VectorXd v = eigen.eigenvectors().col(k);
    Direction direction;
    direction.spread = std::sqrt(v.dot(covariance * v) * kPriorPrecision);
    if (!(direction.spread >= kDeterminedShare)) continue;
    std::vector<int> order(v.size());
    std::iota(order.begin(), order.end(), 0);
    // Equal weights keep the spec's order whatever the rounding.
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
      return std::round(std::abs(v[i]) * 1e3) > std::round(std::abs(v[j]) * 1e3);
    });
    if (v[order[0]] < 0.0) v = -v;
    for (int i : order) {
      if (std::abs(v[i]) < kNamedWeight) break;
      direction.parameters.push_back(names[i]);
      direction.weights.push_back(v[i]);
    }
    direction.text = Describe(direction);
    directions.push_back(std::move(direction));
  }
  return directions;
}

}  // namespace

double HalfNormalSpread(double g, double a) {
  // The density is a normal of mean −g/a truncated to δ ≥ 0; its mean is s (hazard(z) − z).
  const double s = 1.0 / std::sqrt(a);
  const double z = g * s;
  double mean;
  if (z > 20.0) {
    mean = s / z * (1.0 - 2.0 / (z * z));  // hazard(z) − z = 1/z − 2/z³ + …
  } else {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    mean = s * (density / (0.5 * std::erfc(z / std::numbers::sqrt2)) - z);
  }
  return mean * std::sqrt(0.5 * std::numbers::pi);
}

Uncertainty Assess(const ShootingProblem& problem, std::span<const double> scaled,
                   const Evaluation& evaluation, const std::vector<std::string>& names) {
  const std::size_t n = problem.fitted().size();
  const std::size_t segments = problem.segments().size();
  const Marginal marginal = Marginalise(problem, evaluation);
  const std::size_t wanted = kClustersPerParameter * n;
  const std::size_t parts = segments >= wanted ? 1 : (wanted + segments - 1) / segments;
  const MatrixXd scores = ClusterScores(problem, evaluation, marginal, parts);
  const VectorXd gradient = scores.colwise().sum();
  const MatrixXd meat = Meat(problem, scores, parts);

  Uncertainty result;
  std::size_t rows = 0;
  for (std::size_t s = 0; s < segments; ++s)
    rows += evaluation.measurements[s].y.size() + evaluation.defects[s].r.size();
  const std::size_t unknowns = n + segments * problem.state_size();
  const auto freedom = static_cast<double>(rows > unknowns ? rows - unknowns : 1);
  result.dispersion = std::max(2.0 * evaluation.Cost() / freedom, kLeastDispersion);
  result.clusters = static_cast<int>(scores.rows());
  result.sd.resize(n);
  result.covariance = Matrix<double>(n, n);
  std::vector<int> free;
  std::vector<std::string> free_names;
  for (std::size_t j = 0; j < n; ++j) {
    BoundState bound = BoundState::kInside;
    if (scaled[j] < kOnBound && gradient[j] > 0.0) bound = BoundState::kAtLow;
    if (scaled[j] > 1.0 - kOnBound && gradient[j] < 0.0) bound = BoundState::kAtHigh;
    result.bound.push_back(bound);
    if (bound != BoundState::kInside) continue;
    free.push_back(static_cast<int>(j));
    free_names.push_back(names[j]);
  }
  const MatrixXd& a = marginal.information;
  const MatrixXd a_free = Pick(a, free, free);
  MatrixXd covariance(0, 0);
  if (!free.empty()) {
    covariance = FreeCovariance(a_free, Pick(meat, free, free), result.dispersion);
    result.undetermined = UndeterminedDirections(a_free, covariance, free_names);
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    result.sd[free[i]] = std::sqrt(covariance(i, i));
    for (std::size_t j = 0; j < free.size(); ++j)
      result.covariance(free[i], free[j]) = covariance(i, j);
  }
  const double prior_sd = 1.0 / std::sqrt(kPriorPrecision);
  for (std::size_t j = 0; j < n; ++j) {
    if (result.bound[j] != BoundState::kInside) {
      double curvature = a(j, j);
      if (!free.empty()) {
        const MatrixXd cross = Pick(a, free, {static_cast<int>(j)});
        const MatrixXd m = a_free + kPriorPrecision * result.dispersion *
                                        MatrixXd::Identity(a_free.rows(), a_free.cols());
        curvature = std::max(0.0, curvature - (cross.transpose() * m.ldlt().solve(cross))(0, 0));
      }
      const double correlation = a(j, j) > 0.0 ? meat(j, j) / a(j, j) : 0.0;
      const double dispersion = std::max(result.dispersion, correlation);
      result.sd[j] = std::min(prior_sd, HalfNormalSpread(std::abs(gradient[j]) / dispersion,
                                                         curvature / dispersion + kPriorPrecision));
      result.covariance(j, j) = result.sd[j] * result.sd[j];
    }
    result.determined.push_back(result.sd[j] < kDeterminedShare * prior_sd);
  }
  return result;
}

}  // namespace realward
