#include "evaluate/gap_measure.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace realward {
namespace {

Stream TestStream(std::uint64_t seed) { return Stream({.seed = seed, .purpose = Purpose::kTest}); }

std::vector<double> NormalSample(Stream& data, int n, double mean, double deviation) {
  std::vector<double> out(n);
  for (double& v : out) v = mean + deviation * data.Normal();
  return out;
}

TEST(GapMeasure, KnownValues) {
  const std::vector<double> real = {6.0, 8.0, 7.0, 7.0};
  const std::vector<double> sim = {-10.0, -9.0, -11.0};
  Stream random = TestStream(1);
  const auto gap = MeasureGap(real, sim, Pairing::kUnpaired, {}, random);
  ASSERT_TRUE(gap.ok());
  EXPECT_NEAR(*gap->real.mean, 7.0, 1e-12);
  EXPECT_NEAR(*gap->sim.mean, -10.0, 1e-12);
  EXPECT_NEAR(*gap->delta.mean, 17.0, 1e-12);
  EXPECT_EQ(gap->ratio.state, GapRatioState::kMeasured);
  EXPECT_NEAR(*gap->ratio.ratio, 1.7, 1e-12);  // |7 + 10| / 10: a negative return is no obstacle
  EXPECT_TRUE(gap->ratio.interval->Contains(1.7));
}

// The first-order normal interval of a ratio of means, at sizes where it is accurate.
TEST(GapMeasure, IntervalsAgreeWithTheDeltaMethod) {
  Stream data = TestStream(2);
  const auto real = NormalSample(data, 400, 80.0, 10.0);
  const auto sim = NormalSample(data, 400, 100.0, 5.0);
  Stream random = TestStream(3);
  const auto gap = MeasureGap(real, sim, Pairing::kUnpaired, {}, random);
  auto variance_of_mean = [](const std::vector<double>& values, double mean) {
    double squares = 0.0;
    for (double v : values) squares += (v - mean) * (v - mean);
    return squares / static_cast<double>(values.size() * values.size());
  };
  const double r = *gap->real.mean, s = *gap->sim.mean;
  const double vr = variance_of_mean(real, r), vs = variance_of_mean(sim, s);
  const double delta_half = 1.959964 * std::sqrt(vr + vs);
  EXPECT_NEAR(gap->delta.interval->low, r - s - delta_half, 0.06 * delta_half);
  EXPECT_NEAR(gap->delta.interval->high, r - s + delta_half, 0.06 * delta_half);
  const double ratio_half = 1.959964 * std::sqrt(vr / (s * s) + vs * r * r / (s * s * s * s));
  const double ratio = (s - r) / s;
  EXPECT_NEAR(gap->ratio.interval->low, ratio - ratio_half, 0.06 * ratio_half);
  EXPECT_NEAR(gap->ratio.interval->high, ratio + ratio_half, 0.06 * ratio_half);
}

TEST(GapMeasure, UndefinedIsAState) {
  const std::vector<double> real = {1.0, 2.0, 3.0};
  Stream random = TestStream(4);
  const std::vector<double> zero(5, 0.0);
  const auto undefined = MeasureGap(real, zero, Pairing::kUnpaired, {}, random);
  EXPECT_EQ(undefined->ratio.state, GapRatioState::kUndefined);
  EXPECT_FALSE(undefined->ratio.ratio || undefined->ratio.interval);
  EXPECT_NEAR(*undefined->delta.mean, 2.0, 1e-12);  // Δ still is
  const std::vector<double> balanced = {-1.0, 1.0, -2.0, 2.0};
  EXPECT_EQ(MeasureGap(real, balanced, Pairing::kUnpaired, {}, random)->ratio.state,
            GapRatioState::kUndefined);
  const std::vector<double> tiny(5, 1e-320);
  EXPECT_EQ(MeasureGap(real, tiny, Pairing::kUnpaired, {}, random)->ratio.state,
            GapRatioState::kUndefined);
  const std::vector<double> about_zero = {-1.0, 1.2, -0.8, 1.1, 0.3};
  const auto near_zero = MeasureGap(real, about_zero, Pairing::kUnpaired, {}, random);
  EXPECT_EQ(near_zero->ratio.state, GapRatioState::kSimNearZero);
  EXPECT_TRUE(near_zero->ratio.ratio.has_value());
  EXPECT_FALSE(near_zero->ratio.interval.has_value());
  const std::vector<double> one = {4.0};
  const auto single = MeasureGap(one, real, Pairing::kUnpaired, {}, random);
  EXPECT_EQ(single->ratio.state, GapRatioState::kNoInterval);
  EXPECT_NEAR(*single->ratio.ratio, 1.0, 1e-12);
  EXPECT_EQ(MeasureGap({}, real, Pairing::kUnpaired, {}, random)->ratio.state,
            GapRatioState::kNotMeasured);
  // None of it reaches the JSON as a number that is not one.
  const std::string text = CanonicalJson(ToJson(*undefined));
  EXPECT_NE(text.find("\"ratio\":null"), std::string::npos);
  EXPECT_NE(text.find("undefined: simulated mean is 0"), std::string::npos);
}

TEST(GapMeasure, NoGapIsNotExcluded) {
  Stream data = TestStream(5);
  int holds_zero = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto real = NormalSample(data, 30, 50.0, 5.0);
    const auto sim = NormalSample(data, 30, 50.0, 5.0);
    Stream random({.seed = 5, .purpose = Purpose::kBootstrap, .episode = std::uint64_t(repeat)});
    BootstrapOptions options;
    options.resamples = 400;
    holds_zero +=
        MeasureGap(real, sim, Pairing::kUnpaired, options, random)->ratio.interval->low == 0.0;
  }
  EXPECT_GT(holds_zero, 176);  // 95 % of 200 less four standard errors
  EXPECT_LT(holds_zero, 200);  // and it can exclude it
}

TEST(GapMeasure, PairingSharpens) {
  Stream data = TestStream(6);
  const auto sim = NormalSample(data, 40, 100.0, 20.0);
  std::vector<double> real;
  for (double v : sim) real.push_back(0.9 * v + data.Normal());
  Stream random = TestStream(7);
  const auto paired = MeasureGap(real, sim, Pairing::kPaired, {}, random);
  const auto unpaired = MeasureGap(real, sim, Pairing::kUnpaired, {}, random);
  EXPECT_TRUE(paired->ratio.interval->Contains(0.1));
  EXPECT_LT(5.0 * paired->ratio.interval->width(), unpaired->ratio.interval->width());
  EXPECT_LT(3.0 * paired->delta.interval->width(), unpaired->delta.interval->width());
  EXPECT_FALSE(MeasureGap({real.data(), 39}, sim, Pairing::kPaired, {}, random).ok());
}

TEST(GapMeasure, NonFiniteIsAnError) {
  const std::vector<double> good = {1.0, 2.0};
  const std::vector<double> bad = {1.0, std::numeric_limits<double>::infinity()};
  Stream random = TestStream(8);
  EXPECT_FALSE(MeasureGap(good, bad, Pairing::kUnpaired, {}, random).ok());
  EXPECT_FALSE(MeasureGap(bad, good, Pairing::kPaired, {}, random).ok());
}

RC_GTEST_PROP(GapMeasure, RatioHasNoUnitAndStateExplainsAbsence, ()) {
  const auto raw_real = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-4, 9));
  const auto raw_sim = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-4, 9));
  std::vector<double> real(raw_real.begin(), raw_real.end()), sim(raw_sim.begin(), raw_sim.end());
  BootstrapOptions options;
  options.resamples = 100;
  const std::uint64_t seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  Stream first = TestStream(seed), second = TestStream(seed);
  const auto gap = MeasureGap(real, sim, Pairing::kUnpaired, options, first);
  for (double& v : real) v *= 8.0;  // exact
  for (double& v : sim) v *= 8.0;
  const auto scaled = MeasureGap(real, sim, Pairing::kUnpaired, options, second);
  RC_ASSERT(gap->ratio.state == scaled->ratio.state);
  RC_ASSERT(gap->ratio.ratio == scaled->ratio.ratio);
  RC_ASSERT(gap->ratio.interval.has_value() == (gap->ratio.state == GapRatioState::kMeasured));
  if (gap->ratio.interval) {
    RC_ASSERT(gap->ratio.interval->low == scaled->ratio.interval->low);
    RC_ASSERT(gap->ratio.interval->low >= 0.0);
    RC_ASSERT(std::isfinite(gap->ratio.interval->high));
  }
  CanonicalJson(ToJson(*gap));  // aborts on a number that is not finite
}

}  // namespace
}  // namespace realward
