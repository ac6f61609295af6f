#include "sim/actuator_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace realward {
namespace {

using testing::HasSubstr;
using Matrix = std::vector<std::vector<double>>;

NetworkLayer Dense(int in, int out, Activation activation, std::vector<double> weights,
                   std::vector<double> bias) {
  return {NetworkLayerKind::kDense, in, out, activation, std::move(weights), std::move(bias)};
}

// Inputs: e now, e one period ago, 0.5 · velocity. Units A = e0 − e1 + v', B = e0/2 − 1.
ActuatorNetwork HandMlp() {
  ActuatorNetwork network;
  network.name = "hand";
  network.period = 0.005;
  network.inputs = {{NetworkSignal::kPositionError, 0, 1.0},
                    {NetworkSignal::kPositionError, 1, 1.0},
                    {NetworkSignal::kVelocity, 0, 0.5}};
  network.layers = {Dense(3, 2, Activation::kSoftsign, {1, 0.5, -1, 0, 1, 0}, {0, -1}),
                    Dense(2, 1, Activation::kNone, {3, 6}, {0.25})};
  network.torque_scale = 4.0;
  return network;
}

// One LSTM unit on the error, with σ(z_i) = σ(z_o) = 3/4, σ(z_f) = 1/2, z_g = x + 2h; torque 2h
// + 1.
ActuatorNetwork HandLstm() {
  ActuatorNetwork network;
  network.name = "hand";
  network.period = 0.005;
  network.inputs = {{NetworkSignal::kPositionError, 0, 1.0}};
  NetworkLayer lstm{NetworkLayerKind::kLstm, 1, 1, Activation::kNone, {}, {}};
  lstm.weights = {0, 0, 1, 0, 0, 0, 2, 0};
  lstm.bias = {std::log(3.0), 0, 0, std::log(3.0)};
  network.layers = {lstm, Dense(1, 1, Activation::kNone, {2}, {1})};
  return network;
}

std::vector<double> FreshState(const ActuatorNetwork& network) {
  std::vector<double> state(StateSize(network), 123.0);
  ResetState(network, state, 0.0, 0.0, 0.0);
  return state;
}

TEST(ActuatorNetwork, DenseByHand) {
  const ActuatorNetwork network = HandMlp();
  ASSERT_TRUE(CheckActuatorNetwork(network).ok());
  ASSERT_EQ(StateSize(network), 3);
  std::vector<double> state = FreshState(network);
  // e0 = 1, e1 = 0, v' = 0.5: A = 1.5 → 3/5, B = −1/2 → −1/3.
  EXPECT_NEAR(NetworkTorque(network, state, 1.0, 0.0, 1.0), 4.0 * (1.8 - 2.0 + 0.25), 1e-15);
  // e0 = 0.5, e1 = 1, v' = −0.5: A = −1 → −1/2, B = −3/4 → −3/7.
  EXPECT_NEAR(NetworkTorque(network, state, 1.0, 0.5, -1.0), 4.0 * (-1.5 - 18.0 / 7.0 + 0.25),
              1e-14);
}

TEST(ActuatorNetwork, LstmByHand) {
  const ActuatorNetwork network = HandLstm();
  ASSERT_TRUE(CheckActuatorNetwork(network).ok());
  ASSERT_EQ(StateSize(network), 3);
  std::vector<double> state = FreshState(network);
  // x = ln(3)/2: tanh(z_g) = 1/2, c = 3/8.
  const double h1 = 0.75 * std::tanh(0.375);
  EXPECT_NEAR(NetworkTorque(network, state, 0.5 * std::log(3.0), 0.0, 9.0), 2.0 * h1 + 1.0, 1e-15);
  // x = 0: z_g = 2 h, c = 3/16 + 3/4 tanh(2 h).
  const double h2 = 0.75 * std::tanh(0.1875 + 0.75 * std::tanh(2.0 * h1));
  EXPECT_NEAR(NetworkTorque(network, state, 0.3, 0.3, 9.0), 2.0 * h2 + 1.0, 1e-15);
}

TEST(ActuatorNetwork, Activations) {
  const auto torque = [](Activation activation, double error) {
    ActuatorNetwork network;
    network.period = 0.01;
    network.inputs = {{NetworkSignal::kPositionError, 0, 1.0}};
    network.layers = {Dense(1, 1, activation, {1}, {0})};
    std::vector<double> state = FreshState(network);
    return NetworkTorque(network, state, error, 0.0, 0.0);
  };
  const double e = std::exp(1.0);
  EXPECT_EQ(torque(Activation::kNone, -2.0), -2.0);
  EXPECT_EQ(torque(Activation::kSoftsign, -3.0), -0.75);
  EXPECT_NEAR(torque(Activation::kTanh, 0.5), (e - 1.0) / (e + 1.0), 1e-15);
  EXPECT_EQ(torque(Activation::kRelu, -2.0), 0.0);
  EXPECT_EQ(torque(Activation::kRelu, 2.0), 2.0);
  EXPECT_NEAR(torque(Activation::kElu, -1.0), 1.0 / e - 1.0, 1e-15);
  EXPECT_EQ(torque(Activation::kElu, 2.0), 2.0);
}

// The same network the plain way: rows as PyTorch has them, all signals of the past kept, gates one
// by one.
struct SlowLayer {
  bool lstm = false;
  Activation activation = Activation::kNone;
  Matrix w, r;  // output × input, output × output; of an LSTM gate after gate
  std::vector<double> bias;
  std::vector<double> h, c;
};

double Activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kSoftsign:
      return x / (1.0 + std::fabs(x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kRelu:
      return std::max(0.0, x);
    case Activation::kElu:
      return x > 0.0 ? x : std::exp(x) - 1.0;
  }
  return 0.0;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> SlowForward(SlowLayer& layer, const std::vector<double>& x) {
  std::vector<double> z;
  for (std::size_t row = 0; row < layer.w.size(); ++row) {
    z.push_back(Dot(layer.w[row], x) + layer.bias[row]);
    if (layer.lstm) z.back() += Dot(layer.r[row], layer.h);
  }
  if (!layer.lstm) {
    for (double& v : z) v = Activated(layer.activation, v);
    return z;
  }
  const auto sigmoid = [](double v) { return 0.5 * (1.0 + std::tanh(0.5 * v)); };
  const std::size_t n = layer.h.size();
  for (std::size_t j = 0; j < n; ++j) {
    const double in = sigmoid(z[j]), forget = sigmoid(z[n + j]);
    const double candidate = std::tanh(z[2 * n + j]), out = sigmoid(z[3 * n + j]);
    layer.c[j] = forget * layer.c[j] + in * candidate;
    layer.h[j] = out * std::tanh(layer.c[j]);
  }
  return layer.h;
}

Matrix RandomMatrix(Stream& stream, int rows, int columns) {
  Matrix matrix(rows, std::vector<double>(columns));
  for (auto& row : matrix) {
    for (double& v : row) v = stream.Normal();
  }
  return matrix;
}

int Whole(Stream& stream, int low, int high) {
  return low + static_cast<int>(stream.Uniform(0.0, high - low + 1.0 - 1e-9));
}

// A random stack of layers in both forms.
void AddRandomLayer(Stream& stream, int in, int out, bool lstm, ActuatorNetwork& network,
                    std::vector<SlowLayer>& slow) {
  const int columns = lstm ? 4 * out : out;
  SlowLayer plain;
  plain.lstm = lstm;
  plain.activation = static_cast<Activation>(Whole(stream, 0, 4));
  plain.w = RandomMatrix(stream, columns, in);
  if (lstm) plain.r = RandomMatrix(stream, columns, out);
  plain.bias = RandomMatrix(stream, 1, columns)[0];
  plain.h.assign(out, 0.0);
  plain.c.assign(out, 0.0);
  NetworkLayer layer;
  layer.kind = lstm ? NetworkLayerKind::kLstm : NetworkLayerKind::kDense;
  layer.in = in;
  layer.out = out;
  layer.activation = plain.activation;
  for (const Matrix* matrix : {&plain.w, &plain.r}) {
    for (std::size_t i = 0; !matrix->empty() && i < (*matrix)[0].size(); ++i) {
      for (const auto& row : *matrix) layer.weights.push_back(row[i]);
    }
  }
  layer.bias = plain.bias;
  network.layers.push_back(layer);
  slow.push_back(plain);
}

ActuatorNetwork RandomNetwork(Stream& stream, std::vector<SlowLayer>& slow) {
  ActuatorNetwork network;
  network.name = "random";
  network.period = 0.004;
  network.error_sign = stream.Uniform(0.0, 1.0) < 0.5 ? ErrorSign::kTargetMinusPosition
                                                      : ErrorSign::kPositionMinusTarget;
  for (int n = Whole(stream, 1, 6); n > 0; --n) {
    const NetworkSignal signal = static_cast<NetworkSignal>(Whole(stream, 0, 1));
    network.inputs.push_back({signal, Whole(stream, 0, 5), stream.Uniform(0.2, 2.0)});
  }
  int in = static_cast<int>(network.inputs.size());
  for (int n = Whole(stream, 0, 3); n > 0; --n) {
    const int out = Whole(stream, 1, 9);
    AddRandomLayer(stream, in, out, stream.Uniform(0.0, 1.0) < 0.5, network, slow);
    in = out;
  }
  AddRandomLayer(stream, in, 1, false, network, slow);
  network.torque_scale = stream.Uniform(0.5, 20.0);
  return network;
}

TEST(ActuatorNetwork, EqualsThePlainVersion) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
    Stream stream({seed, Purpose::kTest, 0, 0, 0, 0});
    std::vector<SlowLayer> slow;
    const ActuatorNetwork network = RandomNetwork(stream, slow);
    RC_ASSERT(CheckActuatorNetwork(network).ok());
    const double sign = network.error_sign == ErrorSign::kTargetMinusPosition ? 1.0 : -1.0;
    std::vector<double> errors{sign * 0.3}, velocities{-0.7};  // oldest first
    std::vector<double> state(StateSize(network), 5.0);
    ResetState(network, state, 0.4, 0.1, -0.7);
    for (int step = 0; step < 12; ++step) {
      const double target = stream.Normal(), position = stream.Normal();
      velocities.push_back(stream.Normal());
      errors.push_back(sign * (target - position));
      std::vector<double> x;
      for (const NetworkInput& input : network.inputs) {
        const auto& signal = input.signal == NetworkSignal::kPositionError ? errors : velocities;
        const int at = static_cast<int>(signal.size()) - 1 - input.lag;
        x.push_back(input.scale * signal[std::max(at, 0)]);
      }
      for (SlowLayer& layer : slow) x = SlowForward(layer, x);
      const double torque = NetworkTorque(network, state, target, position, velocities.back());
      RC_ASSERT(std::fabs(torque - network.torque_scale * x[0]) <
                1e-11 * (1.0 + std::fabs(torque)));
    }
  }));
}

TEST(ActuatorNetwork, TheOtherSignIsTheMirroredError) {
  for (const ActuatorNetwork& network : {HandMlp(), HandLstm()}) {
    ActuatorNetwork swapped = network;
    swapped.error_sign = ErrorSign::kPositionMinusTarget;
    std::vector<double> state = FreshState(network), other = state, mirrored = state;
    for (int step = 1; step < 5; ++step) {
      const double error = 0.1 * step;
      const double torque = NetworkTorque(network, state, error, 0.0, 0.2);
      EXPECT_EQ(NetworkTorque(swapped, mirrored, 0.0, error, 0.2), torque);
      EXPECT_NE(NetworkTorque(swapped, other, error, 0.0, 0.2), torque);
    }
  }
}

TEST(ActuatorNetwork, ResetMidwayIsAFreshStart) {
  Stream stream({3, Purpose::kTest, 0, 0, 0, 0});
  for (int n = 0; n < 20; ++n) {
    std::vector<SlowLayer> slow;
    const ActuatorNetwork network = RandomNetwork(stream, slow);
    const auto size = static_cast<std::size_t>(StateSize(network));
    // The used state stands between neighbours.
    std::vector<double> all(size + 2, -7.0), fresh(size, 99.0);
    const std::span<double> used(all.data() + 1, size);
    ResetState(network, used, 0.0, 1.0, 2.0);
    for (int step = 0; step < 5; ++step) NetworkTorque(network, used, 0.2 * step, 0.1, 0.3);
    ResetState(network, used, 0.5, 0.3, -0.2);
    ResetState(network, fresh, 0.5, 0.3, -0.2);
    for (int step = 0; step < 8; ++step) {
      const double target = stream.Normal(), position = stream.Normal();
      ASSERT_EQ(NetworkTorque(network, used, target, position, 0.1 * step),
                NetworkTorque(network, fresh, target, position, 0.1 * step));
    }
    EXPECT_TRUE(std::equal(used.begin(), used.end(), fresh.begin()));
    EXPECT_EQ(all.front(), -7.0);
    EXPECT_EQ(all.back(), -7.0);
  }
}

TEST(ActuatorNetwork, WhatIsNotFiniteStaysSoUntilTheReset) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const ActuatorNetwork& network : {HandMlp(), HandLstm()}) {
    std::vector<double> state = FreshState(network);
    EXPECT_FALSE(std::isfinite(NetworkTorque(network, state, 0.0, kNan, 0.0)));
    EXPECT_FALSE(std::isfinite(NetworkTorque(network, state, 0.0, 0.0, 0.0)));
    ResetState(network, state, 0.0, 0.0, 0.0);
    EXPECT_TRUE(std::isfinite(NetworkTorque(network, state, 0.0, 0.0, 0.0)));
  }
}

TEST(ActuatorNetwork, DueEveryNthStepOrTheFirstAfterTheMultiple) {
  ActuatorNetwork network = HandMlp();
  const auto due = [&](double time_step, int steps) {
    std::vector<int> at;
    for (int step = 0; step < steps; ++step) {
      if (NetworkDue(network, step, time_step)) at.push_back(step);
    }
    return at;
  };
  EXPECT_EQ(due(0.005, 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(due(0.001, 12), (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(due(0.002, 12), (std::vector<int>{0, 3, 5, 8, 10}));
  EXPECT_EQ(due(0.004, 7), (std::vector<int>{0, 2, 3, 4, 5}));
}

// Against whole numbers of microseconds: multiples of the period in (t(step − 1), t(step)].
bool DueInWholeNumbers(std::int64_t period, std::int64_t time_step, std::int64_t step) {
  return step * time_step / period > (step - 1) * time_step / period;
}

TEST(ActuatorNetwork, DueNeverDrifts) {
  EXPECT_TRUE(rc::check([] {
    const auto period = *rc::gen::inRange<std::int64_t>(1, 20000);
    const auto time_step = *rc::gen::inRange<std::int64_t>(1, period + 1);
    const auto step = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
    ActuatorNetwork network = HandMlp();
    network.period = 1e-6 * static_cast<double>(period);
    const double seconds = 1e-6 * static_cast<double>(time_step);
    RC_ASSERT(CheckTimeStep(network, seconds).ok());
    RC_ASSERT(NetworkDue(network, step, seconds) == DueInWholeNumbers(period, time_step, step));
  }));
}

// Time steps that divide the period, where rounding could make an evaluation late or double.
TEST(ActuatorNetwork, DueDoesNotSeeRounding) {
  ActuatorNetwork network = HandMlp();
  for (const std::int64_t period : {2500, 4000, 5000, 20000}) {
    for (const std::int64_t parts : {1, 2, 4, 5, 10, 20}) {
      const std::int64_t time_step = period / parts;
      network.period = static_cast<double>(period) / 1e6;
      const double seconds = static_cast<double>(time_step) / 1e6;
      for (std::int64_t step = 1; step < 20000; ++step) {
        ASSERT_EQ(NetworkDue(network, step, seconds), DueInWholeNumbers(period, time_step, step))
            << period << " " << time_step << " " << step;
      }
    }
  }
}

TEST(ActuatorNetwork, ATimeStepAboveThePeriodIsRefused) {
  const ActuatorNetwork network = HandMlp();
  EXPECT_TRUE(CheckTimeStep(network, 0.005).ok());
  const Status status = CheckTimeStep(network, 0.006);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("0.006 s"));
  EXPECT_THAT(status.error().message, HasSubstr("'hand' is evaluated every 0.005 s"));
  EXPECT_FALSE(CheckTimeStep(network, 0.0).ok());
}

TEST(ActuatorNetwork, WhatDoesNotFitIsNamed) {
  const auto message = [](auto change) {
    ActuatorNetwork network = HandMlp();
    change(network);
    const Status status = CheckActuatorNetwork(network);
    return status.ok() ? std::string("ok") : status.error().message;
  };
  using Network = ActuatorNetwork;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message([](Network&) {}), "ok");
  EXPECT_THAT(message([](Network& n) { n.period = 0.0; }), HasSubstr("period 0 s"));
  EXPECT_THAT(message([](Network& n) { n.torque_scale = kNan; }), HasSubstr("torque scale nan"));
  EXPECT_THAT(message([](Network& n) { n.inputs.clear(); }), HasSubstr("0 inputs"));
  EXPECT_THAT(message([](Network& n) { n.inputs[1].lag = -1; }), HasSubstr("input 1 has a lag"));
  EXPECT_THAT(message([](Network& n) { n.inputs[2].scale = 0; }), HasSubstr("the scale 0"));
  EXPECT_THAT(message([](Network& n) { n.inputs.pop_back(); }),
              HasSubstr("layer 0 takes 3 values, but gets 2"));
  EXPECT_THAT(message([](Network& n) { n.layers.pop_back(); }), HasSubstr("the width 2; a torque"));
  EXPECT_THAT(message([](Network& n) { n.layers.clear(); }), HasSubstr("0 layers"));
  EXPECT_THAT(message([](Network& n) { n.layers[1].out = 0; }), HasSubstr("the width 0"));
  EXPECT_THAT(message([](Network& n) { n.layers[0].bias.pop_back(); }),
              HasSubstr("6 weights and 1 biases; 6 and 2 are needed"));
  EXPECT_THAT(message([](Network& n) { n.layers[1].weights[0] = kNan; }),
              HasSubstr("'hand': layer 1 holds a weight that is not finite"));
}

TEST(ActuatorNetwork, TheHashIsOfWhatActs) {
  ActuatorNetwork network = HandMlp();
  const std::string hash = HashOf(network);
  network.name = "other";
  EXPECT_EQ(HashOf(network), hash);
  network.error_sign = ErrorSign::kPositionMinusTarget;
  EXPECT_NE(HashOf(network), hash);
  network = HandMlp();
  network.layers[0].weights[0] += 1e-15;
  EXPECT_NE(HashOf(network), hash);
}

}  // namespace
}  // namespace realward
