#include "sim/sensing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
    if (std::string(row.kind).starts_with("sensor_cross")) continue;  // of sensors, below
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

// A turntable about z with an arm of 0.5 m; on the arm an IMU and, behind a wrist, 2 kg.
constexpr char kTurntable[] = R"(
<mujoco><option timestep="0.005"/><worldbody>
  <body name="arm"><joint name="turn" axis="0 0 1"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <site name="tip" pos=".5 0 0"/>
    <body name="load" pos="0 0 1"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <site name="wrist"/></body></body>
</worldbody><actuator><motor name="drive" joint="turn"/></actuator>
<sensor><gyro name="gyro" site="tip"/><accelerometer name="accel" site="tip"/>
  <force name="force" site="wrist"/></sensor></mujoco>)";

TaskSpec TurntableTask() {
  TaskSpec task;
  task.name = "turntable";
  task.model_path = ModelFile("sim_turntable", kTurntable);
  task.control_period = 0.01;
  task.horizon = 1.0;
  task.actions = {{"drive", -6.0, 6.0}};
  ObservationTerm accel{ObservationKind::kSensor, "", 1.0, 1e3, 2};
  accel.sensor = "accel";
  task.observations = {{ObservationKind::kVelocity, "turn"}, accel};
  task.rewards = {{RewardKind::kAlive, "", 0.0, 1.0, 1.0}};
  task.resets = {{"turn", 0.0, 0.0, 2.0, 2.0}};
  return task;
}

double Reading(const Environments& env, const std::string& channel, int world = 0) {
  const auto& names = env.channels();
  const auto found = std::find(names.begin(), names.end(), channel);
  EXPECT_NE(found, names.end()) << channel;
  return env.measurements()(world, found - names.begin());
}

void Push(Environments& env, float action, int steps = 1) {
  const auto act = [](const void* value, const StreamId&, std::span<const float>,
                      std::span<float> out) { out[0] = *static_cast<const float*>(value); };
  for (int k = 0; k < steps; ++k) env.Step(act, &action);
}

// On a turntable at ω: gyro ω, accelerometer −ω² r inwards and g up, 2 g m of weight at the wrist.
TEST(Sensing, SensorsReadWhatTheirPlaceDoesFromTheFirstReadingOn) {
  auto env = MakeEnvironments(TurntableTask(), {}, {.worlds = 3, .threads = 2});
  for (int step = 0; step < 4; ++step) {
    for (int w = 0; w < 3; ++w) {
      EXPECT_NEAR(Reading(*env, "gyro.z", w), 2.0, 1e-12) << step;
      EXPECT_NEAR(Reading(*env, "accel.x", w), -2.0 * 2.0 * 0.5, 1e-9) << step;
      EXPECT_NEAR(Reading(*env, "accel.z", w), 9.81, 1e-9) << step;
      EXPECT_NEAR(std::abs(Reading(*env, "force.z", w)), 2.0 * 9.81, 1e-9) << step;
    }
    const auto seen = env->observations().row(0);  // velocity, then two times x, y, z
    ASSERT_EQ(seen.size(), 7u);
    EXPECT_NEAR(seen[1], -2.0, 1e-6);
    EXPECT_NEAR(seen[6], 9.81, 1e-5);
    Push(*env, 0.0f);
  }
}

// 3 N·m on 3 kg·m²: 1 rad/s². The last physics step began 5 ms before the joint's reading.
TEST(Sensing, SensorsAreOnePhysicsStepOld) {
  auto env = MakeEnvironments(TurntableTask(), {}, {.worlds = 1});
  Push(*env, 0.5f, 20);
  const double speed = Reading(*env, "turn.velocity");
  const double acceleration = (speed - 2.0) / 0.2;
  EXPECT_NEAR(Reading(*env, "gyro.z"), speed - 0.005 * acceleration, 1e-9);
  EXPECT_NEAR(Reading(*env, "accel.y"), 0.5 * acceleration, 1e-9);
}

TEST(Sensing, AnAxisReadsAShareOfTheOthers) {
  const GapSpec gap =
      Spec({Parameter("sensor_cross_next", {"accel.y"}, kSet, kUnit, Constant(0.02)),
            Parameter("sensor_cross_previous", {"accel.y"}, kSet, kUnit, Constant(-0.1)),
            Parameter("sensor_scale", {"accel.x"}, kSet, kUnit, Constant(1.5))});
  auto env = MakeEnvironments(TurntableTask(), gap, {.worlds = 1});
  for (int step = 0; step < 3; ++step) {
    EXPECT_NEAR(Reading(*env, "accel.y"), 0.02 * 9.81 - 0.1 * -2.0, 1e-9);
    EXPECT_NEAR(Reading(*env, "accel.x"), 1.5 * -2.0, 1e-9);
    EXPECT_NEAR(Reading(*env, "accel.z"), 9.81, 1e-9);
    Push(*env, 0.0f);
  }
  const auto env_or = Environments::Make(
      TurntableTask(),
      Spec({Parameter("sensor_cross_next", {"turn.velocity"}, kSet, kUnit, Constant(0.02))}), {});
  ASSERT_FALSE(env_or.ok());
  EXPECT_THAT(env_or.error().message, testing::HasSubstr("turn.velocity"));
  EXPECT_THAT(env_or.error().message, testing::HasSubstr("no other axes"));
}

// Off is the same bits for sensors too, and a state goes through a reset, a file and two threads.
TEST(Sensing, SensorsRepeatTheirBits) {
  const auto noise = Parameter("sensor_noise", {"accel.*"}, kSet, kStep, Constant(0.1));
  const auto run = [&](const GapSpec& gap, int threads, bool reload) {
    auto env = MakeEnvironments(TurntableTask(), gap, {.worlds = 2, .threads = threads});
    for (int k = 0; k < 150; ++k) {  // beyond the horizon: new episodes begin
      if (reload && k == 120) {
        Record record;
        env->Save(record);
        env = MakeEnvironments(TurntableTask(), gap, {.worlds = 2, .threads = threads});
        EXPECT_TRUE(env->Load(record).ok());
      }
      Push(*env, 0.1f);
    }
    std::vector<double> readings;
    for (int w = 0; w < 2; ++w) {
      for (const double value : env->measurements().row(w)) readings.push_back(value);
    }
    return readings;
  };
  const auto plain = run(Spec({noise}), 1, false);
  EXPECT_EQ(run(Spec({noise}), 2, false), plain);
  EXPECT_EQ(run(Spec({noise}), 1, true), plain);
  EXPECT_EQ(
      run(Spec({noise, Parameter("sensor_cross_next", {"accel.*"}, kSet, kUnit, Constant(0.0)),
                Parameter("sensor_cross_previous", {"gyro.*"}, kSet, kUnit, Constant(0.0))}),
          1, false),
      plain);
}

// The mass that a world draws is the mass whose weight its sensor feels, in the first reading too.
TEST(Sensing, TheFirstReadingIsOfTheWorldsOwnModel) {
  const GapSpec gap = Spec({Parameter("body_mass", {"load"}, kScale, kEpisode, Uniform(0.5, 2.0))});
  auto env = MakeEnvironments(TurntableTask(), gap, {.worlds = 4});
  std::set<double> weights;
  for (int w = 0; w < 4; ++w) weights.insert(Reading(*env, "force.z", w));
  EXPECT_EQ(weights.size(), 4u);
  const double first = Reading(*env, "force.z", 2);
  Push(*env, 0.0f);
  EXPECT_NEAR(Reading(*env, "force.z", 2), first, 1e-9);
}

}  // namespace
}  // namespace realward
