#include "sim/actuator_path.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sim/command_path.h"

namespace realward {
namespace {

RC_GTEST_PROP(ArrivedAverage, WithEqualDelaysIsTheDelayedAverage, ()) {
  const int n = *rc::gen::inRange(2, 12);
  std::vector<double> history;
  for (int i = 0; i < n; ++i) history.push_back(0.01 * *rc::gen::inRange(-100, 100));
  const double delay = 1e-4 * *rc::gen::inRange(0, 900);
  const double from = 0.002 * *rc::gen::inRange(0, 5);
  const std::vector<double> delays(history.size(), delay);
  RC_ASSERT(std::abs(ArrivedAverage(history, delays, 0.01, from, 0.002) -
                     DelayedAverage(history, 0.01, delay, from, 0.002)) < 1e-12);
}

// Against the definition, looked up at many instants.
RC_GTEST_PROP(ArrivedAverage, HoldsTheNewestThatHasArrived, ()) {
  std::vector<double> history, delays;
  for (int i = 0; i < 6; ++i) {
    history.push_back(*rc::gen::inRange(-5, 5));
    delays.push_back(1e-3 * *rc::gen::inRange(0, 40));
  }
  const auto held_at = [&](double t) {
    for (std::size_t j = 0; j < history.size(); ++j)
      if (t >= -0.01 * static_cast<double>(j) + delays[j]) return history[j];
    return history.back();
  };
  double sum = 0.0;
  for (int i = 0; i < 2000; ++i) sum += held_at(0.004 + 0.002 * (i + 0.5) / 2000.0);
  RC_ASSERT(std::abs(ArrivedAverage(history, delays, 0.01, 0.004, 0.002) - sum / 2000.0) < 0.01);
}

// Outputs of `steps` steps of a command.
std::vector<double> Outputs(const ActuatorSettings& s, const std::function<double(double)>& command,
                            double dt, int steps) {
  ActuatorMemory memory = AtRest(s);
  std::vector<double> outputs;
  for (int k = 0; k < steps; ++k) outputs.push_back(ShapedCommand(s, memory, command(k * dt), dt));
  return outputs;
}

double Step(double) { return 1.0; }

TEST(ShapedCommand, WithoutSettingsIsTheActuatorInput) {
  ActuatorSettings s{0.0, 0.85, 0.1, 0.2};
  ActuatorMemory memory = AtRest(s);
  EXPECT_EQ(memory.output, ActuatorInput(s, 0.0));
  for (double u : {-1.0, -0.1, 0.0, 0.15, 0.7})
    EXPECT_EQ(ShapedCommand(s, memory, u, 0.002), ActuatorInput(s, u));
}

TEST(ShapedCommand, ALagIsItsClosedFormAtAnyStep) {
  ActuatorSettings s;
  s.lag = 0.03;
  for (double dt : {0.001, 0.01, 0.05}) {
    const std::vector<double> outputs = Outputs(s, Step, dt, 4);
    for (int k = 0; k < 4; ++k) {
      const double a = k * dt, b = a + dt;  // the average of 1 − e^(−t/τ) over the step
      const double wanted = 1.0 - (std::exp(-a / s.lag) - std::exp(-b / s.lag)) * s.lag / dt;
      EXPECT_NEAR(outputs[k], wanted, 1e-12) << dt << " " << k;
    }
  }
}

// Against 1 − (τ₁ e^(−t/τ₁) − τ₂ e^(−t/τ₂)) / (τ₁ − τ₂); half the step, at most half the error.
TEST(ShapedCommand, TwoLagsConvergeToTheirClosedForm) {
  ActuatorSettings s;
  s.lag = 0.03;
  s.second_lag = 0.01;
  const auto error = [&](double dt) {
    ActuatorMemory memory = AtRest(s);
    double worst = 0.0;
    for (int k = 1; k * dt <= 0.1 + 1e-12; ++k) {
      ShapedCommand(s, memory, 1.0, dt);
      const double t = k * dt;
      const double wanted =
          1.0 - (s.lag * std::exp(-t / s.lag) - s.second_lag * std::exp(-t / s.second_lag)) /
                    (s.lag - s.second_lag);
      worst = std::max(worst, std::abs(memory.output - wanted));
    }
    return worst;
  };
  EXPECT_LT(error(0.005), 0.03);
  EXPECT_LT(error(0.0025), 0.5 * error(0.005));
  EXPECT_LT(error(0.0005), 0.1 * error(0.005));
}

TEST(ShapedCommand, ARateLimitIsARamp) {
  ActuatorSettings s;
  s.rate_limit = 2.0;
  const std::vector<double> outputs = Outputs(s, Step, 0.1, 8);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(outputs[k], std::min(1.0, 0.2 * (k + 1)), 1e-12);
}

TEST(ShapedCommand, SaturationCutsBeforeStrength) {
  ActuatorSettings s;
  s.saturation = 0.5;
  s.strength = 0.8;
  s.offset = 0.1;
  ActuatorMemory memory = AtRest(s);
  EXPECT_DOUBLE_EQ(ShapedCommand(s, memory, 3.0, 0.01), 0.8 * 0.5 + 0.1);
  EXPECT_DOUBLE_EQ(ShapedCommand(s, memory, -3.0, 0.01), -0.8 * 0.5 + 0.1);
}

TEST(ShapedCommand, HeatChangesStrength) {
  ActuatorSettings s;
  s.temperature_effect = -0.002;
  s.warm_start = 50.0;
  ActuatorMemory memory = AtRest(s);
  EXPECT_DOUBLE_EQ(ShapedCommand(s, memory, 1.0, 0.01), 0.9);
}

TEST(AvailableForce, IsTheTorqueSpeedLine) {
  ActuatorSettings s;
  s.force_limit = 4.0;
  s.no_load_speed = 20.0;
  const auto range = [&](double v, double rise = 0.0, double supply = 1.0) {
    return AvailableForce(s, v, rise, supply);
  };
  EXPECT_DOUBLE_EQ(range(0.0).high, 4.0);
  EXPECT_DOUBLE_EQ(range(5.0).high, 3.0);
  EXPECT_DOUBLE_EQ(range(25.0).high, 0.0);
  EXPECT_DOUBLE_EQ(range(5.0).low, -4.0) << "braking is not reduced";
  EXPECT_DOUBLE_EQ(range(-5.0).low, -3.0);
  EXPECT_DOUBLE_EQ(range(0.0, 0.0, 0.75).high, 3.0) << "a weak supply";
  EXPECT_DOUBLE_EQ(range(10.0, 0.0, 0.75).high, 1.0);
  s.derating_from = 60.0;
  s.derating_span = 20.0;
  EXPECT_DOUBLE_EQ(range(0.0, 60.0).high, 4.0);
  EXPECT_DOUBLE_EQ(range(0.0, 75.0).high, 1.0);
  EXPECT_DOUBLE_EQ(range(0.0, 90.0).low, 0.0);
}

TEST(Heat, IsTheClosedFormOfAConstantForce) {
  ActuatorSettings s;
  s.heating = 5.0;
  s.thermal_time = 30.0;
  for (double dt : {0.01, 1.0}) {
    ActuatorMemory memory{0, 0, 0, 10.0};
    const int steps = static_cast<int>(std::lround(20.0 / dt));
    for (int k = 0; k < steps; ++k) Heat(s, memory, 2.0, dt);
    EXPECT_NEAR(memory.rise, 20.0 - 10.0 * std::exp(-20.0 / 30.0), 1e-9);
  }
}

TEST(Supply, SolvesTheLoadLine) {
  WorldSettings world;
  EXPECT_EQ(SupplyRatio(world, 1e6), 1.0) << "without a battery nothing sags";
  world.battery_nominal = 12.0;
  world.battery_voltage = 12.6;
  world.battery_resistance = 0.1;
  EXPECT_DOUBLE_EQ(SupplyRatio(world, 0.0), 12.6 / 12.0);
  EXPECT_DOUBLE_EQ(SupplyRatio(world, -50.0), 12.6 / 12.0);
  const double v = 12.0 * SupplyRatio(world, 100.0);
  EXPECT_NEAR(v, 12.6 - 0.1 * 100.0 / v, 1e-12);
  EXPECT_DOUBLE_EQ(SupplyRatio(world, 1e6), 6.3 / 12.0) << "more than the battery can give";
  world.battery_charge = 0.25;
  world.battery_droop = 0.2;
  EXPECT_DOUBLE_EQ(SupplyRatio(world, 0.0), 12.6 * 0.85 / 12.0);
}

}  // namespace
}  // namespace realward
