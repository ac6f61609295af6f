#include "sim/actuator_path.h"

#include <algorithm>
#include <cmath>

#include "sim/command_path.h"
#include "worlds/world_scalar.h"

namespace realward {

double ArrivedAverage(std::span<const double> history, std::span<const double> delays,
                      double period, double from, double width) {
  const double end = from + width;
  double integral = 0.0;
  double upper = end;  // walk back in time from the newest command
  for (std::size_t j = 0; j < history.size(); ++j) {
    const bool is_oldest = j + 1 == history.size();
    const double arrived = -static_cast<double>(j) * period + delays[j];
    const double lower = is_oldest ? from : std::max(from, arrived);
    if (upper == end && lower == from) return history[j];  // one command all along: no rounding
    if (lower < upper) {
      integral += history[j] * (upper - lower);
      upper = lower;
    }
    if (upper <= from) break;
  }
  return integral / width;
}

namespace {

// Moves a first-order lag by one step of constant input; its average over the step.
double Lag(double& state, double input, double time, double dt) {
  if (time <= 0.0) return state = input;
  const double left = std::exp(-dt / time);
  const double average = input + (state - input) * (1.0 - left) * time / dt;
  state = input + (state - input) * left;
  return average;
}

}  // namespace

ActuatorMemory AtRest(const ActuatorSettings& settings) {
  const double output = ActuatorInput(settings, 0.0);
  return {output, output, output, settings.warm_start};
}

double ShapedCommand(const ActuatorSettings& s, ActuatorMemory& memory, double command, double dt) {
  double u = command;
  if (s.deadband > 0.0) u = std::abs(u) <= s.deadband ? 0.0 : u - std::copysign(s.deadband, u);
  u = std::clamp(u, -s.saturation, s.saturation);
  u = s.strength * (1.0 + s.temperature_effect * memory.rise) * u + s.offset;
  const double most = s.rate_limit * dt;
  memory.limited = std::clamp(u, memory.limited - most, memory.limited + most);
  const double first = Lag(memory.lagged, memory.limited, s.lag, dt);
  return Lag(memory.output, first, s.second_lag, dt);
}

ForceRange AvailableForce(const ActuatorSettings& s, double velocity, double rise, double supply) {
  const double over = rise - s.derating_from;
  const double cold = over > 0.0 ? std::max(0.0, 1.0 - over / s.derating_span) : 1.0;
  const double limit = std::min(s.force_limit, kUnlimitedForce) * cold;
  const auto along = [&](double speed) {  // in the direction of the force
    const double left = supply - speed / s.no_load_speed;
    return limit * std::clamp(left, 0.0, 1.0);
  };
  return {-along(-velocity), along(velocity)};
}

void Heat(const ActuatorSettings& s, ActuatorMemory& memory, double force, double dt) {
  if (s.heating <= 0.0 && memory.rise == 0.0) return;
  const double final_rise = s.heating * force * force;
  memory.rise = final_rise + (memory.rise - final_rise) * std::exp(-dt / s.thermal_time);
}

double SupplyRatio(const WorldSettings& world, double power) {
  if (world.battery_nominal <= 0.0) return 1.0;
  const double open =
      world.battery_voltage * (1.0 - world.battery_droop * (1.0 - world.battery_charge));
  const double root = open * open - 4.0 * world.battery_resistance * std::max(power, 0.0);
  return 0.5 * (open + std::sqrt(std::max(root, 0.0))) / world.battery_nominal;
}

}  // namespace realward
