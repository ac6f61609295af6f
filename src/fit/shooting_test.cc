#include "fit/shooting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fit/segments.h"
#include "fit/test_logs.h"

namespace realward {
namespace {

using ::testing::HasSubstr;
using testing::Recipe;
using testing::SimulatedLog;

constexpr const char* kPendulum = R"(<mujoco><option timestep="0.002" integrator="implicitfast"/>
  <worldbody><body name="pendulum"><joint name="hinge" axis="0 1 0" damping="0.02"
    frictionloss="0.05"/><inertial pos="0 0 -0.45" mass="0.7" diaginertia="0.01 0.01 0.001"/></body>
  </worldbody><actuator><motor name="motor" joint="hinge"/></actuator></mujoco>)";
// A free wheel: torque in, double integrator out.
constexpr const char* kWheel = R"(<mujoco><option timestep="0.005" gravity="0 0 0"/>
  <worldbody><body><joint name="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1"
    diaginertia="0.5 0.5 0.5"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge" ctrllimited="true" ctrlrange="-2 2"/></actuator>
  </mujoco>)";

ModelPtr Load(const char* xml) { return std::move(LoadModelText(xml)).value(); }

GapParameter Parameter(const std::string& kind, const std::string& target, double value) {
  GapParameter p;
  p.name = kind;
  p.kind = kind;
  p.targets = {target};
  p.distribution.a = value;
  return p;
}

GapSpec DelayAndOffset() {
  GapSpec gap;
  gap.name = "test";
  gap.parameters = {Parameter("actuator_delay", "motor", 0.0),
                    Parameter("actuator_offset", "motor", 0.0)};
  return gap;
}

double Wave(double t) { return 1.5 * std::sin(3.0 * t) + 0.8 * std::sin(7.3 * t); }

// One shot over the whole log from a given state.
ShotResults ShootWhole(Shooter& shooter, std::vector<double> parameters, std::vector<double> state,
                       Segment& segment) {
  const std::vector<double>& times = shooter.logs()[0].time_s;
  segment = CutLog(shooter, 0, times.back() - times.front())[0];
  const Shot shot{&segment, 0, state};
  ShotResults results;
  EXPECT_TRUE(
      shooter.Simulate({parameters.data(), 1, parameters.size()}, {&shot, 1}, results).ok());
  return results;
}

TEST(Shooting, AgreesWithAPlainStepLoopWithDelayAndOffset) {
  const ModelPtr model = Load(kPendulum);
  Recipe recipe{.duration = 2.0, .delay_steps = 3, .offset = 0.1, .command = Wave};
  const std::vector<Log> logs = {SimulatedLog(*model, recipe)};
  Shooter shooter = std::move(Shooter::Make(*model, DelayAndOffset(), logs, 2)).value();
  Segment segment;
  const ShotResults results = ShootWhole(shooter, {0.006, 0.1}, {0.0, 0.0}, segment);
  ASSERT_EQ(results.diverged[0], 0);
  const auto predicted = results.Predicted(0, segment, 2);
  ASSERT_EQ(predicted.rows(), logs[0].time_s.size());
  double range = 0.0;
  for (std::size_t k = 0; k < predicted.rows(); ++k) {
    EXPECT_NEAR(predicted(k, 0), logs[0].values(k, 0), 1e-9) << k;
    EXPECT_NEAR(predicted(k, 1), logs[0].values(k, 1), 1e-8) << k;
    range = std::max(range, std::abs(predicted(k, 0)));
  }
  EXPECT_GT(range, 0.2);  // it moved
}

TEST(Shooting, ADelayIsContinuousInTimeAndCommandsAreClippedBeforeTheOffset) {
  const ModelPtr model = Load(kWheel);
  Log log;
  log.name = "step";
  log.channels = {"hinge.position", "hinge.velocity"};
  log.actuators = {"motor"};
  log.time_s = {0.0, 0.1, 0.15, 0.2, 0.3};
  log.values = Matrix<double>(5, 2);
  log.commands = Matrix<double>(5, 1);
  for (std::size_t k = 1; k < 5; ++k) log.commands(k, 0) = 5.0;  // beyond the range of 2
  const std::vector<Log> logs = {log};
  Shooter shooter = std::move(Shooter::Make(*model, DelayAndOffset(), logs, 1)).value();
  for (double delay : {0.0, 0.0013, 0.007}) {
    Segment segment;
    const ShotResults results = ShootWhole(shooter, {delay, 0.5}, {0.0, 0.0}, segment);
    // Torque: the offset always, and the clipped step from 0.1 s + delay on.
    const double impulse = 0.5 * 0.3 + 2.0 * (0.2 - delay);
    EXPECT_NEAR(results.end(0, 1), impulse / 0.5, 1e-9) << delay;
  }
}

// A free wheel of 0.5 kg·m² under a step of torque.
double WheelSpeed(std::vector<GapParameter> parameters, double torque, double duration) {
  const ModelPtr model = Load(kWheel);
  GapSpec gap;
  gap.parameters = std::move(parameters);
  std::vector<double> values;
  for (const GapParameter& p : gap.parameters) values.push_back(p.distribution.a);
  const std::vector<Log> logs = {SimulatedLog(
      *model, {.duration = duration, .command = [=](double t) { return t > 0.0 ? torque : 0.0; }})};
  auto shooter = Shooter::Make(*model, gap, logs, 1);
  EXPECT_TRUE(shooter.ok()) << shooter.error().message;
  Segment segment;
  const ShotResults results = ShootWhole(*shooter, values, {0.0, 0.0}, segment);
  return results.end(0, 1);
}

TEST(Shooting, DrivetrainsActAsInASimulation) {
  const double start = 0.01;  // the first sample's command is 0
  const double seconds = 1.0 - start;
  EXPECT_NEAR(WheelSpeed({}, 1.0, 1.0), seconds / 0.5, 1e-9);
  const double tau = 0.1;
  EXPECT_NEAR(WheelSpeed({Parameter("actuator_lag", "motor", tau)}, 1.0, 1.0),
              (seconds - tau * (1.0 - std::exp(-seconds / tau))) / 0.5, 1e-9);
  // I dω/dt = T (1 − ω/ω₀)
  EXPECT_NEAR(WheelSpeed({Parameter("actuator_force_limit", "motor", 1.0),
                          Parameter("actuator_no_load_speed", "motor", 1.5)},
                         2.0, 1.0),
              1.5 * (1.0 - std::exp(-seconds / 0.75)), 0.01);
  EXPECT_NEAR(WheelSpeed({Parameter("gear_efficiency", "hinge", 0.8)}, 1.0, 1.0),
              0.8 * seconds / 0.5, 0.02);
}

TEST(Shooting, ChannelOffsetsActOnThePrediction) {
  const ModelPtr model = Load(kPendulum);
  const std::vector<Log> logs = {SimulatedLog(*model, {.duration = 0.5, .command = Wave})};
  GapSpec gap;
  gap.parameters = {Parameter("joint_zero_offset", "hinge", 0.0),
                    Parameter("sensor_offset", "hinge.velocity", 0.0)};
  Shooter shooter = std::move(Shooter::Make(*model, gap, logs, 1)).value();
  Segment segment;
  const ShotResults results = ShootWhole(shooter, {0.3, -0.2}, {0.0, 0.0}, segment);
  const auto predicted = results.Predicted(0, segment, 2);
  for (std::size_t k = 0; k < predicted.rows(); ++k) {
    EXPECT_NEAR(predicted(k, 0), logs[0].values(k, 0) + 0.3, 1e-9);
    EXPECT_NEAR(predicted(k, 1), logs[0].values(k, 1) - 0.2, 1e-8);
  }
}

TEST(Shooting, SamplesBetweenPhysicsStepsAreInterpolated) {
  const ModelPtr model = Load(kWheel);
  Log log;
  log.channels = {"hinge.position"};
  log.actuators = {"motor"};
  log.time_s = {0.0, 0.0012, 0.0071, 0.0132, 0.0200};
  log.values = Matrix<double>(5, 1);
  log.commands = Matrix<double>(5, 1);
  const std::vector<Log> logs = {log};
  Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  Segment segment;
  const ShotResults results = ShootWhole(shooter, {}, {0.25, 2.0}, segment);
  const auto predicted = results.Predicted(0, segment, 2);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(predicted(k, 0), 0.25 + 2.0 * log.time_s[k], 1e-12);
}

TEST(Shooting, TheSameBitsAtOneAndTwoThreadsAndInAnyCompany) {
  const ModelPtr model = Load(kPendulum);
  const std::vector<Log> logs = {SimulatedLog(*model, {.duration = 3.0, .command = Wave})};
  std::vector<std::vector<double>> predictions;
  for (int threads : {1, 2}) {
    Shooter shooter = std::move(Shooter::Make(*model, DelayAndOffset(), logs, threads)).value();
    const std::vector<Segment> segments = CutLog(shooter, 0, 0.5);
    Matrix<double> worlds(3, 2);
    for (int w = 0; w < 3; ++w) worlds(w, 1) = 0.1 * w;
    const std::vector<double> state = {0.3, -1.0};
    std::vector<Shot> shots;
    for (const Segment& segment : segments) {
      for (int w = 0; w < 3; ++w) shots.push_back({&segment, w, state});
    }
    ShotResults results;
    ASSERT_TRUE(shooter.Simulate(worlds.view(), shots, results).ok());
    predictions.push_back(results.predictions);
    // The last shot alone gives what it gave among the others.
    ShotResults alone;
    ASSERT_TRUE(shooter.Simulate(worlds.view(), {&shots.back(), 1}, alone).ok());
    const std::vector<double> tail(results.predictions.begin() + results.offset.back(),
                                   results.predictions.end());
    EXPECT_EQ(tail, alone.predictions);
  }
  EXPECT_EQ(predictions[0], predictions[1]);
}

TEST(Shooting, AShotThatLeavesPhysicsIsZerosAndHarmsNoOther) {
  const ModelPtr model = Load(kPendulum);
  const std::vector<Log> logs = {SimulatedLog(*model, {.duration = 0.5, .command = Wave})};
  Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  const Segment segment = CutLog(shooter, 0, 1.0)[0];
  testing::QuietMujoco quiet;
  const std::vector<double> good = {0.0, 0.0};
  const std::vector<double> bad = {0.0, 1e12};
  const std::vector<Shot> shots = {{&segment, 0, good}, {&segment, 0, bad}, {&segment, 0, good}};
  ShotResults results;
  ASSERT_TRUE(shooter.Simulate({nullptr, 1, 0}, shots, results).ok());
  EXPECT_THAT(results.diverged, ::testing::ElementsAre(0, 1, 0));
  for (double value : results.predictions) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(results.Predicted(1, segment, 2)(3, 1), 0.0);
  EXPECT_EQ(results.end(0, 0), results.end(2, 0));
}

TEST(Shooting, RefusesLogsAndModelsThatDoNotFitEachOther) {
  const ModelPtr model = Load(kPendulum);
  std::vector<Log> logs = {SimulatedLog(*model, {.duration = 0.1, .command = Wave})};
  logs[0].actuators = {"engine"};
  EXPECT_THAT(Shooter::Make(*model, {}, logs, 1).error().message,
              HasSubstr("no command for actuator 'motor' of the model; it has: engine"));
  logs[0].actuators = {"motor"};
  logs[0].channels = {"elbow.position", "elbow.velocity"};
  EXPECT_THAT(Shooter::Make(*model, {}, logs, 1).error().message,
              HasSubstr("the model has hinge.position or hinge.velocity"));
  const ModelPtr ball = Load(
      "<mujoco><worldbody><body><joint name='b' type='ball'/><geom size='1'/></body></worldbody>"
      "</mujoco>");
  EXPECT_THAT(Shooter::Make(*ball, {}, {}, 1).error().message, HasSubstr("joint 'b' is a ball"));
}

TEST(Shooting, ACommandThatWasNotRecordedIsTheOneBefore) {
  const ModelPtr model = Load(kPendulum);
  std::vector<Log> logs = {SimulatedLog(*model, {.duration = 0.5, .command = Wave})};
  std::vector<Log> filled = logs;
  logs[0].commands(20, 0) = std::numeric_limits<double>::quiet_NaN();
  filled[0].commands(20, 0) = filled[0].commands(19, 0);
  Shooter with_nan = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  Shooter with_hold = std::move(Shooter::Make(*model, {}, filled, 1)).value();
  Segment segment;
  EXPECT_EQ(ShootWhole(with_nan, {}, {0.0, 0.0}, segment).predictions,
            ShootWhole(with_hold, {}, {0.0, 0.0}, segment).predictions);
}

}  // namespace
}  // namespace realward
