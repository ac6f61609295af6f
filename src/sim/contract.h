// The policy contract: what an artifact may be connected to. Written by training, checked by every
// user.
#ifndef REALWARD_SIM_CONTRACT_H_
#define REALWARD_SIM_CONTRACT_H_

#include "base/hash.h"
#include "base/mujoco.h"
#include "base/result.h"
#include "spec/task.h"

namespace realward {

// Observation terms and entry names, actions with their ranges, control period, joint channels.
Json MakeContract(const TaskSpec& task);

// Refused, naming every difference, when a policy with `contract` cannot act in `task`.
Status CheckContract(const Json& contract, const TaskSpec& task);

}  // namespace realward

#endif  // REALWARD_SIM_CONTRACT_H_
