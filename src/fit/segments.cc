#include "fit/segments.h"

#include <algorithm>
#include <cmath>

#include "logs/noise.h"
#include "logs/segment.h"
#include "logs/smooth.h"

namespace realward {
namespace {

std::vector<double> ColumnOf(const Log& log, int column, const LogSegment& stretch) {
  std::vector<double> values;
  for (std::size_t k = stretch.first; k < stretch.last; ++k)
    values.push_back(log.values(k, column));
  return values;
}

std::span<const double> TimesOf(const Log& log, const LogSegment& stretch) {
  return std::span<const double>(log.time_s).subspan(stretch.first, stretch.samples());
}

// Value and slope of a channel around a time, in the stretch that the time is in.
JointEstimate EstimateChannel(const Log& log, int column, double at) {
  const std::vector<LogSegment> stretches = ContinuousStretches(log);
  const LogSegment* in = &stretches.front();
  for (const LogSegment& stretch : stretches) {
    if (stretch.begin_s <= at + 1e-9) in = &stretch;
  }
  const auto estimate = EstimateJoint(TimesOf(log, *in), ColumnOf(log, column, *in), {}, at);
  return estimate.ok() ? *estimate : JointEstimate{};  // nothing recorded there
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

}  // namespace

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

std::vector<Segment> CutLog(const Shooter& shooter, int log, double length) {
  const std::vector<double>& times = shooter.logs()[log].time_s;
  const double h = shooter.timestep();
  std::vector<Segment> segments;
  for (const LogSegment& stretch : ContinuousStretches(shooter.logs()[log])) {
    if (stretch.samples() < kLeastSamples) continue;
    const std::size_t first = stretch.first;
    const std::size_t last = stretch.last;
    const double duration = times[last - 1] - times[first];
    const int count = std::max(1, static_cast<int>(std::lround(duration / length)));
    const int steps = std::max(1, static_cast<int>(std::lround(duration / count / h)));
    for (int k = 0; k < count; ++k) {
      Segment segment = CutWindow(shooter, log, times[first] + k * steps * h, steps * h);
      segment.is_continued = k + 1 < count;
      // The grid's rounding must not lose a stretch's first sample, or take one beyond its end.
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
      const JointEstimate joint = EstimateChannel(data, position, at);
      state[i] = joint.position - settings[2 * i].offset;
      state[m.nv + i] = joint.velocity;
    } else {
      state[i] = m.qpos0[i];
      if (velocity >= 0)
        state[m.nv + i] = EstimateChannel(data, velocity, at).position - settings[2 * i + 1].offset;
    }
  }
  return state;
}

std::vector<double> ChannelSigmas(const Shooter& shooter, int log) {
  const Log& data = shooter.logs()[log];
  std::vector<double> sigmas(shooter.channels().size(), 0.0);
  for (std::size_t c = 0; c < sigmas.size(); ++c) {
    const int own = shooter.column(log, static_cast<int>(c));
    if (own < 0) continue;
    const int position = c % 2 == 1 ? shooter.column(log, static_cast<int>(c) - 1) : -1;
    std::vector<double> residuals;
    std::vector<double> all;
    for (const LogSegment& stretch : ContinuousStretches(data)) {
      const std::span<const double> times = TimesOf(data, stretch);
      const std::vector<double> values = ColumnOf(data, own, stretch);
      const std::vector<double> base = position >= 0 ? ColumnOf(data, position, stretch) : values;
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k])) continue;
        all.push_back(values[k]);
        const auto joint = EstimateJoint(times, base, {}, times[k]);
        if (joint.ok() && joint->samples >= kLeastSamples)
          residuals.push_back(values[k] - (position >= 0 ? joint->velocity : joint->position));
      }
    }
    if (all.empty()) continue;
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    sigmas[c] = std::max({RobustDeviation(std::move(residuals)),
                          EstimateQuantum(all) / std::sqrt(12.0), 1e-4 * (*high - *low), 1e-6});
  }
  return sigmas;
}

}  // namespace realward
