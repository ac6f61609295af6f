#include "deploy/fault_physics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "spec/task.h"

namespace realward {
namespace {

using testing::HasSubstr;

// A cart on a rail, a second cart on the first. No friction, no gravity.
constexpr char kCarts[] = R"(
<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody>
  <body name="a"><joint name="first" type="slide" axis="1 0 0"/>
    <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
    <body name="b"><joint name="second" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></body>
</worldbody><actuator><motor name="push" joint="first"/></actuator></mujoco>)";

// A pendulum under a cart, or under the fixed point where the cart stands.
std::string Hanging(bool cart, const std::string& extra = "") {
  return fmt::format(
      R"(<mujoco><option timestep="0.005"/><worldbody><body name="cart" pos="0.3 0 1">
  {}<inertial pos="0 0 0" mass="1.5" diaginertia="1 1 1"/>
  <body name="pole"><joint name="hinge" axis="0 1 0" damping="0.01"/>
    <inertial pos="0 0 -.5" mass=".4" diaginertia=".01 .01 .01"/></body></body></worldbody>
  <actuator><motor name="push" joint="{}"/></actuator>{}</mujoco>)",
      cart ? R"(<joint name="rail" type="slide" axis="1 0 0"/>)" : "", cart ? "rail" : "hinge",
      extra);
}

std::string WriteModel(const std::string& name, const std::string& xml) {
  const std::string path = fmt::format("{}/faults_{}_{}.xml", testing::TempDir(), name, ::getpid());
  std::ofstream(path) << xml;
  return path;
}

struct World {
  std::unique_ptr<Environments> env;
  std::unique_ptr<FaultPhysics> faults;

  void Step(double command, int steps = 1) {
    const auto act = [](const void* value, const StreamId&, std::span<const float>,
                        std::span<float> action) {
      for (float& a : action) a = *static_cast<const float*>(value);
    };
    const auto action = static_cast<float>(command / 10.0);
    for (int k = 0; k < steps; ++k) env->Step(act, &action);
  }
  void Place(std::vector<double> qpos, std::vector<double> qvel) { env->SetState(0, qpos, qvel); }
  double q(int i) const { return env->qpos(0)[i]; }
  double v(int i) const { return env->qvel(0)[i]; }
};

// One control step is two steps of the model; commands are ±10.
World MakeWorld(const std::string& name, const std::string& xml, const std::string& actuator,
                const GapSpec& gap = {}) {
  TaskSpec task;
  task.name = name;
  task.model_path = WriteModel(name, xml);
  task.control_period = 0.01;
  task.horizon = 100.0;
  task.actions = {{actuator, -10.0, 10.0}};
  task.observations = {{ObservationKind::kLastAction, ""}};
  EnvironmentOptions options;
  options.edit_model = &PrepareForFaults;
  World world;
  auto env = Environments::Make(task, gap, options);
  EXPECT_TRUE(env.ok()) << env.error().message;
  world.env = std::move(env).value();
  world.faults = std::move(FaultPhysics::Make(*world.env, 0, true)).value();
  return world;
}

TEST(FaultPhysics, AJamIsAPlasticImpactThatKeepsTheMomentumOfTheRest) {
  World world = MakeWorld("carts", kCarts, "push");
  ASSERT_EQ(JammableJoints(world.env->model()), (std::vector<std::string>{"first", "second"}));
  // The second cart stops on the first: 2 · 1 + 3 · (1 + 2) = 5 v.
  world.Place({0.0, 0.1}, {1.0, 2.0});
  world.faults->Jam(1, true);
  EXPECT_NEAR(world.v(0), 11.0 / 5.0, 1e-12);
  EXPECT_EQ(world.v(1), 0.0);
  world.Step(0.0, 100);
  EXPECT_NEAR(world.q(0), 2.2, 1e-9);
  EXPECT_NEAR(world.q(1), 0.1, 1e-12);
  // Then it is one body of 5 kg: 10 N for 1 s.
  world.Step(10.0, 100);
  EXPECT_NEAR(world.v(0), 2.2 + 2.0, 1e-6);
  EXPECT_NEAR(world.q(1), 0.1, 1e-6);
  // The first stops too. Nothing can move; the rail takes the momentum.
  world.faults->Jam(0, true);
  EXPECT_EQ(world.v(0), 0.0);
  EXPECT_EQ(world.v(1), 0.0);
}

TEST(FaultPhysics, WhatDoesNotHangOnTheJammedJointKeepsItsSpeed) {
  World world = MakeWorld("carts", kCarts, "push");
  world.Place({0.0, 0.0}, {1.0, 2.0});
  world.faults->Jam(0, true);  // the second cart glides on, at 3 m/s in space
  EXPECT_EQ(world.v(0), 0.0);
  EXPECT_NEAR(world.v(1), 3.0, 1e-12);
  world.Step(10.0, 100);
  EXPECT_NEAR(world.q(0), 0.0, 1e-6);
  EXPECT_NEAR(world.q(1), 3.0, 1e-5);
}

// The rest of the mechanism goes on as on a fixed base: the same model without the joint.
TEST(FaultPhysics, AJammedJointHoldsAndTheRestMovesAsIfItWereWelded) {
  World world = MakeWorld("cartpole", Hanging(true), "push");
  world.Place({0.2, 1.0}, {0.0, 0.0});
  world.faults->Jam(0, true);
  ModelPtr welded = std::move(LoadModelText(Hanging(false))).value();
  DataPtr data = MakeData(*welded);
  data->qpos[0] = 1.0;
  double most = 0.0, difference = 0.0;
  for (int k = 0; k < 300; ++k) {
    world.Step(10.0);  // the motor pushes against the jam
    for (int i = 0; i < 2; ++i) mj_step(welded.get(), data.get());
    most = std::max(most, std::abs(world.q(0) - 0.2));
    difference = std::max(difference, std::abs(world.q(1) - data->qpos[0]));
  }
  EXPECT_LT(most, 1e-6);
  EXPECT_LT(difference, 1e-4);
  world.faults->Jam(0, false);
  world.Step(10.0, 20);
  EXPECT_GT(world.q(0), 0.2 + 0.01);
}

// A constraint that the model has of its own is not taken for the lock.
TEST(FaultPhysics, AJamHoldsBesideAModelsOwnConstraints) {
  const std::string own = R"(<equality><joint joint1="rail" active="false"/></equality>)";
  World world = MakeWorld("own", Hanging(true, own), "push");
  world.Place({0.2, 0.0}, {0.0, 0.0});
  world.faults->Jam(0, true);
  world.Step(10.0, 100);
  EXPECT_NEAR(world.q(0), 0.2, 1e-6);
}

// The stated tolerance: 4·10⁻⁴ a h² against an acceleration a; here a = 1000 m/s², h = 5 ms.
TEST(FaultPhysics, AJamGivesWayByNoMoreThanItSays) {
  World world = MakeWorld("strong",
                          R"(<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody>
    <body><joint name="x" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass=".01"
      diaginertia="1 1 1"/></body></worldbody>
    <actuator><motor name="push" joint="x"/></actuator></mujoco>)",
                          "push");
  world.faults->Jam(0, true);
  world.Step(10.0, 200);
  EXPECT_GT(world.q(0), 0.0);
  EXPECT_LT(world.q(0), 4.1e-4 * 1000.0 * 0.005 * 0.005);
}

TEST(FaultPhysics, ADeadActuatorIsNone) {
  for (const char* integrator : {"Euler", "implicitfast", "RK4"}) {
    const auto model = [&](bool motor) {
      return fmt::format(R"(<mujoco><option timestep="0.005" integrator="{}"/><worldbody>
        <body name="b"><joint name="hinge" axis="0 1 0" damping="0.001"/>
          <inertial pos="0 0 -.2" mass=".3" diaginertia=".01 .01 .01"/></body></worldbody>
        <actuator>{}<motor name="other" joint="hinge" gear="0.01"/></actuator></mujoco>)",
                         integrator,
                         motor ? R"(<general name="motor" joint="hinge" gainprm="0.5"
                           biastype="affine" biasprm="0.1 -0.2 -0.3"/>)"
                               : "");
    };
    World world = MakeWorld("dead", model(true), "motor");
    world.Place({1.0}, {0.5});
    world.faults->Kill(0, true);
    ModelPtr bare = std::move(LoadModelText(model(false))).value();
    DataPtr data = MakeData(*bare);
    data->qpos[0] = 1.0;
    data->qvel[0] = 0.5;
    for (int k = 0; k < 200; ++k) {
      world.Step(10.0);
      for (int i = 0; i < 2; ++i) mj_step(bare.get(), data.get());
      ASSERT_NEAR(world.q(0), data->qpos[0], 1e-12) << integrator;
    }
    world.faults->Kill(0, false);
    world.Step(10.0, 20);
    for (int i = 0; i < 40; ++i) mj_step(bare.get(), data.get());
    EXPECT_GT(std::abs(world.q(0) - data->qpos[0]), 0.01) << integrator;
  }
}

TEST(FaultPhysics, ASaggingSupplyScalesTheDrawnStrength) {
  GapSpec gap;
  gap.name = "weak";
  GapParameter weak;
  weak.name = weak.kind = "actuator_strength";
  weak.targets = {"push"};
  weak.distribution = {DistributionKind::kConstant, 0.5, 0.0, {}, {}};
  gap.parameters = {weak};
  World world = MakeWorld("carts", kCarts, "push", gap);
  // The second cart glides freely: 10 N · 0.5 · factor on 2 kg.
  for (const double factor : {1.0, 0.7, 0.0, 1.0}) {
    world.Place({0.0, 0.0}, {0.0, 0.0});
    world.faults->SetSupply(factor);
    world.Step(10.0, 10);
    EXPECT_NEAR(world.v(0), 0.1 * 10.0 * 0.5 * factor / 2.0, 1e-9) << factor;
  }
}

TEST(FaultPhysics, AResetUndoesEveryFault) {
  World world = MakeWorld("carts", kCarts, "push");
  const auto trace = [&] {
    world.faults->BeforeReset();
    world.env->Reset(0, 3);
    world.faults->AfterReset();
    world.Step(7.0, 30);
    return world.env->StateHash();
  };
  const std::string before = trace();
  world.faults->Jam(0, true);
  world.faults->Jam(1, true);
  world.faults->Kill(0, true);
  world.faults->SetSupply(0.5);
  world.Step(7.0, 10);
  EXPECT_EQ(trace(), before);
}

TEST(FaultPhysics, AModelWithoutConstraintsCannotJam) {
  TaskSpec task;
  task.name = "off";
  task.model_path =
      WriteModel("off", Hanging(true, R"(<option><flag equality="disable"/></option>)"));
  task.control_period = 0.01;
  task.actions = {{"push", -10.0, 10.0}};
  task.observations = {{ObservationKind::kLastAction, ""}};
  EnvironmentOptions options;
  options.edit_model = &PrepareForFaults;
  const auto env = std::move(Environments::Make(task, {}, options)).value();
  const auto faults = FaultPhysics::Make(*env, 0, true);
  ASSERT_FALSE(faults.ok());
  EXPECT_EQ(faults.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(faults.error().message, HasSubstr("'equality'"));
  EXPECT_TRUE(FaultPhysics::Make(*env, 0, false).ok());
}

}  // namespace
}  // namespace realward
