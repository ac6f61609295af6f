// The weights of a learned actuator network: a JSON object, tensor name → nested lists of numbers,
// row-major as PyTorch has them, exported from the training library. What they mean is in the
// description (sim/actuator_description.h).
#ifndef REALWARD_SIM_ACTUATOR_WEIGHTS_H_
#define REALWARD_SIM_ACTUATOR_WEIGHTS_H_

#include <span>
#include <string>

#include "base/result.h"
#include "sim/actuator_description.h"
#include "sim/actuator_network.h"

namespace realward {

// The network of weights in JSON; `name` is for messages. Errors, all at once: a tensor that is
// missing, has another shape than the layers need (both are named), is ragged, holds something that
// is no finite number, or is not used by any layer.
Result<ActuatorNetwork> NetworkFromWeights(const ActuatorDescription& description,
                                           const std::string& json, const std::string& name);

// Both steps. The weights of a data set lie in NAME/… of the first of `data_folders` that has the
// file. Errors: those above; a file that is nowhere (environment, with the places); a file of
// another hash than the description's (refused).
Result<ActuatorNetwork> LoadActuatorNetwork(const std::string& path,
                                            std::span<const std::string> data_folders = {});

}  // namespace realward

#endif  // REALWARD_SIM_ACTUATOR_WEIGHTS_H_
