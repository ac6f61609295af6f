// The path of a command from the policy to the actuator, continuous in time.
#ifndef REALWARD_SIM_COMMAND_PATH_H_
#define REALWARD_SIM_COMMAND_PATH_H_

#include <span>

#include "worlds/plan.h"

namespace realward {

// Time average over [from, from + width) of the signal u(t − delay), where u holds history[j] from
// −j·period on until the next newer command, and history[0] from 0 on; before the oldest command it
// holds that one. `from` is relative to the current control step. Averaging the delayed zero-order
// hold over a physics step gives the actuator the same impulse as the continuous signal: a 7 ms
// delay on a 5 ms step acts as 7 ms.
double DelayedAverage(std::span<const double> history, double period, double delay, double from,
                      double width);

// The same for commands with their own time stamps (non-decreasing, ≥ 1): average over [from, from
// + width) of the zero-order hold of (times, values). Before times[0] it holds values[0]. `hint` is
// an index to start searching at; it is advanced and makes a forward sweep linear.
double HeldAverage(std::span<const double> times, std::span<const double> values, double from,
                   double width, std::size_t& hint);

// What the actuator gets for a delayed command: dead band, strength, offset. The range is applied
// before the delay, by the sender.
double ActuatorInput(const ActuatorSettings& settings, double command);

}  // namespace realward

#endif  // REALWARD_SIM_COMMAND_PATH_H_
