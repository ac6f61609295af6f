// A small task for tests of the stages right of sim: a damped mass on a rail with a motor.
#ifndef REALWARD_SIM_TEST_TASK_H_
#define REALWARD_SIM_TEST_TASK_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/hash.h"
#include "base/policy.h"
#include "sim/contract.h"
#include "sim/terms.h"
#include "spec/gap.h"
#include "spec/task.h"

namespace realward::testing_support {

// Writes the model into the test's folder. 1 kg on a slide, force ±10 N, 100 Hz, 1 s; success:
// within 0.1 m of 0.5 m at the end.
inline TaskSpec SlideTask() {
  const std::string path = ::testing::TempDir() + "/slide_" + std::to_string(::getpid()) + ".xml";
  std::ofstream(path)
      << R"(<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody><body name="cart">
    <joint name="rail" type="slide" axis="1 0 0" damping="2"/><geom size="0.1" mass="1"/></body></worldbody>
    <actuator><motor name="push" joint="rail"/></actuator></mujoco>)";
  TaskSpec task;
  task.name = "slide";
  task.model_path = path;
  task.model_hash = HashFile(path).value();
  task.control_period = 0.01;
  task.horizon = 1.0;
  task.actions = {{"push", -10.0, 10.0}};
  task.observations = {{ObservationKind::kPosition, "rail"},
                       {ObservationKind::kVelocity, "rail"},
                       {ObservationKind::kLastAction, ""}};
  task.rewards = {{RewardKind::kNear, "rail", 0.5, 0.2, 1.0},
                  {RewardKind::kActionSquared, "", 0.0, 1.0, -0.01}};
  task.success = {{ConditionKind::kNear, "rail", 0.5, 0.1}};
  task.resets = {{"rail", -0.2, 0.2, -0.1, 0.1}};
  return task;
}

// A linear controller, a = kp (0.5 − x) − kd v, as a policy of the task.
inline PolicyArtifact SlideController(const TaskSpec& task, float kp, float kd) {
  PolicyArtifact policy;
  policy.name = "controller";
  policy.contract = MakeContract(task);
  policy.network.observation_mean = {0.5f, 0.0f, 0.0f};
  policy.network.observation_std = {1.0f, 1.0f, 1.0f};
  policy.network.layers = {{3, 1, {-kp, -kd, 0.0f}, {0.0f}}};
  policy.action_std = {0.1f};
  return policy;
}

inline GapParameter Parameter(const std::string& name, const std::string& kind,
                              const std::string& target, Operation operation,
                              Distribution distribution, Level level = Level::kUnit) {
  GapParameter parameter;
  parameter.name = name;
  parameter.kind = kind;
  parameter.targets = {target};
  parameter.operation = operation;
  parameter.level = level;
  parameter.distribution = distribution;
  return parameter;
}

// Mass, damping, delay and noise, each different from world to world.
inline GapSpec SlideGap() {
  GapSpec gap;
  gap.name = "slide-gap";
  const auto uniform = [](double a, double b) {
    return Distribution{DistributionKind::kUniform, a, b, {}, {}};
  };
  gap.parameters = {
      Parameter("mass", "body_mass", "cart", Operation::kScale, uniform(0.5, 2.0)),
      Parameter("damping", "joint_damping", "rail", Operation::kScale, uniform(0.5, 2.0)),
      Parameter("delay", "actuator_delay", "push", Operation::kSet, uniform(0.0, 0.03)),
      Parameter("noise", "sensor_noise", "rail.velocity", Operation::kSet, uniform(0.0, 0.05))};
  return gap;
}

}  // namespace realward::testing_support

#endif  // REALWARD_SIM_TEST_TASK_H_
