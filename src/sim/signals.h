// The two ends of the loop: the policy's action as a command, the true state as a measurement.
#ifndef REALWARD_SIM_SIGNALS_H_
#define REALWARD_SIM_SIGNALS_H_

#include "spec/task.h"
#include "worlds/world_scalar.h"

namespace realward {

// The action in [−1, 1] (clipped) as a command in the actuator's unit, and back.
double CommandOf(const ActionTerm& term, double action);
double ActionOf(const ActionTerm& term, double command);

// One measurement: quantised(true + offset + noise · z), to the nearest whole step, halves away
// from zero.
double MeasuredValue(const ChannelSettings& settings, double truth, double z);

}  // namespace realward

#endif  // REALWARD_SIM_SIGNALS_H_
