// The pieces of a step in Google Benchmark, for profiling: bin/bench_micro.
#include <benchmark/benchmark.h>

#include "base/policy.h"
#include "base/random.h"
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

}  // namespace

BENCHMARK_MAIN();
