// The pieces of a step in Google Benchmark, for profiling: bin/bench_micro.
#include <benchmark/benchmark.h>

#include "base/policy.h"
#include "base/random.h"
#include "sim/actuator_network.h"
#include "sim/command_path.h"

namespace {

using namespace realward;

void BM_PhiloxBlock(benchmark::State& state) {
  std::uint64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(Philox({i++, 0, 0, 0}, {1, 2}));
}
BENCHMARK(BM_PhiloxBlock);

void BM_DelayedAverage(benchmark::State& state) {
  const std::vector<double> history(22, 0.5);
  for (auto _ : state)
    benchmark::DoNotOptimize(DelayedAverage(history, 0.01, 0.0173, 0.002, 0.002));
}
BENCHMARK(BM_DelayedAverage);

void BM_PolicyForward(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0));
  PolicyNetwork network;
  network.observation_mean.assign(17, 0.0f);
  network.observation_std.assign(17, 1.0f);
  Stream stream({1, Purpose::kTest, 0, 0, 0, 0});
  const int sizes[] = {17, width, width, 6};
  for (int l = 0; l < 3; ++l) {
    DenseLayer layer{sizes[l], sizes[l + 1], {}, std::vector<float>(sizes[l + 1], 0.1f)};
    for (int i = 0; i < layer.in * layer.out; ++i)
      layer.weights.push_back(static_cast<float>(0.2 * stream.Normal()));
    network.layers.push_back(layer);
  }
  std::vector<float> observation(17, 0.3f), action(6);
  for (auto _ : state) {
    PolicyForward(network, observation, action);
    benchmark::DoNotOptimize(action.data());
  }
}
BENCHMARK(BM_PolicyForward)->Arg(64)->Arg(256);

void AddLayer(NetworkLayerKind kind, int out, Activation activation, Stream& stream,
              ActuatorNetwork& network) {
  const bool lstm = kind == NetworkLayerKind::kLstm;
  const int in =
      network.layers.empty() ? static_cast<int>(network.inputs.size()) : network.layers.back().out;
  NetworkLayer layer{kind, in, out, activation, {}, std::vector<double>(lstm ? 4 * out : out, 0.1)};
  const int weights = lstm ? 4 * out * (in + out) : in * out;
  for (int i = 0; i < weights; ++i) layer.weights.push_back(0.3 * stream.Normal());
  network.layers.push_back(std::move(layer));
}

// One evaluation of a network in the shape of the one published for a drive.
void RunNetwork(benchmark::State& bench, const ActuatorNetwork& network) {
  std::vector<double> state(StateSize(network));
  ResetState(network, state, 0.1, 0.0, 0.0);
  double position = 0.0;
  for (auto _ : bench) {
    position = position < 0.2 ? position + 1e-4 : 0.0;
    benchmark::DoNotOptimize(NetworkTorque(network, state, 0.1, position, 0.3));
  }
}

// ANYdrive v3: LSTM 2-8-8-1.
void BM_ActuatorLstm(benchmark::State& state) {
  Stream stream({1, Purpose::kTest, 0, 0, 0, 0});
  ActuatorNetwork network;
  network.period = 0.005;
  network.inputs = {{NetworkSignal::kPositionError, 0, 2.0}, {NetworkSignal::kVelocity, 0, 0.25}};
  AddLayer(NetworkLayerKind::kLstm, 8, Activation::kNone, stream, network);
  AddLayer(NetworkLayerKind::kLstm, 8, Activation::kNone, stream, network);
  AddLayer(NetworkLayerKind::kDense, 1, Activation::kNone, stream, network);
  RunNetwork(state, network);
}
BENCHMARK(BM_ActuatorLstm);

// Unitree Go1: dense 6-32-32-1.
void BM_ActuatorMlp(benchmark::State& state) {
  Stream stream({1, Purpose::kTest, 0, 0, 0, 0});
  ActuatorNetwork network;
  network.period = 0.005;
  for (const NetworkSignal signal : {NetworkSignal::kPositionError, NetworkSignal::kVelocity}) {
    for (int lag : {0, 1, 2}) network.inputs.push_back({signal, lag, 1.0});
  }
  AddLayer(NetworkLayerKind::kDense, 32, Activation::kSoftsign, stream, network);
  AddLayer(NetworkLayerKind::kDense, 32, Activation::kSoftsign, stream, network);
  AddLayer(NetworkLayerKind::kDense, 1, Activation::kNone, stream, network);
  RunNetwork(state, network);
}
BENCHMARK(BM_ActuatorMlp);

}  // namespace

BENCHMARK_MAIN();
