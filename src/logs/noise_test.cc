#include "logs/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/random.h"

namespace realward {
namespace {

struct Signal {
  std::vector<double> t, y;
};

Signal Make(double sigma, double quantum, std::size_t count = 4000) {
  Stream stream({.seed = 31});
  Signal signal;
  double time = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value =
        1.3 * std::sin(5 * time) + 0.4 * std::sin(11 * time) + sigma * stream.Normal();
    signal.t.push_back(time);
    signal.y.push_back(quantum > 0 ? quantum * std::round(value / quantum) : value);
    time += 0.002 + 2e-5 * stream.Normal();
  }
  return signal;
}

TEST(Noise, WhiteSigmaOnAMovingSignal) {
  for (const double sigma : {0.001, 0.01, 0.2}) {
    const Signal signal = Make(sigma, 0.0);
    EXPECT_NEAR(EstimateWhiteSigma(signal.t, signal.y) / sigma, 1.0, 0.05) << sigma;
    EXPECT_EQ(EstimateQuantum(signal.y), 0.0) << sigma;
  }
  EXPECT_LT(EstimateWhiteSigma(Make(0, 0).t, Make(0, 0).y), 1e-4);
}

TEST(Noise, WhiteSigmaIgnoresOutliers) {
  Signal signal = Make(0.01, 0.0);
  for (std::size_t i = 50; i < signal.y.size(); i += 100) signal.y[i] += 5.0;
  EXPECT_NEAR(EstimateWhiteSigma(signal.t, signal.y), 0.01, 0.0012);
}

TEST(Noise, QuantumOfARoundedSignal) {
  for (const double quantum : {0.0029, 0.022, 0.1}) {
    for (const double sigma : {0.0, 0.01}) {
      const Signal signal = Make(sigma, quantum);
      EXPECT_NEAR(EstimateQuantum(signal.y) / quantum, 1.0, 1e-3) << quantum << " " << sigma;
      EXPECT_GE(EstimateWhiteSigma(signal.t, signal.y), quantum / std::sqrt(12.0) * 0.99);
    }
  }
  EXPECT_EQ(EstimateQuantum(std::vector<double>(100, 3.0)), 0.0);
  EXPECT_EQ(EstimateQuantum({}), 0.0);
}

TEST(Noise, Clock) {
  const ClockNoise clock = EstimateClock(Make(0, 0).t);
  EXPECT_NEAR(clock.median_step_s, 0.002, 2e-6);
  EXPECT_NEAR(clock.step_sigma_s, 2e-5, 1e-6);
  EXPECT_GT(clock.longest_step_s, 0.00205);
  EXPECT_EQ(EstimateClock({}).median_step_s, 0.0);
}

TEST(Noise, RealPendulumHasItsKnownSteps) {
  const std::string folder = std::string(RW_SOURCE_DIR) + "/../shared/data/dfki_pendulums/simple/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recorded data beside the checkout";
  const auto mapping = ParseMapping(R"(mapping: dfki-simple
time: {column: time, unit: s}
channels:
  - {channel: hinge.position, column: position, unit: rad}
  - {channel: hinge.velocity, column: velocity, unit: rad/s}
)",
                                    "m.yaml");
  for (const std::string file : {"pd_sysid.csv", "energy_shaping.csv", "ddp_swingup.csv"}) {
    const auto log = ReadLog(folder + file, *mapping);
    ASSERT_TRUE(log.ok()) << log.error().message;
    const auto noise = EstimateNoise(*log);
    EXPECT_NEAR(noise[0].quantum, 0.0029144, 1e-6) << file;
    EXPECT_NEAR(noise[1].quantum, 0.0219780, 1e-5) << file;
  }
}

}  // namespace
}  // namespace realward
