// A small model and a task for the tests of this stage.
#ifndef REALWARD_SIM_SIM_TEST_SUPPORT_H_
#define REALWARD_SIM_SIM_TEST_SUPPORT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/environments.h"

namespace realward::sim_test {

// A cart on a rail (motor, 10 N), a pole (passive, unlimited), a wrist (servo, limited to ±1 rad).
inline constexpr char kCart[] = R"(
<mujoco><compiler angle="radian"/><option timestep="0.002"/><worldbody>
  <body name="cart" pos="0 0 1"><joint name="rail" type="slide" axis="1 0 0" damping="0.2"/>
    <geom type="box" size=".2 .1 .1" mass="1.5" contype="0" conaffinity="0"/>
    <body name="pole"><joint name="hinge" axis="0 1 0" damping="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".3" contype="0" conaffinity="0"/>
      <body name="tip" pos="0 0 .6"><joint name="wrist" axis="0 1 0" range="-1 1" armature=".001"/>
        <geom size=".05" pos="0 0 .1" mass=".1" contype="0" conaffinity="0"/></body>
    </body></body>
</worldbody><actuator>
  <motor name="push" joint="rail" gear="10" ctrllimited="true" ctrlrange="-1 1"/>
  <position name="servo" joint="wrist" kp="3" kv=".1"/></actuator></mujoco>)";

// A mass of 1 kg that slides freely, pushed by a motor. Time step 5 ms, no gravity.
inline constexpr char kSlider[] = R"(
<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody>
  <body name="block"><joint name="x" type="slide" axis="1 0 0"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
</worldbody><actuator><motor name="push" joint="x"/><motor name="spare" joint="x"/></actuator>
</mujoco>)";

// Writes a model into the folder for test files, one per process; the path.
inline std::string ModelFile(const std::string& name, const std::string& xml) {
  const std::string path =
      testing::TempDir() + "/" + name + "_" + std::to_string(::getpid()) + ".xml";
  std::ofstream(path) << xml;
  return path;
}

inline TaskSpec CartTask() {
  TaskSpec task;
  task.name = "cart";
  task.model_path = ModelFile("sim_cart", kCart);
  task.control_period = 0.01;
  task.horizon = 0.3;
  task.actions = {{"push", -1.0, 1.0}, {"servo", -0.8, 0.8}};
  task.observations = {{ObservationKind::kPosition, "rail"},
                       {ObservationKind::kVelocity, "rail", 0.5, 1e3, 2},
                       {ObservationKind::kSin, "hinge"},
                       {ObservationKind::kCos, "hinge"},
                       {ObservationKind::kVelocity, "hinge"},
                       {ObservationKind::kPosition, "wrist"},
                       {ObservationKind::kLastAction, "", 1.0, 1e3, 2}};
  task.rewards = {{RewardKind::kCosTo, "hinge", 0.0, 1.0, 1.0},
                  {RewardKind::kActionSquared, "", 0.0, 1.0, -0.01}};
  task.terminations = {{ConditionKind::kPositionAbove, "rail", 0.0, 0.15}};
  task.success = {{ConditionKind::kNear, "hinge", 0.0, 0.5}};
  task.success_hold = 0.05;
  task.resets = {{"rail", -0.1, 0.1, -0.5, 0.5},
                 {"hinge", -3.0, 3.0, -1.0, 1.0},
                 {"wrist", -0.5, 0.5, 0.0, 0.0}};
  return task;
}

// One motor of ±1 N on the slider; never ends before its horizon of 10 steps of 10 ms.
inline TaskSpec SliderTask() {
  TaskSpec task;
  task.name = "slider";
  task.model_path = ModelFile("sim_slider", kSlider);
  task.control_period = 0.01;
  task.horizon = 0.1;
  task.actions = {{"push", -1.0, 1.0}};
  task.observations = {{ObservationKind::kPosition, "x"}, {ObservationKind::kVelocity, "x"}};
  task.rewards = {{RewardKind::kAlive, "", 0.0, 1.0, 1.0}};
  return task;
}

inline GapParameter Parameter(const std::string& kind, std::vector<std::string> targets,
                              Operation operation, Level level, Distribution distribution) {
  GapParameter parameter;
  parameter.name = kind + (targets.empty() ? "" : "." + targets[0]);
  parameter.kind = kind;
  parameter.targets = std::move(targets);
  parameter.operation = operation;
  parameter.level = level;
  parameter.distribution = distribution;
  return parameter;
}

inline Distribution Uniform(double a, double b) { return {DistributionKind::kUniform, a, b}; }
inline Distribution Constant(double a) { return {DistributionKind::kConstant, a}; }

// Masses (derived constants), gains, gravity, delays, noise, quantization: all that a draw touches.
inline GapSpec CartGap() {
  using enum Operation;
  using enum Level;
  GapSpec gap;
  gap.name = "cart_gap";
  gap.parameters = {
      Parameter("body_mass", {"pole", "tip"}, kScale, kEpisode, Uniform(0.6, 1.6)),
      Parameter("body_com_z", {"tip"}, kAdd, kEpisode, Uniform(-0.03, 0.03)),
      Parameter("joint_armature", {"wrist"}, kSet, kUnit, Uniform(0.0005, 0.002)),
      Parameter("joint_damping", {"hinge"}, kScale, kEpisode, Uniform(0.5, 2.0)),
      Parameter("gravity", {}, kScale, kEpisode, Uniform(0.95, 1.05)),
      Parameter("actuator_kp", {"servo"}, kScale, kUnit, Uniform(0.8, 1.2)),
      Parameter("actuator_delay", {"*"}, kSet, kEpisode, Uniform(0.0, 0.03)),
      Parameter("actuator_strength", {"push"}, kSet, kUnit, Uniform(0.8, 1.0)),
      Parameter("actuator_deadband", {"push"}, kSet, kUnit, Uniform(0.0, 0.05)),
      Parameter("sensor_noise", {"*"}, kSet, kStep, Uniform(0.001, 0.01)),
      Parameter("sensor_offset", {"rail.position"}, kSet, kEpisode, Uniform(-0.01, 0.01)),
      Parameter("sensor_quantization", {"hinge.position"}, kSet, kFleet, Constant(0.001)),
  };
  return gap;
}

// All that has a memory besides: commands on their way, motors, gears, supply, readings, wear.
inline GapSpec CartMemoryGap() {
  using enum Operation;
  using enum Level;
  GapSpec gap = CartGap();
  gap.name = "cart_memory_gap";
  GapParameter wear = Parameter("joint_damping", {"rail"}, kScale, kDrift, Uniform(0.0, 0.5));
  wear.drift_per = 3.6e6;
  const std::vector<GapParameter> more = {
      wear,
      Parameter("operating_hours", {}, kSet, kUnit, Uniform(0.0, 7.2e6)),
      Parameter("ground_slope", {}, kSet, kEpisode, Uniform(0.0, 0.1)),
      Parameter("ground_slope_direction", {}, kSet, kEpisode, Uniform(-3.0, 3.0)),
      Parameter("actuator_jitter", {"*"}, kSet, kStep, Uniform(0.0, 0.02)),
      Parameter("actuator_dropout", {"*"}, kSet, kStep, Uniform(0.0, 0.3)),
      Parameter("actuator_noise", {"push"}, kSet, kStep, Uniform(0.0, 0.1)),
      Parameter("actuator_rate_limit", {"push"}, kSet, kUnit, Uniform(50.0, 100.0)),
      Parameter("actuator_lag", {"*"}, kSet, kUnit, Uniform(0.0, 0.02)),
      Parameter("actuator_second_lag", {"push"}, kSet, kUnit, Uniform(0.0, 0.02)),
      Parameter("actuator_force_limit", {"push"}, kSet, kUnit, Uniform(0.5, 0.9)),
      Parameter("actuator_no_load_speed", {"push"}, kSet, kUnit, Uniform(5.0, 9.0)),
      Parameter("motor_heating", {"push"}, kSet, kUnit, Uniform(10.0, 90.0)),
      Parameter("motor_thermal_time", {"push"}, kSet, kUnit, Uniform(0.1, 0.5)),
      Parameter("motor_derating_from", {"push"}, kSet, kUnit, Uniform(1.0, 3.0)),
      Parameter("motor_copper_loss", {"push"}, kSet, kUnit, Uniform(10.0, 30.0)),
      Parameter("battery_nominal_voltage", {}, kSet, kFleet, Constant(12.0)),
      Parameter("battery_voltage", {}, kSet, kUnit, Uniform(11.0, 12.6)),
      Parameter("battery_resistance", {}, kSet, kUnit, Uniform(0.1, 0.5)),
      Parameter("joint_stribeck_friction", {"rail"}, kSet, kUnit, Uniform(0.1, 0.5)),
      Parameter("joint_load_friction_motor", {"*"}, kSet, kUnit, Uniform(0.0, 0.1)),
      Parameter("joint_load_friction_external", {"*"}, kSet, kUnit, Uniform(0.0, 0.1)),
      Parameter("sensor_latency", {"*"}, kSet, kUnit, Uniform(0.0, 0.02)),
      Parameter("sensor_jitter", {"*"}, kSet, kStep, Uniform(0.0, 0.02)),
      Parameter("sensor_backlash", {"wrist.position"}, kSet, kUnit, Uniform(0.0, 0.02)),
      Parameter("sensor_walk", {"*.velocity"}, kSet, kStep, Uniform(0.0, 0.1)),
      Parameter("sensor_instability", {"*.velocity"}, kSet, kStep, Uniform(0.0, 0.1)),
      Parameter("sensor_dropout", {"*"}, kSet, kStep, Uniform(0.0, 0.3)),
      Parameter("sensor_stuck_rate", {"*"}, kSet, kUnit, Uniform(0.0, 1.0)),
  };
  gap.parameters.insert(gap.parameters.end(), more.begin(), more.end());
  return gap;
}

// Pseudo-random actions from the stream alone.
inline void Explore(const void*, const StreamId& id, std::span<const float>,
                    std::span<float> action) {
  Stream stream(id);
  for (float& a : action) a = static_cast<float>(stream.Uniform(-1.2, 1.2));
}

// A linear feedback of the observation, and some exploration.
inline void React(const void*, const StreamId& id, std::span<const float> observation,
                  std::span<float> action) {
  Stream stream(id);
  for (std::size_t a = 0; a < action.size(); ++a) {
    float sum = static_cast<float>(0.1 * stream.Normal());
    for (std::size_t i = 0; i < observation.size(); ++i)
      sum += (i % 2 == a ? 0.3f : -0.2f) * observation[i];
    action[a] = sum;
  }
}

// The same action for every world and entry.
inline void Hold(const void* value, const StreamId&, std::span<const float>,
                 std::span<float> action) {
  for (float& a : action) a = *static_cast<const float*>(value);
}

inline std::unique_ptr<Environments> MakeEnvironments(const TaskSpec& task, const GapSpec& gap,
                                                      const EnvironmentOptions& options) {
  auto made = Environments::Make(task, gap, options);
  if (!made.ok()) {
    ADD_FAILURE() << made.error().message;
    return nullptr;
  }
  return std::move(made).value();
}

template <class T>
std::vector<T> Copy(std::span<T> values) {
  return {values.begin(), values.end()};
}
inline std::vector<double> Copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}
inline std::vector<float> Copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace realward::sim_test

#endif  // REALWARD_SIM_SIM_TEST_SUPPORT_H_
