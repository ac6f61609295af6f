#include "fit/segments.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace realward {
namespace {

// The recorded samples of a channel within a piece of a log.
struct Series {
  std::vector<double> times;
  std::vector<double> values;
};
Series SeriesOf(const Log& log, int column, std::pair<std::size_t, std::size_t> piece) {
  Series series;
  for (std::size_t k = piece.first; k < piece.second; ++k) {
    if (!std::isfinite(log.values(k, column))) continue;
    series.times.push_back(log.time_s[k]);
    series.values.push_back(log.values(k, column));
  }
  return series;
}

// Local quadratic of a channel around a time, in the piece that the time is in.
LocalFit FitChannel(const Log& log, int column, double at) {
  std::pair<std::size_t, std::size_t> piece;
  for (const auto& candidate : PiecesOf(log)) {
    if (piece.second == 0 || log.time_s[candidate.first] <= at + 1e-9) piece = candidate;
  }
  const Series series = SeriesOf(log, column, piece);
  return series.times.empty() ? LocalFit{} : FitLocally(series.times, series.values, at);
}

// Samples within ± half_width of a time, widened evenly to kLeastSamples.
std::pair<std::size_t, std::size_t> Neighbours(std::span<const double> times, double at,
                                               double half_width) {
  const auto begin = times.begin();
  std::size_t first = std::lower_bound(begin, times.end(), at - half_width) - begin;
  std::size_t last = std::upper_bound(begin, times.end(), at + half_width) - begin;
  while (last - first < kLeastSamples && (first > 0 || last < times.size())) {
    const bool before_is_nearer =
        last == times.size() || (first > 0 && at - times[first - 1] <= times[last] - at);
    before_is_nearer ? --first : ++last;
  }
  return {first, last};
}

std::size_t FirstSampleAtOrAfter(const std::vector<double>& times, double at) {
  return std::lower_bound(times.begin(), times.end(), at - 1e-9) - times.begin();
}

double RobustDeviation(std::vector<double> residuals) {
  if (residuals.empty()) return 0.0;
  for (double& r : residuals) r = std::abs(r);
  std::nth_element(residuals.begin(), residuals.begin() + residuals.size() / 2, residuals.end());
  return 1.4826 * residuals[residuals.size() / 2];
}

// The noise of rounding to the channel's smallest step, q/√12, and a floor for noise-free data.
double LeastNoise(const std::vector<double>& values) {
  if (values.empty()) return 1e-6;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high - *low;
  double step = range;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double change = std::abs(values[k] - values[k - 1]);
    if (change > 1e-9 * (1.0 + range)) step = std::min(step, change);
  }
  return std::max({step / std::sqrt(12.0), 1e-4 * range, 1e-6});
}

}  // namespace

LocalFit FitLocally(std::span<const double> times, std::span<const double> values, double at,
                    double half_width) {
  const auto [first, last] = Neighbours(times, at, half_width);
  const auto rows = static_cast<Eigen::Index>(last - first);
  const Eigen::Index columns = std::min<Eigen::Index>(3, rows);
  Eigen::MatrixXd basis(rows, columns);
  Eigen::VectorXd y(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double t = (times[first + r] - at) / half_width;  // scaled for conditioning
    double power = 1.0;
    for (Eigen::Index c = 0; c < columns; ++c, power *= t) basis(r, c) = power;
    y[r] = values[first + r];
  }
  const Eigen::VectorXd fit = basis.colPivHouseholderQr().solve(y);
  return {fit[0], columns > 1 ? fit[1] / half_width : 0.0};
}

Segment CutWindow(const Shooter& shooter, int log, double begin, double length) {
  const std::vector<double>& times = shooter.logs()[log].time_s;
  const double h = shooter.timestep();
  Segment segment;
  segment.log = log;
  segment.begin = times.front() + std::round((begin - times.front()) / h) * h;
  segment.steps = std::max(1, static_cast<int>(std::lround(length / h)));
  segment.first = FirstSampleAtOrAfter(times, segment.begin);
  segment.last = FirstSampleAtOrAfter(times, segment.begin + segment.steps * h);
  return segment;
}

std::vector<std::pair<std::size_t, std::size_t>> PiecesOf(const Log& log) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  std::size_t first = 0;
  for (std::size_t cut : log.cuts) {
    if (cut > first) pieces.push_back({first, cut});
    first = std::max(first, cut);
  }
  if (first < log.time_s.size()) pieces.push_back({first, log.time_s.size()});
  return pieces;
}

std::vector<Segment> CutLog(const Shooter& shooter, int log, double length) {
  const std::vector<double>& times = shooter.logs()[log].time_s;
  const double h = shooter.timestep();
  std::vector<Segment> segments;
  for (const auto& [first, last] : PiecesOf(shooter.logs()[log])) {
    if (last - first < kLeastSamples) continue;
    const double duration = times[last - 1] - times[first];
    const int count = std::max(1, static_cast<int>(std::lround(duration / length)));
    const int steps = std::max(1, static_cast<int>(std::lround(duration / count / h)));
    for (int k = 0; k < count; ++k) {
      Segment segment = CutWindow(shooter, log, times[first] + k * steps * h, steps * h);
      segment.is_continued = k + 1 < count;
      // The grid's rounding must not lose a piece's first sample, or take one beyond its end.
      if (k == 0) {
        segment.begin = std::min(segment.begin, times[first]);
        segment.first = first;
      }
      segment.last = std::min(segment.last, last);
      if (k + 1 == count) {
        segment.last = last;
        const double rest = (times[last - 1] - segment.begin) / h;
        segment.steps = std::max(1, static_cast<int>(std::ceil(rest - 1e-6)));
      }
      segments.push_back(segment);
    }
  }
  return segments;
}

std::vector<double> GuessState(const Shooter& shooter, int log, double at,
                               std::span<const ChannelSettings> settings) {
  const Log& data = shooter.logs()[log];
  const mjModel& m = shooter.model();
  std::vector<double> state(shooter.state_size(), 0.0);
  for (int i = 0; i < m.nv; ++i) {
    const int position = shooter.column(log, 2 * i);
    const int velocity = shooter.column(log, 2 * i + 1);
    if (position >= 0) {
      const LocalFit fit = FitChannel(data, position, at);
      state[i] = fit.value - settings[2 * i].offset;
      state[m.nv + i] = fit.slope;
    } else {
      state[i] = m.qpos0[i];
      if (velocity >= 0)
        state[m.nv + i] = FitChannel(data, velocity, at).value - settings[2 * i + 1].offset;
    }
  }
  return state;
}

std::vector<double> EstimateNoise(const Shooter& shooter, int log) {
  const Log& data = shooter.logs()[log];
  std::vector<double> noise(shooter.channels().size(), 0.0);
  for (std::size_t c = 0; c < noise.size(); ++c) {
    const int own = shooter.column(log, static_cast<int>(c));
    if (own < 0) continue;
    const int position = c % 2 == 1 ? shooter.column(log, static_cast<int>(c) - 1) : -1;
    std::vector<double> residuals;
    std::vector<double> all;
    for (const auto& piece : PiecesOf(data)) {
      const Series series = SeriesOf(data, own, piece);
      const Series base = position >= 0 ? SeriesOf(data, position, piece) : series;
      all.insert(all.end(), series.values.begin(), series.values.end());
      if (base.times.size() < kLeastSamples) continue;
      for (std::size_t k = 0; k < series.times.size(); ++k) {
        const LocalFit fit = FitLocally(base.times, base.values, series.times[k]);
        residuals.push_back(series.values[k] - (position >= 0 ? fit.slope : fit.value));
      }
    }
    noise[c] = std::max(RobustDeviation(std::move(residuals)), LeastNoise(all));
  }
  return noise;
}

}  // namespace realward
