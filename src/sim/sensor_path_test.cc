#include "sim/sensor_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/random.h"

namespace realward {
namespace {

constexpr double kPeriod = 0.01;

ReadingNoise Draw(Stream& stream) {
  ReadingNoise noise;
  noise.white = stream.Normal();
  noise.walk = stream.Normal();
  noise.drift = stream.Normal();
  noise.late = stream.Uniform();
  noise.loss = stream.Uniform();
  noise.stick = stream.Uniform();
  return noise;
}

// Readings of one channel of a truth; a seed of its own for each episode.
std::vector<double> Readings(const ChannelSettings& s, const std::function<double(double)>& truth,
                             int count, std::uint64_t episode = 0, WorldSettings world = {}) {
  Stream stream({3, Purpose::kTest, 0, 0, episode, 0});
  ChannelMemory memory;
  std::vector<double> history(60, truth(0.0));
  std::vector<double> readings = {
      FirstReading(s, world, truth(0.0), kPeriod, Draw(stream), memory)};
  for (int k = 1; k < count; ++k) {
    history.insert(history.begin(), truth(k * kPeriod));
    history.pop_back();
    readings.push_back(NextReading(s, world, history, kPeriod, Draw(stream), memory));
  }
  return readings;
}

double Still(double) { return 0.0; }

double MeanSquare(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v * v;
  return sum / static_cast<double>(values.size());
}

TEST(SensorPath, WithoutSettingsIsTheTruth) {
  const auto readings = Readings(
      {}, [](double t) { return std::sin(t); }, 50);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(readings[k], std::sin(k * kPeriod));
  EXPECT_FALSE(HasMemory({}));
  EXPECT_FALSE(HasMemory({.offset = 1.0, .noise = 0.1, .quantization = 0.01}));
  EXPECT_TRUE(HasMemory({.latency = 0.01}));
}

TEST(SensorPath, ALatencyShowsAnEarlierTruth) {
  ChannelSettings s;
  s.latency = 0.0137;  // between two control steps
  const auto readings = Readings(
      s, [](double t) { return 2.0 * t; }, 30);
  for (int k = 5; k < 30; ++k) EXPECT_NEAR(readings[k], 2.0 * (k * kPeriod - 0.0137), 1e-12);
}

// Linear between control steps: the error of a curved truth is of second order in the period.
TEST(SensorPath, ALatencyOfACurvedTruthIsRightToSecondOrder) {
  const auto error = [](double period) {
    std::vector<double> history;
    for (int k = 0; k < 30; ++k) history.push_back(std::exp(1.0 - k * period));
    return std::abs(TruthAt(history, period, 1.5 * period) - std::exp(1.0 - 1.5 * period));
  };
  EXPECT_NEAR(error(0.02) / error(0.01), 4.0, 0.4);
}

TEST(SensorPath, JitterMakesReadingsOlderByHalfOfItOnAverage) {
  ChannelSettings s;
  s.latency = 0.01;
  s.jitter = 0.02;
  double sum = 0.0, least = 1.0, most = 0.0;
  const auto readings = Readings(
      s, [](double t) { return t; }, 20000);
  for (int k = 100; k < 20000; ++k) {
    const double age = k * kPeriod - readings[k];
    sum += age / 19900.0;
    least = std::min(least, age);
    most = std::max(most, age);
  }
  EXPECT_NEAR(sum, 0.02, 2e-4);
  EXPECT_GE(least, 0.01 - 1e-9);
  EXPECT_LE(most, 0.03 + 1e-9);
}

TEST(SensorPath, BacklashIsAHysteresisOfItsWidth) {
  ChannelSettings s;
  s.backlash = 0.2;
  // Up to 1 and back to −1: the reading trails by half the width on both ways.
  const auto truth = [](double t) { return t < 1.0 ? t : 2.0 - t; };
  const auto readings = Readings(s, truth, 301);
  EXPECT_NEAR(readings[90], 0.8, 1e-9);
  EXPECT_NEAR(readings[110], 0.9, 1e-9) << "turned round inside the play";
  EXPECT_NEAR(readings[200], 0.1, 1e-9);
  EXPECT_NEAR(readings[300], -0.9, 1e-9);
}

TEST(SensorPath, NoiseDensityDoesNotDependOnTheRate) {
  for (double period : {0.01, 0.001}) {
    ChannelSettings s;
    s.noise_density = 0.02;
    Stream stream({1, Purpose::kTest, 0, 0, 0, 0});
    ChannelMemory memory;
    const std::vector<double> history(3, 0.0);
    const int count = static_cast<int>(200.0 / period);
    double integral = 0.0, square = 0.0;
    int blocks = 0;
    for (int k = 1; k <= count; ++k) {  // the angle after 1 s of a gyro: variance N² · 1 s
      integral += period * NextReading(s, {}, history, period, Draw(stream), memory);
      if (k % static_cast<int>(1.0 / period) == 0) {
        square += integral * integral;
        integral = 0.0;
        ++blocks;
      }
    }
    EXPECT_NEAR(std::sqrt(square / blocks), 0.02, 0.02 * 0.15) << period;
  }
}

TEST(SensorPath, AWalkGrowsWithTheRootOfTime) {
  ChannelSettings s;
  s.walk = 0.3;
  std::vector<double> after_1, after_4;
  for (std::uint64_t episode = 0; episode < 2000; ++episode) {
    const auto readings = Readings(s, Still, 401, episode);
    EXPECT_EQ(readings[0], 0.0);
    after_1.push_back(readings[100]);
    after_4.push_back(readings[400]);
  }
  EXPECT_NEAR(std::sqrt(MeanSquare(after_1)), 0.3, 0.015);
  EXPECT_NEAR(std::sqrt(MeanSquare(after_4)), 0.6, 0.03);
}

TEST(SensorPath, InstabilityIsStationaryWithItsCorrelationTime) {
  ChannelSettings s;
  s.instability = 0.5;
  s.instability_time = 2.0;
  double start = 0.0, end = 0.0, product = 0.0;
  const int episodes = 4000;
  for (std::uint64_t episode = 0; episode < episodes; ++episode) {
    const auto readings = Readings(s, Still, 201, episode);
    start += readings[0] * readings[0] / episodes;
    end += readings[200] * readings[200] / episodes;
    product += readings[0] * readings[200] / episodes;
  }
  EXPECT_NEAR(start, 0.25, 0.02);
  EXPECT_NEAR(end, 0.25, 0.02);
  EXPECT_NEAR(product / 0.25, std::exp(-1.0), 0.06);
}

TEST(SensorPath, ScaleTemperatureSaturationAndQuantisationActInOrder) {
  ChannelSettings s;
  s.scale = 1.1;
  s.offset = 0.02;
  s.temperature_drift = 0.001;
  s.quantization = 0.25;
  s.saturation = 2.1;
  WorldSettings hot;
  hot.temperature = kReferenceTemperature + 30.0;
  EXPECT_DOUBLE_EQ(Readings(
                       s, [](double) { return 1.0; }, 2, 0, hot)[1],
                   1.25);  // 1.15
  EXPECT_DOUBLE_EQ(Readings(
                       s, [](double) { return 9.0; }, 2, 0, hot)[1],
                   2.0);  // 2.1, on the grid
}

TEST(SensorPath, LostReadingsRepeatTheOneBefore) {
  ChannelSettings s;
  s.dropout = 0.3;
  const auto readings = Readings(
      s, [](double t) { return t; }, 10001);
  int repeated = 0;
  for (int k = 1; k <= 10000; ++k) repeated += readings[k] == readings[k - 1] ? 1 : 0;
  EXPECT_NEAR(repeated / 10000.0, 0.3, 0.02);
}

TEST(SensorPath, AStuckReadingStaysToTheEnd) {
  ChannelSettings s;
  s.stuck_rate = 0.5;
  int stuck = 0;
  for (std::uint64_t episode = 0; episode < 2000; ++episode) {
    const auto readings = Readings(
        s, [](double t) { return t; }, 201, episode);
    bool stays = false;
    for (int k = 1; k <= 200; ++k) {
      EXPECT_FALSE(stays && readings[k] != readings[k - 1]);
      stays = stays || readings[k] == readings[k - 1];
    }
    stuck += stays ? 1 : 0;
  }
  EXPECT_NEAR(stuck / 2000.0, 1.0 - std::exp(-1.0), 0.035);  // 2 s at 0.5 per second
}

}  // namespace
}  // namespace realward
