// The description of a learned actuator network, NAME.actuator.yaml. Weights alone do not say which
// sign the error has, how old the inputs are, how often the network runs or in which units; this
// file does. See docs/howto/actuator-network.md; the weights: sim/actuator_weights.h.
//
//   actuator_network: my_drive
//   weights: {file: my_drive.weights.json}  # or {dataset: NAME, file: …, sha256: …}
//   period: 5 ms
//   error: position - target                # or: target - position
//   inputs:                                 # in the order of the first layer's columns
//     - {signal: position_error, unit: rad, lags: [0 ms, 5 ms, 10 ms]}
//     - {signal: velocity, unit: rad/s, lags: [0 ms, 5 ms, 10 ms], scale: 0.1}
//   layers:                                 # tensors "0.weight", "0.bias", …
//     - {kind: dense, tensors: "0", width: 32, activation: softsign}
//     - {kind: dense, tensors: "2", width: 1}
//   torque: {unit: N*m, scale: 1}
//
// An input is scale · (signal in its unit), lags default to [0 s] and scales to 1. In place of
// scales, `input_scale_tensor` names a tensor with one factor per input, and `scale_tensor` in
// `torque` one with a single factor. An LSTM layer is {kind: lstm, tensors: lstm, index: 0, width:
// 8} with PyTorch's tensors lstm.weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0.
// Activations: none (default), softsign, tanh, relu, elu.
#ifndef REALWARD_SIM_ACTUATOR_DESCRIPTION_H_
#define REALWARD_SIM_ACTUATOR_DESCRIPTION_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "sim/actuator_network.h"

namespace realward {

// What a description says.
struct ActuatorDescription {
  ActuatorNetwork network;  // all but weights, biases and the factors that tensors hold
  std::vector<std::string> layer_tensors;  // of each layer, "0" or "lstm"
  std::vector<int> lstm_indices;           // of each layer, the number behind "_l"; 0 when dense
  std::string input_scale_tensor;          // may be empty
  std::string torque_scale_tensor;         // may be empty
  std::string weights_file;  // absolute, or inside the data set's folder when there is one
  std::string dataset;       // may be empty
  std::string sha256;        // of the weights file; may be empty without a data set
};

// Errors: all mistakes of the file, each with its line. The weights are not looked at.
Result<ActuatorDescription> LoadActuatorDescription(const std::string& path);

}  // namespace realward

#endif  // REALWARD_SIM_ACTUATOR_DESCRIPTION_H_
