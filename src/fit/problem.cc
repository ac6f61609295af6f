#include "fit/problem.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "fit/segments.h"

namespace realward {
namespace {

constexpr double kScaledStep = 1e-4;    // of a parameter's range
constexpr double kPositionStep = 1e-4;  // rad or m
constexpr double kVelocityStep = 1e-3;  // rad/s or m/s

// Pseudo-Huber as a residual, and its derivative.
struct Robust {
  double y;
  double slope;
};
Robust PseudoHuber(double r, double k) {
  const double x = r / k;
  const double s = std::sqrt(1.0 + x * x);
  // √(2 (s − 1)) without cancellation: s − 1 = x² / (s + 1).
  const double shrink = std::sqrt(2.0 / (s + 1.0));
  return {r * shrink, 1.0 / (s * shrink)};
}

}  // namespace

double Evaluation::Cost() const {
  double sum = 0.0;
  for (const MeasurementBlock& block : measurements) {
    for (double y : block.y) sum += y * y;
  }
  for (const DefectBlock& block : defects) {
    for (double r : block.r) sum += r * r;
  }
  return 0.5 * sum;
}

ShootingProblem::ShootingProblem(Shooter& shooter, Weights weights, double segment_length)
    : shooter_(shooter), weights_(std::move(weights)) {
  RW_CHECK(segment_length > 0.0 && weights_.huber > 0.0);
  for (std::size_t log = 0; log < shooter.logs().size(); ++log) {
    for (Segment& s : CutLog(shooter, static_cast<int>(log), segment_length))
      segments_.push_back(s);
    std::vector<int>& used = used_.emplace_back();
    for (std::size_t c = 0; c < shooter.channels().size(); ++c) {
      const double sigma = weights_.sigma[log][c];
      if (sigma > 0.0 && std::isfinite(sigma)) used.push_back(static_cast<int>(c));
    }
  }
  const std::vector<GapParameter>& parameters = shooter.plan().spec().parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].bound_low && parameters[p].bound_high) fitted_.push_back(static_cast<int>(p));
  }
}

std::size_t ShootingProblem::MeasurementRows(std::size_t segment) const {
  const Segment& s = segments_[segment];
  return (s.last - s.first) * used_[s.log].size();
}

double ShootingProblem::DefectScale(int state) const {
  return state < shooter_.model().nv ? weights_.position_defect : weights_.velocity_defect;
}

double ShootingProblem::Range(int fitted) const {
  const GapParameter& p = shooter_.plan().spec().parameters[fitted_[fitted]];
  return *p.bound_high - *p.bound_low;
}

std::vector<double> ShootingProblem::FullParameters(std::span<const double> scaled) const {
  const std::vector<GapParameter>& parameters = shooter_.plan().spec().parameters;
  std::vector<double> values;
  for (const GapParameter& p : parameters) values.push_back(Centre(p.distribution));
  for (std::size_t j = 0; j < fitted_.size(); ++j) {
    const GapParameter& p = parameters[fitted_[j]];
    values[fitted_[j]] = std::clamp(*p.bound_low + scaled[j] * (*p.bound_high - *p.bound_low),
                                    *p.bound_low, *p.bound_high);
  }
  return values;
}

std::vector<double> ShootingProblem::ScaledStart() const {
  std::vector<double> scaled;
  for (int index : fitted_) {
    const GapParameter& p = shooter_.plan().spec().parameters[index];
    scaled.push_back((Centre(p.distribution) - *p.bound_low) / (*p.bound_high - *p.bound_low));
  }
  return scaled;
}

void ShootingProblem::SetWorlds(std::span<const double> scaled, Derivatives derivatives) {
  const std::size_t n = derivatives == Derivatives::kNone ? 0 : fitted_.size();
  worlds_ = Matrix<double>(1 + 2 * n, shooter_.plan().parameter_count());
  distances_.assign(n, 0.0);
  const auto set_row = [&](std::size_t row, std::span<const double> point) {
    const std::vector<double> full = FullParameters(point);
    std::copy(full.begin(), full.end(), worlds_.row(row).begin());
  };
  set_row(0, scaled);
  for (std::size_t j = 0; j < n; ++j) {
    // A forward step at the upper bound goes down; then the point itself is the one above.
    const double x = scaled[j];
    const bool is_central = derivatives == Derivatives::kCentral;
    const bool is_down = is_central || x + kScaledStep > 1.0;
    const bool is_up = is_central || !is_down;
    std::vector<double> point(scaled.begin(), scaled.end());
    point[j] = is_up ? std::min(x + kScaledStep, 1.0) : x;
    set_row(1 + 2 * j, point);
    distances_[j] = point[j];
    point[j] = is_down ? std::max(x - kScaledStep, 0.0) : x;
    set_row(2 + 2 * j, point);
    distances_[j] -= point[j];
  }
}

std::size_t ShootingProblem::AddStateShot(std::size_t segment, std::span<const double> state,
                                          std::size_t moved, double by) {
  const std::size_t at = perturbed_states_.size();  // reserved: no reallocation
  perturbed_states_.insert(perturbed_states_.end(), state.begin(), state.end());
  perturbed_states_[at + moved] += by;
  shots_.push_back({&segments_[segment], 0, {perturbed_states_.data() + at, state.size()}});
  return shots_.size() - 1;
}

void ShootingProblem::AddShots(MatrixView<const double> states, Derivatives derivatives) {
  const bool is_central = derivatives == Derivatives::kCentral;
  const std::size_t nx = states.cols();
  perturbed_states_.clear();
  perturbed_states_.reserve(segments_.size() * 2 * nx * nx);
  shots_.clear();
  base_.assign(segments_.size(), 0);
  pairs_.assign(segments_.size(), {});
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::size_t base = base_[s] = shots_.size();
    shots_.push_back({&segments_[s], 0, states.row(s)});
    if (derivatives == Derivatives::kNone) continue;
    for (std::size_t j = 0; j < fitted_.size(); ++j) {
      // A world that equals the point needs no shot of its own.
      const auto shot_of = [&](std::size_t world) {
        if (std::ranges::equal(worlds_.row(world), worlds_.row(0))) return base;
        shots_.push_back({&segments_[s], static_cast<int>(world), states.row(s)});
        return shots_.size() - 1;
      };
      const std::size_t above = shot_of(1 + 2 * j);
      pairs_[s].push_back({above, shot_of(2 + 2 * j), distances_[j]});
    }
    for (std::size_t i = 0; i < nx; ++i) {
      const double step = static_cast<int>(i) < shooter_.model().nv ? kPositionStep : kVelocityStep;
      const std::size_t above = AddStateShot(s, states.row(s), i, step);
      const std::size_t below = is_central ? AddStateShot(s, states.row(s), i, -step) : base;
      pairs_[s].push_back({above, below, is_central ? 2.0 * step : step});
    }
  }
}

Status ShootingProblem::Evaluate(std::span<const double> scaled, MatrixView<const double> states,
                                 Derivatives derivatives, Evaluation& evaluation) {
  RW_CHECK(scaled.size() == fitted_.size() && states.rows() == segments_.size());
  SetWorlds(scaled, derivatives);
  AddShots(states, derivatives);
  RW_TRY(shooter_.Simulate(worlds_.view(), shots_, results_));
  evaluation.measurements.resize(segments_.size());
  evaluation.defects.resize(segments_.size());
  evaluation.diverged = 0;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    evaluation.diverged += results_.diverged[base_[s]];
    FillResiduals(s, evaluation);
    if (derivatives != Derivatives::kNone) FillDerivatives(s, evaluation);
  }
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    DefectBlock& block = evaluation.defects[s];
    for (std::size_t i = 0; i < block.r.size(); ++i) {
      if (results_.diverged[base_[s]] != 0) {
        block.r[i] = kDivergedSigmas;
      } else {
        block.r[i] = (results_.end(base_[s], i) - states(s + 1, i)) / DefectScale(i);
      }
    }
  }
  return {};
}

void ShootingProblem::FillResiduals(std::size_t s, Evaluation& evaluation) const {
  const Segment& segment = segments_[s];
  const Log& log = shooter_.logs()[segment.log];
  const bool diverged = results_.diverged[base_[s]] != 0;
  const auto predicted = results_.Predicted(base_[s], segment, shooter_.channels().size());
  std::vector<double>& y = evaluation.measurements[s].y;
  y.clear();
  for (std::size_t k = segment.first; k < segment.last; ++k) {
    for (int c : used_[segment.log]) {
      const double measured = log.values(k, shooter_.column(segment.log, c));
      const double r =
          diverged ? kDivergedSigmas
                   : (predicted(k - segment.first, c) - measured) / weights_.sigma[segment.log][c];
      y.push_back(std::isfinite(measured) ? PseudoHuber(r, weights_.huber).y : 0.0);
    }
  }
  evaluation.defects[s].r.assign(IsContinued(s) ? state_size() : 0, 0.0);
}

void ShootingProblem::FillDerivatives(std::size_t s, Evaluation& evaluation) const {
  const std::size_t n = fitted_.size();
  const std::size_t nx = state_size();
  MeasurementBlock& measurement = evaluation.measurements[s];
  DefectBlock& defect = evaluation.defects[s];
  const std::size_t defect_rows = defect.r.size();
  measurement.d_global = Matrix<double>(measurement.y.size(), n);
  measurement.d_state = Matrix<double>(measurement.y.size(), nx);
  defect.d_global = Matrix<double>(defect_rows, n);
  defect.d_state = Matrix<double>(defect_rows, nx);
  if (results_.diverged[base_[s]] != 0) return;
  for (std::size_t j = 0; j < n; ++j) {
    Difference(s, pairs_[s][j], j, measurement.d_global, defect.d_global);
  }
  for (std::size_t i = 0; i < nx; ++i) {
    Difference(s, pairs_[s][n + i], i, measurement.d_state, defect.d_state);
  }
}

void ShootingProblem::Difference(std::size_t s, Pair pair, std::size_t column, Matrix<double>& d_y,
                                 Matrix<double>& d_r) const {
  const Segment& segment = segments_[s];
  const std::size_t channels = shooter_.channels().size();
  // A perturbed simulation that left physics is replaced by the unperturbed one: one-sided. Steps
  // are symmetric but for the last one before a bound, hence half the distance.
  for (std::size_t* shot : {&pair.above, &pair.below}) {
    if (results_.diverged[*shot] == 0) continue;
    *shot = base_[s];
    pair.distance *= 0.5;
  }
  if (pair.above == pair.below || pair.distance <= 0.0) return;
  const Log& log = shooter_.logs()[segment.log];
  const auto above = results_.Predicted(pair.above, segment, channels);
  const auto below = results_.Predicted(pair.below, segment, channels);
  const auto centre = results_.Predicted(base_[s], segment, channels);
  std::size_t row = 0;
  for (std::size_t k = 0; k < above.rows(); ++k) {
    for (int c : used_[segment.log]) {
      const double sigma = weights_.sigma[segment.log][c];
      const double measured = log.values(segment.first + k, shooter_.column(segment.log, c));
      const double slope =
          std::isfinite(measured)
              ? PseudoHuber((centre(k, c) - measured) / sigma, weights_.huber).slope
              : 0.0;
      d_y(row++, column) = slope * (above(k, c) - below(k, c)) / (sigma * pair.distance);
    }
  }
  for (std::size_t i = 0; i < d_r.rows(); ++i) {
    d_r(i, column) = (results_.end(pair.above, i) - results_.end(pair.below, i)) /
                     (DefectScale(static_cast<int>(i)) * pair.distance);
  }
}

}  // namespace realward
