#include "sim/command_path.h"

#include <algorithm>
#include <cmath>

namespace realward {

double DelayedAverage(std::span<const double> history, double period, double delay, double from,
                      double width) {
  const double begin = from - delay;
  const double end = begin + width;
  double integral = 0.0;
  double upper = end;  // walk back in time from the newest command
  for (std::size_t j = 0; j < history.size(); ++j) {
    const bool oldest = j + 1 == history.size();
    const double issued = -static_cast<double>(j) * period;
    const double lower = oldest ? begin : std::max(begin, issued);
    if (lower < upper) {
      integral += history[j] * (upper - lower);
      upper = lower;
    }
    if (upper <= begin) break;
  }
  return integral / width;
}

double HeldAverage(std::span<const double> times, std::span<const double> values, double from,
                   double width, std::size_t& hint) {
  const double end = from + width;
  if (hint >= times.size() || times[hint] > from) hint = 0;
  while (hint + 1 < times.size() && times[hint + 1] <= from) ++hint;
  double integral = 0.0;
  double at = from;
  for (std::size_t j = hint; at < end; ++j) {
    const double until = j + 1 < times.size() ? std::min(times[j + 1], end) : end;
    if (until > at) {
      integral += values[j] * (until - at);
      at = until;
    }
  }
  return integral / width;
}

double ActuatorInput(const ActuatorSettings& settings, double command) {
  double u = command;
  if (settings.deadband > 0.0) {
    u = std::abs(u) <= settings.deadband ? 0.0 : u - std::copysign(settings.deadband, u);
  }
  return settings.strength * u + settings.offset;
}

}  // namespace realward
