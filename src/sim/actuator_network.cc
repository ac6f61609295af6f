#include "sim/actuator_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace realward {
namespace {

std::size_t Columns(const NetworkLayer& layer) {
  const auto out = static_cast<std::size_t>(layer.out);
  return layer.kind == NetworkLayerKind::kLstm ? 4 * out : out;
}

std::size_t Rows(const NetworkLayer& layer) {
  return static_cast<std::size_t>(layer.kind == NetworkLayerKind::kLstm ? layer.in + layer.out
                                                                        : layer.in);
}

int Samples(const ActuatorNetwork& network, NetworkSignal signal) {
  int samples = 0;
  for (const NetworkInput& input : network.inputs) {
    if (input.signal == signal) samples = std::max(samples, input.lag + 1);
  }
  return samples;
}

double ErrorOf(const ActuatorNetwork& network, double target, double position) {
  return network.error_sign == ErrorSign::kTargetMinusPosition ? target - position
                                                               : position - target;
}

// The parts of an actuator's state.
struct StateParts {
  std::span<double> errors;      // newest first
  std::span<double> velocities;  // newest first
  std::span<double> memory;      // h and c of each LSTM layer
};

StateParts PartsOf(const ActuatorNetwork& network, std::span<double> state) {
  const auto errors = static_cast<std::size_t>(Samples(network, NetworkSignal::kPositionError));
  const auto velocities = static_cast<std::size_t>(Samples(network, NetworkSignal::kVelocity));
  return {state.first(errors), state.subspan(errors, velocities),
          state.subspan(errors + velocities)};
}

void Push(std::span<double> history, double newest) {
  if (history.empty()) return;
  std::copy_backward(history.begin(), history.end() - 1, history.end());
  history[0] = newest;
}

// sum[j] += x[i] · weights[i][j], in the order of i. The pointers do not overlap.
void Accumulate(const double* __restrict x, int count, const double* __restrict weights,
                std::size_t columns, double* __restrict sum) {
  for (int i = 0; i < count; ++i, weights += columns) {
    const double value = x[i];
    for (std::size_t j = 0; j < columns; ++j) sum[j] += value * weights[j];
  }
}

double Sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

void Activate(Activation activation, std::span<double> values) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kSoftsign:
      for (double& v : values) v /= 1.0 + std::abs(v);
      return;
    case Activation::kTanh:
      for (double& v : values) v = std::tanh(v);
      return;
    case Activation::kRelu:
      for (double& v : values) v = v < 0.0 ? 0.0 : v;  // keeps NaN
      return;
    case Activation::kElu:
      for (double& v : values) v = v < 0.0 ? std::expm1(v) : v;
      return;
  }
}

void DenseForward(const NetworkLayer& layer, const double* input, double* output) {
  std::copy(layer.bias.begin(), layer.bias.end(), output);
  Accumulate(input, layer.in, layer.weights.data(), Columns(layer), output);
  Activate(layer.activation, {output, static_cast<std::size_t>(layer.out)});
}

void LstmForward(const NetworkLayer& layer, const double* input, double* h, double* c,
                 double* output) {
  std::array<double, 4 * kMaxNetworkWidth> z;
  const std::size_t columns = Columns(layer);
  const auto n = static_cast<std::size_t>(layer.out);
  std::copy(layer.bias.begin(), layer.bias.end(), z.begin());
  Accumulate(input, layer.in, layer.weights.data(), columns, z.data());
  Accumulate(h, layer.out, layer.weights.data() + layer.in * columns, columns, z.data());
  for (std::size_t j = 0; j < n; ++j) {
    c[j] = Sigmoid(z[n + j]) * c[j] + Sigmoid(z[j]) * std::tanh(z[2 * n + j]);
    h[j] = Sigmoid(z[3 * n + j]) * std::tanh(c[j]);
    output[j] = h[j];
  }
}

bool AllFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Status CheckInputs(const ActuatorNetwork& network) {
  if (network.inputs.empty() || network.inputs.size() > kMaxNetworkWidth) {
    return InvalidInput(
        fmt::format("{} inputs; valid: 1 to {}", network.inputs.size(), kMaxNetworkWidth));
  }
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const NetworkInput& input = network.inputs[i];
    if (input.lag < 0 || input.lag > kMaxNetworkLag) {
      return InvalidInput(fmt::format("input {} has a lag of {} periods; valid: 0 to {}", i,
                                      input.lag, kMaxNetworkLag));
    }
    if (!std::isfinite(input.scale) || input.scale == 0.0) {
      return InvalidInput(
          fmt::format("input {} has the scale {}; valid: finite and not zero", i, input.scale));
    }
  }
  return {};
}

// Layer `index`, which gets `in` values.
Status CheckLayer(const NetworkLayer& layer, std::size_t index, int in) {
  if (layer.out < 1 || layer.out > kMaxNetworkWidth) {
    return InvalidInput(fmt::format("layer {} has the width {}; valid: 1 to {}", index, layer.out,
                                    kMaxNetworkWidth));
  }
  if (layer.in != in) {
    return InvalidInput(fmt::format("layer {} takes {} values, but gets {}", index, layer.in, in));
  }
  const std::size_t columns = Columns(layer);
  if (layer.weights.size() != Rows(layer) * columns || layer.bias.size() != columns) {
    return InvalidInput(fmt::format("layer {} has {} weights and {} biases; {} and {} are needed",
                                    index, layer.weights.size(), layer.bias.size(),
                                    Rows(layer) * columns, columns));
  }
  if (!AllFinite(layer.weights) || !AllFinite(layer.bias)) {
    return InvalidInput(fmt::format("layer {} holds a weight that is not finite", index));
  }
  return {};
}

}  // namespace

Status CheckActuatorNetwork(const ActuatorNetwork& network) {
  const auto fail = [&](const std::string& what) {
    return InvalidInput(fmt::format("actuator network '{}': {}", network.name, what));
  };
  if (!(network.period > 0.0) || !std::isfinite(network.period)) {
    return fail(fmt::format("the period {} s is not positive and finite", network.period));
  }
  if (!std::isfinite(network.torque_scale) || network.torque_scale == 0.0) {
    return fail(fmt::format("the torque scale {} is zero or not finite", network.torque_scale));
  }
  if (const Status inputs = CheckInputs(network); !inputs.ok()) return fail(inputs.error().message);
  if (network.layers.empty() || network.layers.size() > kMaxNetworkLayers) {
    return fail(fmt::format("{} layers; valid: 1 to {}", network.layers.size(), kMaxNetworkLayers));
  }
  auto in = static_cast<int>(network.inputs.size());
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Status layer = CheckLayer(network.layers[l], l, in);
    if (!layer.ok()) return fail(layer.error().message);
    in = network.layers[l].out;
  }
  if (in != 1) return fail(fmt::format("the last layer has the width {}; a torque has 1", in));
  return {};
}

std::string HashOf(const ActuatorNetwork& network) {
  Json inputs = Json::array();
  for (const NetworkInput& input : network.inputs) {
    inputs.push_back({static_cast<int>(input.signal), input.lag, input.scale});
  }
  Json layers = Json::array();
  for (const NetworkLayer& layer : network.layers) {
    layers.push_back({{"kind", static_cast<int>(layer.kind)},
                      {"in", layer.in},
                      {"out", layer.out},
                      {"activation", static_cast<int>(layer.activation)},
                      {"weights", layer.weights},
                      {"bias", layer.bias}});
  }
  return HashJson({{"format", "realward-actuator-network 1"},
                   {"rotary", network.rotary},
                   {"error_sign", static_cast<int>(network.error_sign)},
                   {"period", network.period},
                   {"inputs", inputs},
                   {"layers", layers},
                   {"torque_scale", network.torque_scale}});
}

int StateSize(const ActuatorNetwork& network) {
  int size =
      Samples(network, NetworkSignal::kPositionError) + Samples(network, NetworkSignal::kVelocity);
  for (const NetworkLayer& layer : network.layers) {
    if (layer.kind == NetworkLayerKind::kLstm) size += 2 * layer.out;
  }
  return size;
}

void ResetState(const ActuatorNetwork& network, std::span<double> state, double target,
                double position, double velocity) {
  RW_CHECK(state.size() == static_cast<std::size_t>(StateSize(network)));
  const StateParts parts = PartsOf(network, state);
  std::fill(parts.errors.begin(), parts.errors.end(), ErrorOf(network, target, position));
  std::fill(parts.velocities.begin(), parts.velocities.end(), velocity);
  std::fill(parts.memory.begin(), parts.memory.end(), 0.0);
}

double NetworkTorque(const ActuatorNetwork& network, std::span<double> state, double target,
                     double position, double velocity) {
  RW_CHECK(state.size() == static_cast<std::size_t>(StateSize(network)));
  const StateParts parts = PartsOf(network, state);
  Push(parts.errors, ErrorOf(network, target, position));
  Push(parts.velocities, velocity);
  std::array<double, kMaxNetworkWidth> first;
  std::array<double, kMaxNetworkWidth> second;
  double* input = first.data();
  double* output = second.data();
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const NetworkInput& entry = network.inputs[i];
    const bool error = entry.signal == NetworkSignal::kPositionError;
    input[i] = entry.scale * (error ? parts.errors : parts.velocities)[entry.lag];
  }
  double* memory = parts.memory.data();
  for (const NetworkLayer& layer : network.layers) {
    if (layer.kind == NetworkLayerKind::kDense) {
      DenseForward(layer, input, output);
    } else {
      LstmForward(layer, input, memory, memory + layer.out, output);
      memory += 2 * layer.out;
    }
    std::swap(input, output);
  }
  return network.torque_scale * input[0];
}

bool NetworkDue(const ActuatorNetwork& network, std::int64_t step, double time_step) {
  constexpr double kNearlyThere = 1e-6;
  const auto evaluations = [&](std::int64_t at) {
    return std::floor(static_cast<double>(at) * time_step / network.period + kNearlyThere);
  };
  return step == 0 || evaluations(step) > evaluations(step - 1);
}

Status CheckTimeStep(const ActuatorNetwork& network, double time_step) {
  if (time_step > 0.0 && time_step <= network.period * (1.0 + 1e-9)) return {};
  return InvalidInput(
      fmt::format("the model's time step is {} s, but actuator network '{}' is evaluated every {} "
                  "s; valid: a time step above 0 and up to that",
                  time_step, network.name, network.period));
}

}  // namespace realward
