// What makes a number reproducible: the same bits at any thread count, alone or among others, after
// a restart, and as written down.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "base/file.h"
#include "base/hash.h"
#include "count_allocations.h"
#include "sim/actuator_network.h"
#include "sim/environments.h"
#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support

std::unique_ptr<Environments> Cart(EnvironmentOptions options) {
  options.seed = 21;
  return MakeEnvironments(CartTask(), CartMemoryGap(), options);
}

std::string HashAfter(Environments& env, int steps) {
  for (int step = 0; step < steps; ++step) env.Step(&React, nullptr);
  Sha256 hash;
  const std::string state = env.StateHash();
  hash.Update(state);
  hash.UpdateValues(env.observations().flat());
  return hash.Hex();
}

TEST(determinism, the_same_bits_at_any_thread_count) {
  std::map<int, std::string> hashes;
  for (int threads : {1, 2, 3}) {
    auto env = Cart({.worlds = 7, .threads = threads});
    hashes[threads] = HashAfter(*env, 70);
  }
  EXPECT_EQ(hashes[2], hashes[1]);
  EXPECT_EQ(hashes[3], hashes[1]);
}

TEST(determinism, two_seeds_differ_and_one_repeats) {
  const auto run = [](std::uint64_t seed) {
    auto env = MakeEnvironments(CartTask(), CartMemoryGap(), {.worlds = 2, .seed = seed});
    return HashAfter(*env, 10);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

// Everything that can be seen of one world in a step.
struct Seen {
  std::vector<double> qpos, qvel, measurements;
  std::vector<float> observations;
  double reward;
  EpisodeEnd end;
  bool operator==(const Seen&) const = default;
};
Seen Look(const Environments& env, int w) {
  return {Copy(env.qpos(w)),
          Copy(env.qvel(w)),
          Copy(env.measurements().row(w)),
          Copy(env.observations().row(w)),
          env.rewards()[w],
          env.ends()[w]};
}

// Resets, draws, delays and noise of the others never touch a world: it runs as it does alone.
TEST(determinism, a_world_among_others_is_the_world_alone) {
  constexpr int kWorlds = 5;
  auto many = Cart({.worlds = kWorlds, .threads = 2, .first_unit = 30});
  std::vector<std::unique_ptr<Environments>> alone;
  for (std::uint32_t w = 0; w < kWorlds; ++w)
    alone.push_back(Cart({.worlds = 1, .first_unit = 30 + w}));
  std::vector<int> restarts(kWorlds, 0);
  for (int step = 0; step < 100; ++step) {
    many->Step(&React, nullptr);
    for (int w = 0; w < kWorlds; ++w) {
      alone[w]->Step(&React, nullptr);
      ASSERT_EQ(Look(*many, w), Look(*alone[w], 0)) << "world " << w << " step " << step;
      restarts[w] += many->ends()[w] != EpisodeEnd::kRunning;
    }
  }
  for (int w = 0; w < kWorlds; ++w) EXPECT_GE(restarts[w], 3);
  EXPECT_NE(restarts, std::vector<int>(kWorlds, restarts[0]));  // they end at different times
}

// A training episode is replayed from its summary: unit and episode.
TEST(determinism, one_episode_replays_alone) {
  auto env = Cart({.worlds = 4, .threads = 2, .fresh_units = true, .first_unit = 3});
  EpisodeSummary wanted;
  while (wanted.episode < 2) {
    env->Step(&React, nullptr);
    for (const EpisodeSummary& s : env->finished()) wanted = s;
  }
  auto replay = Cart({.worlds = 1, .first_unit = wanted.unit, .auto_reset = false});
  replay->Reset(0, wanted.episode);
  while (replay->running(0)) replay->Step(&React, nullptr);
  ASSERT_EQ(replay->finished().size(), 1u);
  EXPECT_EQ(replay->finished()[0].episode_return, wanted.episode_return);
  EXPECT_EQ(replay->finished()[0].steps, wanted.steps);
  EXPECT_EQ(replay->finished()[0].end, wanted.end);
}

TEST(determinism, a_saved_state_continues_bit_for_bit) {
  for (bool auto_reset : {true, false}) {
    const EnvironmentOptions options{.worlds = 5, .threads = 2, .auto_reset = auto_reset};
    auto straight = Cart(options);
    HashAfter(*straight, 17);  // mid-episode, some worlds in a later one or ended
    Record record;
    straight->Save(record);
    const Record read = *DecodeRecord(EncodeRecord(record));

    auto fresh = Cart(options);
    auto used = Cart({.worlds = 5, .threads = 1, .auto_reset = auto_reset});
    HashAfter(*used, 41);
    for (Environments* resumed : {fresh.get(), used.get()}) {
      ASSERT_TRUE(resumed->Load(read).ok());
      EXPECT_TRUE(resumed->finished().empty());
    }
    for (int step = 0; step < 60; ++step) {
      for (Environments* env : {straight.get(), fresh.get(), used.get()})
        env->Step(&React, nullptr);
      for (int w = 0; w < 5; ++w) {
        ASSERT_EQ(Look(*fresh, w), Look(*straight, w)) << auto_reset << " " << w << " " << step;
        ASSERT_EQ(Look(*used, w), Look(*straight, w)) << auto_reset << " " << w << " " << step;
      }
      ASSERT_EQ(fresh->finished().size(), straight->finished().size());
      for (std::size_t i = 0; i < straight->finished().size(); ++i)
        EXPECT_EQ(fresh->finished()[i].episode_return, straight->finished()[i].episode_return);
    }
  }
}

TEST(determinism, a_state_of_other_worlds_does_not_load) {
  auto five = Cart({.worlds = 5});
  Record record;
  five->Save(record);
  auto four = Cart({.worlds = 4});
  EXPECT_FALSE(four->Load(record).ok());
  record.sections.erase("env.commands");
  EXPECT_FALSE(five->Load(record).ok());
}

// The engine's own numbers may change between its versions, and its mathematical functions with the
// processor; a change on the same ones is ours.
TEST(determinism, scenes_end_in_the_hash_that_was_written_down) {
  const Json golden =
      Json::parse(*ReadFile(std::string(RW_SOURCE_DIR) + "/tests/golden/sim_state_hash.json"));
  auto nominal = MakeEnvironments(CartTask(), {}, {.worlds = 3, .seed = 21});
  auto drawn = MakeEnvironments(CartTask(), CartGap(), {.worlds = 3, .seed = 21});
  auto remembering = Cart({.worlds = 3});
  const std::map<std::string, std::string> found = {
      {"cart_nominal_50_steps", HashAfter(*nominal, 50)},
      {"cart_all_gaps_50_steps", HashAfter(*drawn, 50)},
      {"cart_memory_50_steps", HashAfter(*remembering, 50)}};
  if (golden.at("mujoco") != MujocoVersion() || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "written with MuJoCo " << golden.at("mujoco") << " on x86-64 with FMA";
  }
  for (const auto& [scene, hash] : found)
    EXPECT_EQ(golden.at("scenes").value(scene, ""), hash) << scene;
}

TEST(determinism, steps_and_resets_allocate_nothing) {
  auto env = Cart({.worlds = 6, .threads = 2});
  for (int step = 0; step < 40; ++step) env->Step(&React, nullptr);
  std::size_t ended = 0;
  const std::size_t before = AllocationCount();
  for (int step = 0; step < 60; ++step) {
    env->Step(&React, nullptr);
    ended += env->finished().size();
  }
  env->Reset(2, 77);
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_GT(ended, 10u);
}

// A dense layer, an LSTM layer and the torque, with a past.
ActuatorNetwork DriveNetwork() {
  Stream stream({5, Purpose::kTest, 0, 0, 0, 0});
  ActuatorNetwork network;
  network.period = 0.005;
  for (int lag : {0, 1, 4}) {
    network.inputs.push_back({NetworkSignal::kPositionError, lag, 1.0});
    network.inputs.push_back({NetworkSignal::kVelocity, lag, 0.2});
  }
  network.layers = {{NetworkLayerKind::kDense, 6, 32, Activation::kTanh, {}, {}},
                    {NetworkLayerKind::kLstm, 32, 8, Activation::kNone, {}, {}},
                    {NetworkLayerKind::kDense, 8, 1, Activation::kNone, {}, {}}};
  for (NetworkLayer& layer : network.layers) {
    const bool lstm = layer.kind == NetworkLayerKind::kLstm;
    const int rows = lstm ? layer.in + layer.out : layer.in;
    const int columns = lstm ? 4 * layer.out : layer.out;
    for (int i = 0; i < rows * columns; ++i) layer.weights.push_back(0.3 * stream.Normal());
    for (int i = 0; i < columns; ++i) layer.bias.push_back(0.1 * stream.Normal());
  }
  return network;
}

TEST(determinism, an_actuator_network_repeats_its_bits_and_allocates_nothing) {
  const ActuatorNetwork network = DriveNetwork();
  ASSERT_TRUE(CheckActuatorNetwork(network).ok());
  std::vector<double> state(StateSize(network));
  std::vector<double> first(200), second(200);
  const std::size_t before = AllocationCount();
  for (auto* torques : {&first, &second}) {
    ResetState(network, state, 0.1, 0.0, 0.0);
    for (int k = 0; k < 200; ++k) {
      if (!NetworkDue(network, k, 0.005)) continue;
      (*torques)[k] = NetworkTorque(network, state, 0.1, 0.001 * k, 0.2);
    }
  }
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[199]);
}

std::size_t ResidentBytes() {
  std::size_t total = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(determinism, ten_thousand_resets_keep_the_memory) {
  auto env = Cart({.worlds = 4, .threads = 2});
  const auto reset = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t episode = from; episode < to; ++episode) {
      env->Reset(static_cast<int>(episode % 4), episode);
      if (episode % 16 == 0) env->Step(&React, nullptr);
    }
  };
  reset(0, 1000);
  const std::size_t before = ResidentBytes();
  ASSERT_GT(before, 0u);
  reset(1000, 11000);
  EXPECT_LT(ResidentBytes(), before + (1u << 20));
}

}  // namespace
}  // namespace realward
