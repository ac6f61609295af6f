#include "sim/sensing.h"

#include <algorithm>
#include <cmath>

#include "sim/signals.h"

namespace realward {

Sensing::Sensing(const mjModel& model, const WorldPlan& plan, double period, int worlds)
    : names_(ChannelNames(model)), channels_(Channels(model)), period_(period) {
  for (const Channel& channel : channels_)
    uses_engine_ = uses_engine_ || channel.source == ChannelSource::kSensor;
  for (const auto& row : ChannelSettingKinds()) {
    const bool is_plain = row.member == &ChannelSettings::offset ||
                          row.member == &ChannelSettings::noise ||
                          row.member == &ChannelSettings::cross_next ||
                          row.member == &ChannelSettings::cross_previous ||
                          row.member == &ChannelSettings::quantization;
    has_memory_ = has_memory_ || (!is_plain && plan.Uses(row.member));
  }
  if (!has_memory_) return;
  double oldest = 0.0;
  if (plan.Uses(&ChannelSettings::latency)) oldest += FindGapKind("sensor_latency")->highest;
  if (plan.Uses(&ChannelSettings::jitter)) oldest += FindGapKind("sensor_jitter")->highest;
  depth_ = static_cast<std::size_t>(std::ceil(oldest / period)) + 2;
  memory_.resize(static_cast<std::size_t>(worlds) * names_.size());
  truths_.resize(memory_.size() * depth_);
}

double Sensing::Truth(const ChannelSettings& settings, const Channel& channel,
                      const TrueState& truth) const {
  switch (channel.source) {
    case ChannelSource::kPosition:
      return truth.qpos[channel.address];
    case ChannelSource::kVelocity:
      return truth.qvel[channel.address];
    case ChannelSource::kSensor:
      break;
  }
  double value = truth.sensordata[channel.address];
  if (settings.cross_next != 0.0)
    value += settings.cross_next * truth.sensordata[channels_[channel.next].address];
  if (settings.cross_previous != 0.0)
    value += settings.cross_previous * truth.sensordata[channels_[channel.previous].address];
  return value;
}

void Sensing::Read(int world, std::span<const ChannelSettings> settings,
                   const WorldSettings& conditions, const TrueState& state, const StreamId& id,
                   bool is_first, std::span<double> readings) {
  const bool is_noisy = std::any_of(settings.begin(), settings.end(), [](const auto& s) {
    return s.noise > 0.0 || s.noise_density > 0.0;
  });
  Stream white(id);
  StreamId drift_id = id;
  drift_id.purpose = Purpose::kSensorDrift;
  Stream drift(drift_id);
  for (std::size_t c = 0; c < settings.size(); ++c) {
    const double truth = Truth(settings[c], channels_[c], state);
    ReadingNoise noise;
    if (is_noisy) noise.white = white.Normal();
    if (!has_memory_) {
      readings[c] = MeasuredValue(settings[c], truth, noise.white);
      continue;
    }
    noise.walk = drift.Normal();
    noise.drift = drift.Normal();
    noise.late = drift.Uniform();
    noise.loss = drift.Uniform();
    noise.stick = drift.Uniform();
    const std::size_t at = static_cast<std::size_t>(world) * settings.size() + c;
    double* truths = truths_.data() + at * depth_;
    if (is_first) {
      std::fill_n(truths, depth_, truth);
      readings[c] = FirstReading(settings[c], conditions, truth, period_, noise, memory_[at]);
    } else {
      std::copy_backward(truths, truths + depth_ - 1, truths + depth_);
      truths[0] = truth;
      readings[c] =
          NextReading(settings[c], conditions, {truths, depth_}, period_, noise, memory_[at]);
    }
  }
}

void Sensing::Save(Record& record) const {
  if (!has_memory_) return;
  record.Put("env.channels", memory_);
  record.Put("env.truths", truths_);
}

Status Sensing::Load(const Record& record) {
  if (!has_memory_) return {};
  RW_TRY(record.Get("env.channels", memory_));
  return record.Get("env.truths", truths_);
}

}  // namespace realward
