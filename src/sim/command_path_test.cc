#include "sim/command_path.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

namespace realward {
namespace {

// The signal itself, evaluated at one instant: the plain version of what DelayedAverage integrates.
double Signal(const std::vector<double>& history, double period, double t) {
  if (t >= 0.0) return history[0];
  const auto j = static_cast<std::size_t>(std::ceil(-t / period - 1e-12));
  return history[std::min(j, history.size() - 1)];
}

TEST(CommandPath, AverageEqualsTheIntegralOfTheDelayedHold) {
  const std::vector<double> history = {1.0, -2.0, 0.5, 3.0};
  for (double delay : {0.0, 0.003, 0.007, 0.01, 0.0271, 0.2}) {
    for (int k = 0; k < 5; ++k) {
      const double from = 0.002 * k, width = 0.002;
      double sum = 0.0;
      const int n = 20000;
      for (int i = 0; i < n; ++i)
        sum += Signal(history, 0.01, from + (i + 0.5) * width / n - delay) / n;
      EXPECT_NEAR(DelayedAverage(history, 0.01, delay, from, width), sum, 1e-3)
          << delay << " " << k;
    }
  }
}

TEST(CommandPath, ASevenMillisecondDelayIsSevenMilliseconds) {
  // A step of the command at 0, physics step 5 ms = control step: the area that is missing is the
  // delay.
  double missing = 0.0;
  for (int k = 0; k < 4; ++k) {
    // At control step k the newest k + 1 commands are 1.
    std::vector<double> history(8, 0.0);
    for (int j = 0; j <= k; ++j) history[j] = 1.0;
    missing += 0.005 * (1.0 - DelayedAverage(history, 0.005, 0.007, 0.0, 0.005));
  }
  EXPECT_NEAR(missing, 0.007, 1e-12);
}

TEST(CommandPath, HeldAverageMatchesTheUniformVersion) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& raw) {
    RC_PRE(raw.size() >= 2 && raw.size() < 40);
    std::vector<double> times, values;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      times.push_back(0.01 * static_cast<double>(i));
      values.push_back(raw[i] % 100);
    }
    std::vector<double> newest_first(values.rbegin(), values.rend());
    std::size_t hint = 0;
    const double now = times.back();
    for (double delay : {0.0, 0.004, 0.013, 0.05}) {
      const double a = HeldAverage(times, values, now + 0.002 - delay, 0.002, hint);
      const double b = DelayedAverage(newest_first, 0.01, delay, 0.002, 0.002);
      RC_ASSERT(std::abs(a - b) < 1e-9 * (1.0 + std::abs(b)));
    }
  }));
}

TEST(CommandPath, ActuatorInput) {
  EXPECT_EQ(ActuatorInput({}, 0.3), 0.3);
  const ActuatorSettings s{0.0, 0.85, 0.1, 0.2};
  EXPECT_DOUBLE_EQ(ActuatorInput(s, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(ActuatorInput(s, 1.2), 0.85 * 1.0 + 0.1);
  EXPECT_DOUBLE_EQ(ActuatorInput(s, -1.2), -0.85 * 1.0 + 0.1);
}

}  // namespace
}  // namespace realward
