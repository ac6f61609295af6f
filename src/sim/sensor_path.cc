#include "sim/sensor_path.h"

#include <algorithm>
#include <cmath>

namespace realward {
namespace {

// What a channel reads of `x`, before it can be lost.
double Reading(const ChannelSettings& s, const WorldSettings& world, double x, double period,
               double white, const ChannelMemory& memory) {
  const double sigma =
      s.noise_density > 0.0 ? std::hypot(s.noise, s.noise_density / std::sqrt(period)) : s.noise;
  const double warm = s.temperature_drift * (world.temperature - kReferenceTemperature);
  double y = s.scale * x + s.offset + memory.walk + memory.instability + warm + sigma * white;
  y = std::clamp(y, -s.saturation, s.saturation);
  return s.quantization > 0.0 ? s.quantization * std::round(y / s.quantization) : y;
}

}  // namespace

bool HasMemory(const ChannelSettings& s) {
  ChannelSettings plain = {s.offset, s.noise, s.quantization};
  plain.cross_next = s.cross_next;
  plain.cross_previous = s.cross_previous;
  return std::any_of(ChannelSettingKinds().begin(), ChannelSettingKinds().end(),
                     [&](const auto& row) { return s.*row.member != plain.*row.member; });
}

double TruthAt(std::span<const double> history, double period, double age) {
  const double steps = std::max(age, 0.0) / period;
  const std::size_t newer = static_cast<std::size_t>(steps);
  if (newer + 1 >= history.size()) return history.back();
  const double part = steps - static_cast<double>(newer);
  return history[newer] + part * (history[newer + 1] - history[newer]);
}

double PlayOperator(double position, double truth, double width) {
  return std::clamp(position, truth - 0.5 * width, truth + 0.5 * width);
}

double FirstReading(const ChannelSettings& s, const WorldSettings& world, double truth,
                    double period, const ReadingNoise& noise, ChannelMemory& memory) {
  memory = {};
  memory.play = truth;
  memory.instability = s.instability * noise.drift;
  memory.reading = Reading(s, world, truth, period, noise.white, memory);
  return memory.reading;
}

double NextReading(const ChannelSettings& s, const WorldSettings& world,
                   std::span<const double> history, double period, const ReadingNoise& noise,
                   ChannelMemory& memory) {
  memory.walk += s.walk * std::sqrt(period) * noise.walk;
  if (s.instability > 0.0) {
    const double kept = std::exp(-period / s.instability_time);
    memory.instability =
        kept * memory.instability + s.instability * std::sqrt(1.0 - kept * kept) * noise.drift;
  }
  if (s.stuck_rate > 0.0 && noise.stick < 1.0 - std::exp(-s.stuck_rate * period))
    memory.stuck = 1.0;
  const double truth = TruthAt(history, period, s.latency + s.jitter * noise.late);
  memory.play = PlayOperator(memory.play, truth, s.backlash);
  if (memory.stuck != 0.0 || noise.loss < s.dropout) return memory.reading;
  memory.reading = Reading(s, world, memory.play, period, noise.white, memory);
  return memory.reading;
}

}  // namespace realward
