// What lies between a command that has arrived and the force of an actuator, one physics step at a
// time. Pure functions; the memory of an actuator is the caller's.
#ifndef REALWARD_SIM_ACTUATOR_PATH_H_
#define REALWARD_SIM_ACTUATOR_PATH_H_

#include <span>

#include "worlds/settings.h"

namespace realward {

// Time average over [from, from + width) of what an actuator holds when command j, issued at
// −j·period, arrives at −j·period + delays[j]. A command that comes after a newer one is dropped.
// Before the oldest arrives it holds that one. With equal delays this is DelayedAverage.
double ArrivedAverage(std::span<const double> history, std::span<const double> delays,
                      double period, double from, double width);

// What an actuator remembers from one physics step to the next.
struct ActuatorMemory {
  double limited = 0.0;  // behind the rate limit, actuator unit
  double lagged = 0.0;   // behind the first lag
  double output = 0.0;   // behind the second
  double rise = 0.0;     // K, winding above its surroundings
};

// The state of an actuator that has long had the command 0.
ActuatorMemory AtRest(const ActuatorSettings& settings);

// Dead band, saturation, strength, offset, rate limit, first and second lag; what goes to the
// engine for the next `dt` seconds: the average over them, so that the actuator gets the impulse of
// the continuous signal. One lag is exact at any step; a second sees the average of the first.
double ShapedCommand(const ActuatorSettings& settings, ActuatorMemory& memory, double command,
                     double dt);

struct ForceRange {
  double low = 0.0;
  double high = 0.0;
};

// The force that is left at a speed, a temperature and a supply voltage (1 = nominal): the
// torque–speed line of a DC motor, limit · (supply − speed / no-load speed), cut at the limit, and
// linear thermal derating. A braking force is not reduced by speed.
ForceRange AvailableForce(const ActuatorSettings& settings, double velocity, double rise,
                          double supply);

// One step of dT/dt = (heating · force² − T) / thermal_time, exact for a constant force.
void Heat(const ActuatorSettings& settings, ActuatorMemory& memory, double force, double dt);

// Terminal voltage of the battery, as a part of the nominal, when `power` (W) is drawn from it: the
// upper root of V = V_open − R · power / V. At most half of the open-circuit voltage is lost: more
// power than that the battery cannot give. Power that flows back is not stored.
double SupplyRatio(const WorldSettings& world, double power);

}  // namespace realward

#endif  // REALWARD_SIM_ACTUATOR_PATH_H_
