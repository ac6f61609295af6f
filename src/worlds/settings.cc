#include "worlds/settings.h"

#include <algorithm>
#include <cmath>

namespace realward {
namespace {

constexpr SettingKind<ActuatorSettings> kActuatorKinds[] = {
    {"actuator_delay", &ActuatorSettings::delay},
    {"actuator_strength", &ActuatorSettings::strength},
    {"actuator_offset", &ActuatorSettings::offset},
    {"actuator_deadband", &ActuatorSettings::deadband},
    {"actuator_jitter", &ActuatorSettings::jitter},
    {"actuator_dropout", &ActuatorSettings::dropout},
    {"actuator_noise", &ActuatorSettings::noise},
    {"actuator_saturation", &ActuatorSettings::saturation},
    {"actuator_rate_limit", &ActuatorSettings::rate_limit},
    {"actuator_lag", &ActuatorSettings::lag},
    {"actuator_second_lag", &ActuatorSettings::second_lag},
    {"actuator_force_limit", &ActuatorSettings::force_limit},
    {"actuator_no_load_speed", &ActuatorSettings::no_load_speed},
    {"motor_heating", &ActuatorSettings::heating},
    {"motor_thermal_time", &ActuatorSettings::thermal_time},
    {"motor_warm_start", &ActuatorSettings::warm_start},
    {"motor_derating_from", &ActuatorSettings::derating_from},
    {"motor_derating_span", &ActuatorSettings::derating_span},
    {"motor_temperature_effect", &ActuatorSettings::temperature_effect},
    {"motor_copper_loss", &ActuatorSettings::copper_loss},
};

constexpr SettingKind<JointSettings> kJointKinds[] = {
    {"joint_stribeck_friction", &JointSettings::stribeck},
    {"joint_stribeck_speed", &JointSettings::stribeck_speed},
    {"joint_stribeck_exponent", &JointSettings::stribeck_exponent},
    {"joint_load_friction_motor", &JointSettings::load_motor},
    {"joint_load_friction_external", &JointSettings::load_external},
    {"joint_stribeck_load_motor", &JointSettings::stribeck_load_motor},
    {"joint_stribeck_load_external", &JointSettings::stribeck_load_external},
    {"joint_quadratic_friction_motor", &JointSettings::quadratic_motor},
    {"joint_quadratic_friction_external", &JointSettings::quadratic_external},
    {"gear_efficiency", &JointSettings::efficiency},
};

constexpr SettingKind<ChannelSettings> kChannelKinds[] = {
    {"sensor_offset", &ChannelSettings::offset},
    {"sensor_noise", &ChannelSettings::noise},
    {"sensor_quantization", &ChannelSettings::quantization},
    {"sensor_scale", &ChannelSettings::scale},
    {"sensor_cross_next", &ChannelSettings::cross_next},
    {"sensor_cross_previous", &ChannelSettings::cross_previous},
    {"sensor_backlash", &ChannelSettings::backlash},
    {"sensor_noise_density", &ChannelSettings::noise_density},
    {"sensor_walk", &ChannelSettings::walk},
    {"sensor_instability", &ChannelSettings::instability},
    {"sensor_instability_time", &ChannelSettings::instability_time},
    {"sensor_temperature_drift", &ChannelSettings::temperature_drift},
    {"sensor_saturation", &ChannelSettings::saturation},
    {"sensor_latency", &ChannelSettings::latency},
    {"sensor_jitter", &ChannelSettings::jitter},
    {"sensor_dropout", &ChannelSettings::dropout},
    {"sensor_stuck_rate", &ChannelSettings::stuck_rate},
};

constexpr SettingKind<WorldSettings> kWorldKinds[] = {
    {"operating_hours", &WorldSettings::hours},
    {"ambient_temperature", &WorldSettings::temperature},
    {"gravity", &WorldSettings::gravity},
    {"ground_slope", &WorldSettings::slope},
    {"ground_slope_direction", &WorldSettings::slope_direction},
    {"battery_nominal_voltage", &WorldSettings::battery_nominal},
    {"battery_voltage", &WorldSettings::battery_voltage},
    {"battery_resistance", &WorldSettings::battery_resistance},
    {"battery_charge", &WorldSettings::battery_charge},
    {"battery_droop", &WorldSettings::battery_droop},
};

}  // namespace

std::span<const SettingKind<ActuatorSettings>> ActuatorSettingKinds() { return kActuatorKinds; }
std::span<const SettingKind<JointSettings>> JointSettingKinds() { return kJointKinds; }
std::span<const SettingKind<ChannelSettings>> ChannelSettingKinds() { return kChannelKinds; }
std::span<const SettingKind<WorldSettings>> WorldSettingKinds() { return kWorldKinds; }

ActuatorSettings NominalActuator(const mjModel& model, int actuator) {
  ActuatorSettings settings;
  if (model.actuator_forcelimited[actuator] != 0) {
    const mjtNum* range = model.actuator_forcerange + 2 * actuator;
    settings.force_limit = std::max(std::abs(range[0]), std::abs(range[1]));
  }
  return settings;
}

WorldSettings NominalWorld(const mjModel& model) {
  WorldSettings settings;
  settings.gravity = mju_norm3(model.opt.gravity);
  return settings;
}

bool HasPath(const ActuatorSettings& s) {
  return s.saturation < kNoLimit || s.rate_limit < kNoLimit || s.lag > 0.0 || s.second_lag > 0.0 ||
         s.temperature_effect != 0.0;
}

bool LimitsForce(const ActuatorSettings& s, const WorldSettings& world) {
  return s.no_load_speed < kNoLimit ||
         (s.force_limit < kNoLimit && (s.derating_from < kNoLimit || world.battery_nominal > 0.0));
}

bool HasFriction(const JointSettings& s) {
  return s.stribeck > 0.0 || s.load_motor > 0.0 || s.load_external > 0.0 ||
         s.stribeck_load_motor > 0.0 || s.stribeck_load_external > 0.0 || s.quadratic_motor > 0.0 ||
         s.quadratic_external > 0.0 || s.efficiency < 1.0;
}

}  // namespace realward
