#include "deploy/virtual_robot.h"

#include <gtest/gtest.h>

#include "sim/test_task.h"

namespace realward {
namespace {

using testing_support::SlideGap;
using testing_support::SlideTask;

std::unique_ptr<VirtualRobot> MakeRobot(std::uint64_t seed = 3) {
  VirtualRobotOptions options;
  options.seed = seed;
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

}  // namespace
}  // namespace realward
