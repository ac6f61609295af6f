#include "logs/noise.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "logs/log_check.h"

namespace realward {
namespace {

constexpr double kMadToSigma = 1.4826;
constexpr std::size_t kSide = 3;

double Median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Residual of sample i from the quadratic through its neighbours, in units of white noise.
double Residual(std::span<const double> time_s, std::span<const double> values, std::size_t i) {
  const double scale = time_s[i + kSide] - time_s[i - kSide];
  Eigen::Matrix<double, 2 * kSide, 3> a = Eigen::Matrix<double, 2 * kSide, 3>::Zero();
  Eigen::Matrix<double, 2 * kSide, 1> y;
  Eigen::Index row = 0;
  for (std::size_t j = i - kSide; j <= i + kSide; ++j) {
    if (j == i) continue;
    const double x = (time_s[j] - time_s[i]) / scale;
    a.row(row) << 1.0, x, x * x;
    y(row++) = values[j] - values[i];
  }
  // The first row of the pseudo-inverse gives the prediction at x = 0 and its spread.
  const Eigen::Vector3d e0 = (a.transpose() * a).ldlt().solve(Eigen::Vector3d(1.0, 0.0, 0.0));
  const Eigen::Matrix<double, 2 * kSide, 1> weights = a * e0;
  return weights.dot(y) / std::sqrt(1.0 + weights.squaredNorm());
}

// Sizes of the changes between neighbouring samples, sorted; changes below rounding are none.
std::vector<double> Changes(std::span<const double> values) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double rounding = 1e-6 * (high - low);
  std::vector<double> changes;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double change = std::abs(values[i] - values[i - 1]);
    if (std::isfinite(change) && change > rounding) changes.push_back(change);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

// Least-squares step for which the changes up to `most` steps are whole multiples, from a first
// guess; 0 when fewer than nine in ten are, or too few are small enough to tell.
double FitQuantum(const std::vector<double>& changes, double guess) {
  double step = guess;
  for (const double most : {6.0, 20.0}) {
    double sn = 0.0, nn = 0.0;
    std::size_t small = 0, whole = 0;
    for (const double change : changes) {
      const double multiple = change / step;
      if (multiple > most + 0.5) break;
      const double nearest = std::round(multiple);
      ++small;
      if (nearest < 1.0 || std::abs(multiple - nearest) > 0.1) continue;
      ++whole;
      sn += change * nearest;
      nn += nearest * nearest;
    }
    if (small < 10 || small * 10 < changes.size() || whole * 10 < small * 9) return 0.0;
    step = sn / nn;
  }
  return step;
}

}  // namespace

double EstimateQuantum(std::span<const double> values) {
  const std::vector<double> changes = Changes(values);
  if (changes.size() < 10) return 0.0;
  // The step is near one of the smaller changes: some are odd (two grids, a rounded print).
  double best = 0.0;
  for (const double quantile : {0.0, 0.002, 0.01, 0.05, 0.1, 0.2, 0.3}) {
    const double guess =
        changes[static_cast<std::size_t>(quantile * static_cast<double>(changes.size() - 1))];
    // A sensor can skip steps so that no neighbours differ by one: 2 and 3 of them occur, 1 never.
    for (const double part : {1.0, 2.0, 3.0})
      best = std::max(best, FitQuantum(changes, guess / part));
  }
  return best;
}

double EstimateWhiteSigma(std::span<const double> time_s, std::span<const double> values) {
  const double longest = 3.0 * MedianStep({time_s.begin(), time_s.end()}) * 2.0 * kSide;
  std::vector<double> residuals;
  for (std::size_t i = kSide; i + kSide < values.size(); ++i) {
    if (!(time_s[i + kSide] - time_s[i - kSide] <= longest)) continue;
    bool usable = true;
    for (std::size_t j = i - kSide; j <= i + kSide; ++j) {
      usable = usable && std::isfinite(values[j]) && (j == i - kSide || time_s[j] > time_s[j - 1]);
    }
    if (usable) residuals.push_back(std::abs(Residual(time_s, values, i)));
  }
  return std::max(kMadToSigma * Median(std::move(residuals)),
                  EstimateQuantum(values) / std::sqrt(12.0));
}

std::vector<ChannelNoise> EstimateNoise(const Log& log) {
  std::vector<ChannelNoise> noise;
  for (std::size_t c = 0; c < log.channels.size(); ++c) {
    std::vector<double> values(log.samples());
    for (std::size_t i = 0; i < log.samples(); ++i) values[i] = log.values(i, c);
    noise.push_back(
        {log.channels[c], EstimateWhiteSigma(log.time_s, values), EstimateQuantum(values)});
  }
  return noise;
}

ClockNoise EstimateClock(std::span<const double> time_s) {
  ClockNoise clock;
  clock.median_step_s = MedianStep({time_s.begin(), time_s.end()});
  std::vector<double> deviations;
  for (std::size_t i = 1; i < time_s.size(); ++i) {
    const double step = time_s[i] - time_s[i - 1];
    if (!(step > 0.0)) continue;
    deviations.push_back(std::abs(step - clock.median_step_s));
    clock.longest_step_s = std::max(clock.longest_step_s, step);
  }
  clock.step_sigma_s = kMadToSigma * Median(std::move(deviations));
  return clock;
}

}  // namespace realward
