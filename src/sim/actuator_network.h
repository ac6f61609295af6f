// Learned actuator networks: from position error and velocity, with their past, to torque. The
// network replaces the drive between a position target and the joint's torque. Methods: Hwangbo et
// al. 2019, "Learning agile and dynamic motor skills for legged robots" (dense network on a history
// of errors and velocities); Rudin et al. 2021, "Learning to walk in minutes using massively
// parallel deep reinforcement learning" (LSTM). Files: sim/actuator_weights.h.
#ifndef REALWARD_SIM_ACTUATOR_NETWORK_H_
#define REALWARD_SIM_ACTUATOR_NETWORK_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

// Published networks differ in it, and the wrong one pushes away from the target.
enum class ErrorSign { kTargetMinusPosition, kPositionMinusTarget };
enum class NetworkSignal { kPositionError, kVelocity };
enum class Activation { kNone, kSoftsign, kTanh, kRelu, kElu };
enum class NetworkLayerKind { kDense, kLstm };

inline constexpr int kMaxNetworkWidth = 256;  // units of a layer, and inputs
inline constexpr int kMaxNetworkLag = 256;    // periods
inline constexpr int kMaxNetworkLayers = 16;

// One entry of the network's input: scale · signal `lag` periods ago.
struct NetworkInput {
  NetworkSignal signal = NetworkSignal::kPositionError;
  int lag = 0;         // periods, ≥ 0
  double scale = 1.0;  // from SI; the unit and the normalisation of the training data
};

// Weights are stored input-major, so that the inner loop runs over outputs.
// Dense: y = activation(x W + b), W in × out.
// LSTM: gates i, f, g, o side by side, z = [x, h] W + b, W (in + out) × 4·out;
// c ← σ(z_f) c + σ(z_i) tanh(z_g), h ← σ(z_o) tanh(c), y = h.
struct NetworkLayer {
  NetworkLayerKind kind = NetworkLayerKind::kDense;
  int in = 0;
  int out = 0;
  Activation activation = Activation::kNone;  // of a dense layer
  std::vector<double> weights;
  std::vector<double> bias;
};

// An immutable value. Positions in rad, velocities in rad/s, torques in N·m; of a slide m, m/s, N.
struct ActuatorNetwork {
  std::string name;
  bool rotary = true;  // trained for a hinge; otherwise for a slide
  ErrorSign error_sign = ErrorSign::kTargetMinusPosition;
  double period = 0.0;  // s between evaluations
  std::vector<NetworkInput> inputs;
  std::vector<NetworkLayer> layers;
  double torque_scale = 1.0;  // of the last layer's only output, into SI
};

// Sizes agree and are in range, and every number is finite; the error says which is not. What
// follows takes only networks that pass.
Status CheckActuatorNetwork(const ActuatorNetwork& network);

// The network's identity: SHA-256 of its canonical JSON. The name is not in it.
std::string HashOf(const ActuatorNetwork& network);

// Numbers in the state of one actuator: the past errors, newest first, in the network's sign; the
// past velocities; h and c of each LSTM layer. The caller keeps them, those of many worlds side by
// side if it likes. A state belongs to one network.
int StateSize(const ActuatorNetwork& network);

// As if the joint had stood with this error and velocity for ever; LSTM states are zero. Every
// entry is written, so nothing is left of an earlier episode.
void ResetState(const ActuatorNetwork& network, std::span<double> state, double target,
                double position, double velocity);

// One evaluation: advances the state by one period and gives the torque (N·m; N for a slide), not
// limited. To be called once per period; in between the owner holds the torque (NetworkDue).
// target, position: rad (m), velocity: rad/s (m/s); the sign of the error is the network's matter.
// A number that is not finite gives a torque that is not finite, until the next reset.
// A pure function of its arguments, without allocation; thread-safe for different states.
double NetworkTorque(const ActuatorNetwork& network, std::span<double> state, double target,
                     double position, double velocity);

// Whether an evaluation is due at the beginning of physics step `step`, counted from the reset: a
// multiple of the period lies after the beginning of the step before and not after that of this
// one. With a time step that divides the period this is every n-th step. With any other, the k-th
// evaluation is late by less than a time step, and the rate is still one per period: nothing
// drifts. A multiple that is missed by a millionth of a period, by rounding, counts as reached. The
// time step must pass CheckTimeStep.
bool NetworkDue(const ActuatorNetwork& network, std::int64_t step, double time_step);

// A time step above the period would leave evaluations out, and the network would see time run
// slower than it was trained on: an error that names both.
Status CheckTimeStep(const ActuatorNetwork& network, double time_step);

}  // namespace realward

#endif  // REALWARD_SIM_ACTUATOR_NETWORK_H_
