#include "sim/actuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support
using enum Operation;
using enum Level;

// A mass of 1 kg on a rail with a motor of any force and a gear of 1; small steps.
constexpr char kRail[] = R"(
<mujoco><option timestep="0.001" gravity="0 0 -10" integrator="implicitfast"/><worldbody>
  <body><joint name="x" type="slide" axis="{axis}"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
</worldbody><actuator><motor name="push" joint="x" {motor}/></actuator></mujoco>)";

std::string Replace(std::string text, const std::string& blank, const std::string& value) {
  return text.replace(text.find(blank), blank.size(), value);
}

struct Rail {
  std::string axis = "1 0 0";
  std::string motor = "";
  std::vector<GapParameter> gap = {};
  double horizon = 2.0;
};

std::unique_ptr<Environments> MakeRail(const Rail& rail) {
  TaskSpec task = SliderTask();
  task.model_path =
      ModelFile("sim_rail", Replace(Replace(kRail, "{axis}", rail.axis), "{motor}", rail.motor));
  task.actions = {{"push", -10.0, 10.0}};
  task.horizon = rail.horizon;
  GapSpec gap;
  gap.name = "rail";
  gap.parameters = rail.gap;
  return MakeEnvironments(task, gap, {.worlds = 1, .auto_reset = false});
}

void Give(const void* command, const StreamId&, std::span<const float>, std::span<float> action) {
  action[0] = *static_cast<const float*>(command) / 10.0f;
}

// Velocity after a time under a constant command (N).
double Velocity(const Rail& rail, float command, double time) {
  auto env = MakeRail(rail);
  const int steps = static_cast<int>(std::lround(time / 0.01));
  for (int k = 0; k < steps; ++k) env->Step(&Give, &command);
  return env->qvel(0)[0];
}

GapParameter Motor(const std::string& kind, double value) {
  return Parameter(kind, {"push"}, kSet, kUnit, Constant(value));
}
GapParameter Joint(const std::string& kind, double value) {
  return Parameter(kind, {"x"}, kSet, kUnit, Constant(value));
}
GapParameter World(const std::string& kind, double value) {
  return Parameter(kind, {}, kSet, kUnit, Constant(value));
}

TEST(Actuation, WithoutAnyItIsNewtonsLaw) { EXPECT_NEAR(Velocity({}, 4.0f, 0.5), 2.0, 1e-6); }

TEST(Actuation, ALagDelaysTheImpulseByItsTimeConstant) {
  // ∫(1 − e^(−t/τ)) dt = T − τ (1 − e^(−T/τ))
  const double tau = 0.05;
  EXPECT_NEAR(Velocity({.gap = {Motor("actuator_lag", tau)}}, 4.0f, 0.5),
              4.0 * (0.5 - tau * (1.0 - std::exp(-0.5 / tau))), 1e-6);
}

TEST(Actuation, TheForceLimitIsTheForce) {
  EXPECT_NEAR(Velocity({.gap = {Motor("actuator_force_limit", 1.5)}}, 4.0f, 0.5), 0.75, 1e-6);
  EXPECT_NEAR(Velocity({.motor = "forcerange='-3 3'"}, 4.0f, 0.5), 1.5, 1e-6);
}

// m dv/dt = F (1 − v/v₀), so v = v₀ (1 − e^(−F t / (m v₀))).
TEST(Actuation, TheTorqueSpeedLineGivesTheClosedFormOfVelocity) {
  const Rail rail{
      .gap = {Motor("actuator_force_limit", 4.0), Motor("actuator_no_load_speed", 2.0)}};
  for (double t : {0.2, 1.0, 1.9})
    EXPECT_NEAR(Velocity(rail, 9.0f, t), 2.0 * (1.0 - std::exp(-4.0 * t / 2.0)), 2e-3) << t;
}

TEST(Actuation, AWeakSupplyLowersTheForce) {
  const Rail rail{.gap = {Motor("actuator_force_limit", 4.0), Motor("actuator_no_load_speed", 1e9),
                          World("battery_nominal_voltage", 12.0), World("battery_voltage", 9.0)}};
  EXPECT_NEAR(Velocity(rail, 9.0f, 0.5), 0.5 * 4.0 * 0.75, 1e-6);
}

// P = c F² at rest, V = 12 − R P / V.
TEST(Actuation, ALoadedBatterySags) {
  const Rail rail{.motor = "forcerange='-4 4'",
                  .gap = {World("battery_nominal_voltage", 12.0), World("battery_voltage", 12.0),
                          World("battery_resistance", 0.5), Motor("motor_copper_loss", 3.0)}};
  auto env = MakeRail(rail);
  const float command = 1.0f;
  for (int k = 0; k < 3; ++k) env->Step(&Give, &command);
  const double power = 3.0 + env->qvel(0)[0];
  const double v = 12.0 * env->actuation().supply(0);
  EXPECT_NEAR(v, 12.0 - 0.5 * power / v, 0.01);
}

TEST(Actuation, AHotMotorIsDerated) {
  const Rail rail{.motor = "forcerange='-4 4'",
                  .gap = {Motor("motor_warm_start", 50.0), Motor("motor_thermal_time", 1e9),
                          Motor("motor_derating_from", 40.0), Motor("motor_derating_span", 20.0)}};
  EXPECT_NEAR(Velocity(rail, 9.0f, 0.5), 0.5 * 2.0, 1e-5);
}

TEST(Actuation, AMotorHeatsUp) {
  const Rail rail{.gap = {Motor("motor_heating", 2.0), Motor("motor_thermal_time", 0.5),
                          Motor("motor_derating_from", 1000.0)}};
  auto env = MakeRail(rail);
  const float command = 3.0f;
  for (int k = 0; k < 50; ++k) env->Step(&Give, &command);
  EXPECT_NEAR(env->actuation().memory(0)[0].rise, 18.0 * (1.0 - std::exp(-1.0)), 1e-6);
}

TEST(Actuation, LostCommandsLeaveTheOneBefore) {
  EXPECT_EQ(Velocity({.gap = {Motor("actuator_dropout", 1.0)}}, 4.0f, 0.5), 0.0);
  // Of the same command again and again the first that gets through counts: k lost ones cost k
  // steps, geometric with the mean p / (1 − p).
  TaskSpec task = SliderTask();
  task.horizon = 1.0;
  GapSpec gap;
  gap.parameters = {Motor("actuator_dropout", 0.75)};
  const int runs = 1000;
  auto env = MakeEnvironments(task, gap, {.worlds = runs, .threads = 2, .auto_reset = false});
  const float command = 10.0f;
  for (int k = 0; k < 60; ++k) env->Step(&Give, &command);
  double lost = 0.0;
  for (int w = 0; w < runs; ++w) lost += (0.6 - env->qvel(w)[0]) / 0.01 / runs;
  EXPECT_NEAR(lost, 3.0, 0.35);
}

TEST(Actuation, JitterDelaysByHalfOfItOnAverage) {
  // The first command of an episode comes late by a uniform draw; those after it are the same.
  TaskSpec task = SliderTask();
  GapSpec gap;
  gap.parameters = {Motor("actuator_delay", 0.012), Motor("actuator_jitter", 0.016)};
  const int runs = 1000;
  auto env = MakeEnvironments(task, gap, {.worlds = runs, .threads = 2, .auto_reset = false});
  const float command = 10.0f;
  for (int k = 0; k < 9; ++k) env->Step(&Give, &command);
  double mean = 0.0, least = 1.0, most = 0.0;
  for (int w = 0; w < runs; ++w) {
    const double late = 0.09 - env->qvel(w)[0];
    mean += late / runs;
    least = std::min(least, late);
    most = std::max(most, late);
  }
  // The newest of several that are on their way wins: a command that comes 10 ms after the first
  // can be there before it, which makes the mean a little less than 12 + 8 ms.
  EXPECT_GT(mean, 0.018);
  EXPECT_LT(mean, 0.020);
  EXPECT_GE(least, 0.012 - 1e-9);
  EXPECT_LE(most, 0.028 + 1e-9);
}

TEST(Actuation, CommandNoiseIsAForceNoise) {
  // v after n steps of independent forces σ: σ · dt · √n.
  double square = 0.0;
  const int runs = 200;
  TaskSpec task = SliderTask();
  task.model_path =
      ModelFile("sim_rail", Replace(Replace(kRail, "{axis}", "1 0 0"), "{motor}", ""));
  task.actions = {{"push", -10.0, 10.0}};
  task.horizon = 2.0;
  GapSpec gap;
  gap.parameters = {Motor("actuator_noise", 2.0)};
  auto env = MakeEnvironments(task, gap, {.worlds = runs, .threads = 2, .auto_reset = false});
  const float command = 0.0f;
  for (int k = 0; k < 100; ++k) env->Step(&Give, &command);
  for (int w = 0; w < runs; ++w) square += env->qvel(w)[0] * env->qvel(w)[0] / runs;
  EXPECT_NEAR(std::sqrt(square), 2.0 * 0.01 * 10.0, 0.025);
}

// Break-away at Coulomb + Stribeck; once it slides, Coulomb alone.
TEST(Actuation, StribeckFrictionHoldsAndThenLetsGo) {
  const Rail rail{.gap = {Joint("joint_frictionloss", 1.0), Joint("joint_stribeck_friction", 0.5),
                          Joint("joint_stribeck_speed", 0.02)}};
  EXPECT_NEAR(Velocity(rail, 1.4f, 0.5), 0.0, 2e-3);
  EXPECT_NEAR(Velocity(rail, 3.0f, 1.0), 2.0, 0.05);
}

// A weight of 10 N on a vertical rail: with load friction 0.3 it takes 10 · 1.3 / (1 − 0.3) to
// lift it, and the gear alone does not hold it.
TEST(Actuation, LoadDependentFrictionTakesMoreForceToLift) {
  const Rail plain{.axis = "0 0 1"};
  EXPECT_NEAR(Velocity(plain, 10.0f, 0.2), 0.0, 1e-6);
  Rail geared{.axis = "0 0 1", .gap = {Joint("joint_load_friction_external", 0.3)}};
  // The load's share alone is 3 N: 10 N hold it in balance, 7.2 N still do, 6 N do not.
  EXPECT_NEAR(Velocity(geared, 7.2f, 0.3), 0.0, 5e-3);
  EXPECT_NEAR(Velocity(geared, 6.0f, 0.3), -0.3 * (10.0 - 6.0 - 3.0), 0.02);
}

TEST(Actuation, AnInefficientGearLosesItsShare) {
  const Rail rail{.gap = {Joint("gear_efficiency", 0.75)}};
  EXPECT_NEAR(Velocity(rail, 4.0f, 0.5), 0.5 * 3.0, 0.02);
}

TEST(Actuation, ALimitInTheModelWithoutGapChangesNothing) {
  auto plain = MakeRail({});
  auto limited = MakeRail({.gap = {Motor("actuator_no_load_speed", 1e12)}});
  const float command = 7.0f;
  for (int k = 0; k < 50; ++k) {
    plain->Step(&Give, &command);
    limited->Step(&Give, &command);
  }
  EXPECT_EQ(plain->qvel(0)[0], limited->qvel(0)[0]) << "no force reaches the range";
}

TEST(Actuation, RefusesWhatHasNoSpeedOrNoLimit) {
  const auto verdict = [](GapParameter parameter) {
    const ModelPtr model = std::move(LoadModelText(Replace(Replace(kRail, "{axis}", "1 0 0"),
                                                           "{motor}", "forcerange='-1 2'")))
                               .value();
    GapSpec gap;
    gap.parameters = {std::move(parameter)};
    const auto plan = WorldPlan::Make(*model, gap);
    return plan.ok() ? "accepted" : plan.error().message;
  };
  EXPECT_THAT(verdict(Motor("actuator_force_limit", 1.0)), testing::HasSubstr("not symmetric"));
  EXPECT_THAT(verdict(Parameter("actuator_rate_limit", {"push"}, kScale, kUnit, Constant(0.5))),
              testing::HasSubstr("no limit of its own to scale; use the operation set"));
  EXPECT_THAT(verdict(Parameter("gear_efficiency", {"x"}, kScale, kUnit, Constant(1.5))),
              testing::HasSubstr("valid for gear_efficiency"));
}

}  // namespace
}  // namespace realward
