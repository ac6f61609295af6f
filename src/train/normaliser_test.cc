#include "train/normaliser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace realward {
namespace {

TEST(RunningMoments, MatchesTwoPassMomentsInPieces) {
  Stream stream({1, Purpose::kTest, 0, 0, 0, 0});
  Matrix<float> data(1000, 2);
  for (std::size_t r = 0; r < 1000; ++r) {
    data(r, 0) = static_cast<float>(1e3 + stream.Normal());
    data(r, 1) = static_cast<float>(-2.0 + 3.0 * stream.Normal());
  }
  RunningMoments moments(2);
  EXPECT_EQ(moments.Spread(0), 1.0);
  moments.Add({data.view().data(), 300, 2});
  moments.Add({data.view().data() + 600, 700, 2});
  for (int c = 0; c < 2; ++c) {
    double mean = 0, square = 0;
    for (std::size_t r = 0; r < 1000; ++r) mean += data(r, c) / 1000.0;
    for (std::size_t r = 0; r < 1000; ++r) square += std::pow(data(r, c) - mean, 2) / 1000.0;
    EXPECT_NEAR(moments.mean()[c], mean, 1e-9 * std::abs(mean));
    EXPECT_NEAR(moments.Spread(c), std::sqrt(square), 1e-6);
  }
  Record record;
  moments.Save(record, "m");
  RunningMoments loaded(2);
  ASSERT_TRUE(loaded.Load(record, "m").ok());
  EXPECT_EQ(loaded.mean(), moments.mean());
  EXPECT_EQ(loaded.Spread(1), moments.Spread(1));
}

TEST(RewardScaler, ConstantRewardScalesByTheSpreadOfItsReturn) {
  RewardScaler scaler(1, 0.5);
  const double reward[] = {1.0};
  const bool ended[] = {false};
  std::vector<double> returns;
  double value = 0.0;
  for (int t = 0; t < 20; ++t) {
    scaler.Add(reward, ended);
    value = 0.5 * value + 1.0;
    returns.push_back(value);
  }
  double mean = 0, square = 0;
  for (double r : returns) mean += r / 20;
  for (double r : returns) square += (r - mean) * (r - mean) / 20;
  EXPECT_NEAR(scaler.Scale(), 1.0 / std::sqrt(square + 1e-8), 1e-5);
}

}  // namespace
}  // namespace realward
