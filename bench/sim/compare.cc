// bench/run sim: batched simulation with per-world parameters against a plain mj_step loop, in one
// process, interleaved, medians. Prints `name: value` lines and last `ratio: X target: Y`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "peers.h"

namespace {

using realward::bench::BatchedWorlds;
using realward::bench::PlainLoop;

constexpr double kTarget = 0.95;
constexpr int kRounds = 15;
constexpr int kWorlds = 64;
constexpr int kControlSteps = 64 * 150;

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "bench/sim";
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  auto plain = PlainLoop::Make(folder + "/half_cheetah.yaml", threads);
  auto batched =
      BatchedWorlds::Make(folder + "/half_cheetah.yaml", folder + "/gap.yaml", kWorlds, threads);
  if (!plain.ok() || !batched.ok()) {
    fmt::print(stderr, "{}\n", (plain.ok() ? batched.error() : plain.error()).message);
    return 3;
  }
  std::vector<double> plain_times, batched_times, ratios;
  std::string hash;
  for (int round = 0; round <= kRounds; ++round) {
    const double a = Seconds([&] { plain->Run(kControlSteps, static_cast<std::uint64_t>(round)); });
    const double b = Seconds([&] { hash = batched->Run(kControlSteps); });
    if (round == 0) continue;  // warm-up
    plain_times.push_back(a);
    batched_times.push_back(b);
    ratios.push_back(a / b);
  }
  const double ratio = Median(ratios);
  fmt::print(
      "threads: {}\nworlds: {}\nplain_loop_control_steps_per_s: "
      "{:.0f}\nbatched_control_steps_per_s: {:.0f}\n"
      "state_hash: {}\nratio: {:.3f} target: {:.2f}\n",
      threads, kWorlds, kControlSteps / Median(plain_times), kControlSteps / Median(batched_times),
      hash, ratio, kTarget);
  return ratio >= kTarget ? 0 : 1;
}
