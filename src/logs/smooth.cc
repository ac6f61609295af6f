#include "logs/smooth.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace realward {
namespace {

// Indices of the usable samples in the window, or of the nearest ones when those are too few.
std::vector<std::size_t> Window(std::span<const double> time_s, std::span<const double> positions,
                                double at, const SmoothOptions& options) {
  const std::size_t enough = static_cast<std::size_t>(options.degree) + 1;
  const double before = options.causal ? 2.0 * options.half_width_s : options.half_width_s;
  const double after = options.causal ? 0.0 : options.half_width_s;
  const auto usable = [&](std::size_t i) { return std::isfinite(positions[i]); };
  std::size_t right =
      static_cast<std::size_t>(std::upper_bound(time_s.begin(), time_s.end(), at) - time_s.begin());
  std::size_t left = right;  // [left, right) is the window so far
  std::vector<std::size_t> chosen;
  while (true) {
    const bool can_left = left > 0, can_right = !options.causal && right < time_s.size();
    if (!can_left && !can_right) break;
    const double to_left = can_left ? at - time_s[left - 1] : INFINITY;
    const double to_right = can_right ? time_s[right] - at : INFINITY;
    const bool take_left = to_left <= to_right;
    const bool inside = take_left ? to_left <= before : to_right <= after;
    if (!inside && chosen.size() >= enough) break;
    const std::size_t index = take_left ? --left : right++;
    if (usable(index)) chosen.push_back(index);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

Result<JointEstimate> EstimateJoint(std::span<const double> time_s,
                                    std::span<const double> positions,
                                    std::span<const double> velocities, double at,
                                    const SmoothOptions& options, double position_sigma,
                                    double velocity_sigma) {
  RW_CHECK(positions.size() == time_s.size());
  RW_CHECK(velocities.empty() || velocities.size() == time_s.size());
  RW_CHECK(options.degree >= 0 && options.degree <= 5 && position_sigma > 0 && velocity_sigma > 0);
  const auto chosen = Window(time_s, positions, at, options);
  if (chosen.size() < 2) {
    return InvalidInput(
        fmt::format("{} usable sample(s) {} {} s; 2 are needed to estimate a velocity",
                    chosen.size(), options.causal ? "at or before" : "around", at));
  }
  const int degree = std::min(options.degree, static_cast<int>(chosen.size()) - 1);
  double scale = 0.0;  // of time, so that powers stay near 1
  for (const std::size_t i : chosen) scale = std::max(scale, std::abs(time_s[i] - at));
  std::vector<std::size_t> with_velocity;
  for (const std::size_t i : chosen) {
    if (!velocities.empty() && std::isfinite(velocities[i])) with_velocity.push_back(i);
  }
  const auto rows = static_cast<Eigen::Index>(chosen.size() + with_velocity.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows, degree + 1);
  Eigen::VectorXd b(rows);
  Eigen::Index row = 0;
  for (const std::size_t i : chosen) {
    const double x = (time_s[i] - at) / scale;
    double power = 1.0 / position_sigma;
    for (int d = 0; d <= degree; ++d, power *= x) a(row, d) = power;
    b(row++) = positions[i] / position_sigma;
  }
  for (const std::size_t i : with_velocity) {
    const double x = (time_s[i] - at) / scale;
    double power = 1.0 / (velocity_sigma * scale);
    for (int d = 1; d <= degree; ++d, power *= x) a(row, d) = d * power;
    b(row++) = velocities[i] / velocity_sigma;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  const Eigen::VectorXd solution = qr.solve(b);
  JointEstimate estimate;
  estimate.samples = chosen.size();
  estimate.position = solution(0);
  estimate.velocity = degree > 0 ? solution(1) / scale : 0.0;
  if (rows > degree + 1) {
    const double variance =
        (a * solution - b).squaredNorm() / static_cast<double>(rows - degree - 1);
    const Eigen::MatrixXd covariance =
        variance *
        (a.transpose() * a).ldlt().solve(Eigen::MatrixXd::Identity(degree + 1, degree + 1));
    estimate.position_sigma = std::sqrt(std::max(covariance(0, 0), 0.0));
    if (degree > 0) estimate.velocity_sigma = std::sqrt(std::max(covariance(1, 1), 0.0)) / scale;
  }
  return estimate;
}

}  // namespace realward
