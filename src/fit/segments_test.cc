#include "fit/segments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fit/test_logs.h"

namespace realward {
namespace {

using testing::SimulatedLog;

constexpr const char* kWheel = R"(<mujoco><option timestep="0.002" gravity="0 0 0"/>
  <worldbody><body><joint name="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1"
    diaginertia="1 1 1"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>)";

ModelPtr Wheel() { return std::move(LoadModelText(kWheel)).value(); }

// Position 0.2 + 0.5 t − 2 t² (velocity its slope), sampled every `period` from `start` on.
Log Parabola(double start, double period, int samples) {
  Log log;
  log.name = "parabola";
  log.channels = {"hinge.position", "hinge.velocity"};
  log.actuators = {"motor"};
  log.values = Matrix<double>(samples, 2);
  log.commands = Matrix<double>(samples, 1);
  for (int k = 0; k < samples; ++k) {
    const double t = start + k * period;
    log.time_s.push_back(t);
    log.values(k, 0) = 0.2 + 0.5 * t - 2.0 * t * t;
    log.values(k, 1) = 0.5 - 4.0 * t;
  }
  return log;
}

RC_GTEST_PROP(Segments, EverySampleIsInOneSegmentAndSegmentsJoin, ()) {
  const int samples = *rc::gen::inRange(6, 400);
  const double length = *rc::gen::inRange(1, 100) * 0.013;
  const double start = *rc::gen::inRange(-100, 100) * 0.37;
  const ModelPtr model = Wheel();
  const std::vector<Log> logs = {Parabola(start, 0.0073, samples)};
  const Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  const std::vector<Segment> segments = CutLog(shooter, 0, length);
  RC_ASSERT(segments.front().first == 0u);
  RC_ASSERT(segments.back().last == static_cast<std::size_t>(samples));
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Segment& a = segments[s];
    const double end = a.begin + a.steps * 0.002;
    for (std::size_t k = a.first; k < a.last; ++k) {
      RC_ASSERT(logs[0].time_s[k] >= a.begin - 1e-8);
      RC_ASSERT(logs[0].time_s[k] <= end + 1e-8);
    }
    RC_ASSERT(a.is_continued == (s + 1 < segments.size()));
    if (!a.is_continued) continue;
    RC_ASSERT(a.last == segments[s + 1].first);
    RC_ASSERT(std::abs(end - segments[s + 1].begin) < 1e-8);
  }
}

TEST(Segments, NothingCrossesACut) {
  const ModelPtr model = Wheel();
  std::vector<Log> logs = {Parabola(0.0, 0.01, 200)};
  logs[0].cuts = {80};
  for (std::size_t k = 80; k < 200; ++k) {  // the robot was put elsewhere
    logs[0].values(k, 0) = 5.0;
    logs[0].values(k, 1) = 0.0;
  }
  const Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  const std::vector<Segment> segments = CutLog(shooter, 0, 0.4);
  ASSERT_EQ(segments.size(), 5u);
  EXPECT_FALSE(segments[1].is_continued);
  EXPECT_EQ(segments[1].last, 80u);
  EXPECT_EQ(segments[2].first, 80u);
  const std::vector<ChannelSettings> settings(2);
  const std::vector<double> after = GuessState(shooter, 0, segments[2].begin, settings);
  EXPECT_NEAR(after[0], 5.0, 1e-9);
  EXPECT_NEAR(after[1], 0.0, 1e-9);
}

TEST(Segments, NoiseIsRecoveredDespiteOutliersAndMissingValues) {
  const ModelPtr model = Wheel();
  std::vector<Log> logs = {Parabola(0.0, 0.005, 500)};
  Stream stream({.seed = 4});
  for (std::size_t k = 0; k < 500; ++k) {
    logs[0].values(k, 0) += 0.003 * stream.Normal();
    logs[0].values(k, 1) += 2.0 * stream.Normal();
    if (k % 50 == 0) logs[0].values(k, 1) += 100.0;
    if (k % 33 == 0) logs[0].values(k, 0) = std::numeric_limits<double>::quiet_NaN();
  }
  const Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  const std::vector<double> noise = ChannelSigmas(shooter, 0);
  EXPECT_NEAR(noise[0], 0.003, 0.0006);  // a quadratic through 11 points takes some of it
  EXPECT_NEAR(noise[1], 2.0, 0.2);
}

TEST(Segments, AGuessTakesTheChannelOffsetOff) {
  const ModelPtr model = Wheel();
  const std::vector<Log> logs = {Parabola(0.0, 0.01, 100)};
  const Shooter shooter = std::move(Shooter::Make(*model, {}, logs, 1)).value();
  std::vector<ChannelSettings> settings(2);
  settings[0].offset = 0.1;
  const std::vector<double> state = GuessState(shooter, 0, 0.5, settings);
  EXPECT_NEAR(state[0], 0.2 + 0.25 - 0.5 - 0.1, 1e-9);
  EXPECT_NEAR(state[1], 0.5 - 2.0, 1e-7);
}

}  // namespace
}  // namespace realward
