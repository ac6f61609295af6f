#include "deploy/virtual_robot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/test_task.h"

namespace realward {
namespace {

using testing_support::SlideGap;
using testing_support::SlideTask;

std::unique_ptr<VirtualRobot> MakeRobot(std::uint64_t seed = 3, std::uint32_t unit = 0,
                                        const std::string& faults = "") {
  VirtualRobotOptions options;
  options.seed = seed;
  options.unit = unit;
  if (!faults.empty()) options.faults = ParseFaults("faults:\n" + faults, "f.yaml").value();
  return std::move(VirtualRobot::Make(SlideTask(), SlideGap(), options)).value();
}

std::vector<double> Trace(VirtualRobot& robot, std::int64_t trial) {
  std::vector<double> trace = *robot.Reset(trial, 99);
  const double command[] = {1.0};
  for (int k = 0; k < 30; ++k) {
    const RobotStep step = *robot.Step(command);
    trace.insert(trace.end(), step.values.begin(), step.values.end());
  }
  robot.Stop();
  return trace;
}

TEST(VirtualRobot, DescribesItsTaskAndHidesItsWorld) {
  const RobotDescription description = MakeRobot()->Describe();
  ASSERT_TRUE(CheckDescription(description).ok());
  ASSERT_EQ(description.channels.size(), 2u);
  EXPECT_EQ(description.channels[1].name, "rail.velocity");
  EXPECT_EQ(description.channels[1].unit, "m/s");
  EXPECT_EQ(description.actuators[0].high, 10.0);
  EXPECT_EQ(description.control_period_s, 0.01);
}

TEST(VirtualRobot, ATrialIsAFunctionOfSeedAndNumber) {
  const auto robot = MakeRobot();
  const std::vector<double> first = Trace(*robot, 4);
  const std::vector<double> other = Trace(*robot, 5);
  EXPECT_NE(first, other);
  EXPECT_EQ(first, Trace(*robot, 4));         // whatever was run before
  EXPECT_EQ(first, Trace(*MakeRobot(3), 4));  // in another process
  EXPECT_NE(first, Trace(*MakeRobot(8), 4));  // another robot of the fleet
}

TEST(VirtualRobot, EndsAtTheHorizonWithAnOutcome) {
  const auto robot = MakeRobot();
  ASSERT_TRUE(robot->Reset(0, 0).ok());
  const double command[] = {0.0};
  for (int k = 1; k <= 100; ++k) {
    const RobotStep step = *robot->Step(command);
    ASSERT_EQ(step.outcome.has_value(), k == 100) << k;
    if (k < 100) continue;
    EXPECT_EQ(step.outcome->end, LinkTrialEnd::kHorizon);
    EXPECT_FALSE(*step.outcome->success);
    EXPECT_TRUE(step.outcome->total_return.has_value());
  }
}

TEST(VirtualRobot, UnitsOfOneFleetDifferAndEachIsAFunctionOfItsNumber) {
  const std::vector<double> first = Trace(*MakeRobot(3, 0), 4);
  EXPECT_NE(first, Trace(*MakeRobot(3, 1), 4));
  EXPECT_EQ(first, Trace(*MakeRobot(3), 4));
}

TEST(VirtualRobot, AScriptWhoseFaultsDoNotActChangesNoBit) {
  const std::string all =
      "  - {fault: joint_jams, target: rail, trials: [9], from: 0 s}\n"
      "  - {fault: actuator_dies, target: push, trials: [9], from: 0 s}\n"
      "  - {fault: voltage_drops, to: 0.5, trials: [9], from: 0 s}\n"
      "  - {fault: sensor_jumps, target: rail.position, by: 1 m, trials: [9], from: 0 s}\n";
  const auto robot = MakeRobot(3, 0, all);
  EXPECT_EQ(Trace(*robot, 4), Trace(*MakeRobot(3), 4));
  EXPECT_NE(Trace(*robot, 9), Trace(*MakeRobot(3), 9));
  EXPECT_EQ(Trace(*robot, 4), Trace(*MakeRobot(3), 4)) << "after a trial with faults";
}

// The same with the engine's other integrators, back-EMF and several joints: the examples' robots.
TEST(VirtualRobot, AScriptChangesNoBitOfTheExamplesEither) {
  for (const std::string example : {"01_pendulum", "02_furuta"}) {
    const std::string folder = RW_SOURCE_DIR "/examples/" + example;
    const TaskSpec task = LoadTask(folder + "/task.yaml").value();
    const GapSpec gap = LoadGap(folder + "/hidden.yaml").value();
    const auto trace = [&](const std::string& faults) {
      VirtualRobotOptions options;
      options.faults = ParseFaults(faults, "f.yaml").value();
      auto robot = std::move(VirtualRobot::Make(task, gap, options)).value();
      std::vector<double> values = *robot->Reset(1, 0);
      for (int k = 0; k < 200; ++k) {
        const double command[] = {k % 40 < 20 ? 2.0 : -1.5};
        const RobotStep step = *robot->Step(command);
        values.insert(values.end(), step.values.begin(), step.values.end());
      }
      return values;
    };
    EXPECT_EQ(trace("faults: []\n"),
              trace("faults:\n  - {fault: joint_jams, target: '*', trials: [2], from: 0 s}\n"))
        << example;
  }
}

// Open loop, so that the true state does not depend on what is read.
TEST(VirtualRobot, SensorFaultsChangeReadingsAndNotTheWorldOrTheJudgement) {
  const auto run = [](const std::string& faults) {
    const auto robot = MakeRobot(3, 0, faults);
    std::vector<std::vector<double>> values = {*robot->Reset(4, 0)};
    const double command[] = {1.0};
    for (;;) {
      const RobotStep step = *robot->Step(command);
      values.push_back(step.values);
      if (step.outcome) return std::pair(values, *step.outcome->total_return);
    }
  };
  const auto [plain, plain_return] = run("");
  const auto [faulty, faulty_return] =
      run("  - {fault: sensor_freezes, target: rail.position, from: 0.2 s, for: 0.1 s}\n"
          "  - {fault: sensor_jumps, target: rail.velocity, from: 0.5 s, by: 2 m/s}\n"
          "  - {fault: sensor_drops_out, target: rail.position, from: 0.9 s}\n");
  EXPECT_EQ(faulty_return, plain_return);
  for (int k = 0; k <= 100; ++k) {
    if (k >= 90) {
      EXPECT_TRUE(std::isnan(faulty[k][0]));
    } else {
      EXPECT_EQ(faulty[k][0], plain[k >= 20 && k < 30 ? 20 : k][0]);
    }
    EXPECT_EQ(faulty[k][1], plain[k][1] + (k >= 50 ? 2.0 : 0.0));
  }
}

TEST(VirtualRobot, PhysicalFaultsActFromTheirStateOn) {
  const auto run = [](const std::string& faults) {
    const auto robot = MakeRobot(3, 0, faults);
    std::vector<double> positions = {(*robot->Reset(4, 0))[0]};
    const double command[] = {5.0};
    for (int k = 1; k <= 60; ++k) positions.push_back((*robot->Step(command)).values[0]);
    return positions;
  };
  const std::vector<double> plain = run("");
  const std::vector<double> jammed =
      run("  - {fault: joint_jams, target: rail, from: 0.3 s, for: 0.1 s}\n");
  const std::vector<double> dead = run("  - {fault: actuator_dies, target: push, from: 0.3 s}\n");
  const std::vector<double> weak = run("  - {fault: voltage_drops, to: 0.5, from: 0.3 s}\n");
  for (int k = 0; k <= 30; ++k) {
    EXPECT_EQ(jammed[k], plain[k]);
    EXPECT_EQ(dead[k], plain[k]);
    EXPECT_EQ(weak[k], plain[k]);
  }
  for (int k = 31; k <= 40; ++k) EXPECT_NEAR(jammed[k], plain[30], 1e-6);
  EXPECT_GT(jammed[60], plain[30] + 0.01);  // it goes on, from rest
  EXPECT_LT(jammed[60], plain[60] - 0.01);
  EXPECT_LT(dead[60], weak[60]);
  EXPECT_LT(weak[60], plain[60]);
}

}  // namespace
}  // namespace realward
