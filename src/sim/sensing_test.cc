#include "sim/sensing.h"

#include <gtest/gtest.h>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support
using enum Operation;
using enum Level;

GapSpec Spec(std::vector<GapParameter> parameters) {
  GapSpec gap;
  gap.name = "sensing";
  gap.parameters = std::move(parameters);
  return gap;
}

// Readings of the slider, which moves with 0.5 m/s, at each control step.
std::vector<double> SliderReadings(const GapSpec& gap, int steps) {
  auto env = MakeEnvironments(SliderTask(), gap, {.worlds = 1});
  const double qpos = 1.0, qvel = 0.5;
  env->SetState(0, {&qpos, 1}, {&qvel, 1});
  std::vector<double> readings = {env->measurements()(0, 0)};
  const auto still = [](const void*, const StreamId&, std::span<const float>,
                        std::span<float> action) { action[0] = 0.0f; };
  for (int k = 0; k < steps; ++k) {
    env->Step(still, nullptr);
    readings.push_back(env->measurements()(0, 0));
  }
  return readings;
}

TEST(Sensing, NamesTheChannelsOfTheModel) {
  const ModelPtr model = std::move(LoadModelText(kCart)).value();
  const WorldPlan plan = std::move(WorldPlan::Make(*model, {})).value();
  EXPECT_EQ(Sensing(*model, plan, 0.01, 1).names(), ChannelNames(*model));
}

TEST(Sensing, ALatencyIsTheAgeOfAReading) {
  const auto readings = SliderReadings(
      Spec({Parameter("sensor_latency", {"x.position"}, kSet, kUnit, Constant(0.017))}), 8);
  EXPECT_EQ(readings[0], 1.0);
  for (int k = 2; k <= 8; ++k) EXPECT_NEAR(readings[k], 1.0 + 0.5 * (0.01 * k - 0.017), 1e-12);
}

// A parameter at its nominal is as good as none: the same bits.
TEST(Sensing, OffIsTheSameBits) {
  const auto noise = Parameter("sensor_noise", {"x.position"}, kSet, kStep, Constant(0.01));
  const auto plain = SliderReadings(Spec({noise}), 8);
  std::vector<GapParameter> all = {noise};
  for (const auto& row : ChannelSettingKinds()) {
    if (std::string(row.kind) == "sensor_noise" || ChannelSettings{}.*row.member == kNoLimit)
      continue;
    all.push_back(
        Parameter(row.kind, {"x.position"}, kSet, kUnit, Constant(ChannelSettings{}.*row.member)));
  }
  EXPECT_EQ(SliderReadings(Spec(all), 8), plain);
}

TEST(Sensing, ANewEpisodeRemembersNothing) {
  const GapSpec gap =
      Spec({Parameter("sensor_walk", {"*"}, kSet, kStep, Constant(0.5)),
            Parameter("sensor_backlash", {"x.position"}, kSet, kUnit, Constant(0.1)),
            Parameter("sensor_latency", {"*"}, kSet, kUnit, Constant(0.03)),
            Parameter("sensor_stuck_rate", {"*"}, kSet, kUnit, Constant(20.0))});
  const auto run = [&](int before) {
    auto env = MakeEnvironments(SliderTask(), gap, {.worlds = 1, .auto_reset = false});
    for (int k = 0; k < before; ++k) env->Step(&Explore, nullptr);
    env->Reset(0, 5);
    std::vector<double> readings;
    for (int k = 0; k < 6; ++k) {
      env->Step(&Explore, nullptr);
      readings.push_back(env->measurements()(0, 0));
      readings.push_back(env->measurements()(0, 1));
    }
    return readings;
  };
  EXPECT_EQ(run(0), run(7));
}

}  // namespace
}  // namespace realward
