// What a world sets on the way of a command to its effect and of the truth to a reading, where the
// engine has no field for it.
#ifndef REALWARD_WORLDS_SETTINGS_H_
#define REALWARD_WORLDS_SETTINGS_H_

#include <limits>
#include <span>

#include "base/mujoco.h"

namespace realward {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// One actuator. A command's way: clip to the range → noise → delay, jitter, loss → dead band →
// saturation → strength, offset → rate limit → lag → force. Units: u = the actuator's own.
struct ActuatorSettings {
  double delay = 0.0;     // s, continuous
  double strength = 1.0;  // scales the command's effect
  double offset = 0.0;    // u, added to the command
  double deadband = 0.0;  // u; |command| below this acts as 0, and the rest is shifted

  double jitter = 0.0;   // s; a command comes later by a uniform draw from [0, jitter]
  double dropout = 0.0;  // probability that a command is lost; the one before goes on
  double noise = 0.0;    // u, standard deviation of each command

  double saturation = kNoLimit;  // u, |command| after the dead band
  double rate_limit = kNoLimit;  // u/s
  double lag = 0.0;              // s, time constant of a first-order lag
  double second_lag = 0.0;       // s, of a second one behind it

  double force_limit = kNoLimit;    // N·m or N at the actuator; a model's own is the nominal
  double no_load_speed = kNoLimit;  // rad/s or m/s where the available force reaches 0
  double heating = 0.0;             // K/(N·m)² or K/N²: final rise of temperature per force²
  double thermal_time = 100.0;      // s, time constant of the winding's temperature
  double warm_start = 0.0;          // K above the surroundings at the start of an episode
  double derating_from = kNoLimit;  // K above the surroundings from which the force limit falls …
  double derating_span = 20.0;      // K … to 0 over this many more
  double temperature_effect = 0.0;  // 1/K: strength · (1 + this · rise)
  double copper_loss = 0.0;         // W/(N·m)² or W/N², drawn from the battery
};

// One hinge or slide joint: friction beyond Coulomb and viscous, which are fields of the engine.
// Duclusaud et al., "Extended Friction Models for the Physics Simulation of Servo Actuators" (ICRA
// 2025), M2 to M6; forces in N·m or N, speeds in rad/s or m/s.
struct JointSettings {
  double stribeck = 0.0;             // added at rest, Kcs
  double stribeck_speed = 0.1;       // speed at which it has fallen to 1/e
  double stribeck_exponent = 1.0;    // α
  double load_motor = 0.0;           // share of the motor's force, Km
  double load_external = 0.0;        // share of the load's force, Ke
  double stribeck_load_motor = 0.0;  // the same, only near rest: Kms, Kes
  double stribeck_load_external = 0.0;
  double quadratic_motor = 0.0;  // 1/(N·m), near rest when motor and load pull apart
  double quadratic_external = 0.0;
  double efficiency = 1.0;  // of the gear: 1 − efficiency of the motor's force is lost as friction
};

// One measured channel. Its way: truth → cross-talk → latency, jitter → backlash → scale, offset,
// drift, noise → saturation → quantisation → drop-out, stuck. Units: c = the channel's own.
struct ChannelSettings {
  double offset = 0.0;        // c
  double noise = 0.0;         // c, standard deviation per control step
  double quantization = 0.0;  // c, step; 0 = none

  double scale = 1.0;       // of the true value
  double cross_next = 0.0;  // share of the sensor's next axis (x → y → z → x) that is read
  double cross_previous = 0.0;     // of the one before
  double backlash = 0.0;           // c, width of the play between what moves and what is read
  double noise_density = 0.0;      // c·√s, N of the Allan deviation
  double walk = 0.0;               // c/√s, K of the Allan deviation
  double instability = 0.0;        // c, standard deviation of a first-order Gauss–Markov bias
  double instability_time = 100;   // s, its correlation time
  double temperature_drift = 0.0;  // c/K, times the world's temperature above kReferenceTemperature
  double saturation = kNoLimit;    // c, |reading|
  double latency = 0.0;            // s, age of what a reading shows
  double jitter = 0.0;             // s; a reading is older by a uniform draw from [0, jitter]
  double dropout = 0.0;            // probability that a reading is missing; the one before stays
  double stuck_rate = 0.0;         // 1/s; once stuck, a reading stays to the end of the episode
};

// The whole world.
struct WorldSettings {
  double hours = 0.0;            // s of operation so far
  double temperature = 298.15;   // K of the surroundings
  double gravity = 0.0;          // m/s², magnitude; the model's is the nominal
  double slope = 0.0;            // rad between gravity and −z: the ground is tilted by it
  double slope_direction = 0.0;  // rad about z, of the horizontal part of gravity; 0 = +x
  // The supply that all actuators share. battery_nominal is the voltage at which the force limits
  // and no-load speeds hold; 0 = no battery.
  double battery_nominal = 0.0;     // V
  double battery_voltage = 0.0;     // V, open circuit, full
  double battery_resistance = 0.0;  // Ω, with the wires
  double battery_charge = 1.0;      // 0 … 1
  double battery_droop = 0.0;       // share of the voltage that is lost from full to empty
};

// The temperature at which a sensor's drift is 0.
inline constexpr double kReferenceTemperature = 298.15;  // K

// A member and the gap kind that writes it.
template <class Settings>
struct SettingKind {
  const char* kind;
  double Settings::*member;
};
std::span<const SettingKind<ActuatorSettings>> ActuatorSettingKinds();
std::span<const SettingKind<JointSettings>> JointSettingKinds();
std::span<const SettingKind<ChannelSettings>> ChannelSettingKinds();
std::span<const SettingKind<WorldSettings>> WorldSettingKinds();

// The settings that a model starts from: nothing, but the force limits that it has itself and its
// gravity.
ActuatorSettings NominalActuator(const mjModel& model, int actuator);
WorldSettings NominalWorld(const mjModel& model);

// Whether anything but delay, strength, offset and dead band is set: the actuator then has a
// memory.
bool HasPath(const ActuatorSettings& settings);
// Whether the force that the actuator can give depends on speed, temperature or the supply.
bool LimitsForce(const ActuatorSettings& settings, const WorldSettings& world);
bool HasFriction(const JointSettings& settings);

}  // namespace realward

#endif  // REALWARD_WORLDS_SETTINGS_H_
