#include "evaluate/bootstrap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace realward {
namespace {

Stream TestStream(std::uint64_t seed) { return Stream({.seed = seed, .purpose = Purpose::kTest}); }

BootstrapOptions Options(BootstrapMethod method, int resamples = 20000, double confidence = 0.95) {
  BootstrapOptions out;
  out.method = method;
  out.resamples = resamples;
  out.confidence = confidence;
  return out;
}

const std::vector<double> kSkewed = {1.2, 0.7, 3.9, 2.2, 1.1, 9.5, 0.4, 2.8, 1.9, 5.1};
const std::vector<double> kOther = {2.1, 1.3, 2.9, 0.6, 1.8, 4.2, 2.4, 1.0};

// stats.bootstrap((x,), np.mean, n_resamples=200000, method=m), mean limits of eight seeds. The
// tolerance is about four standard errors of a quantile of 20000 resamples.
TEST(Bootstrap, MeanAgreesWithScipy) {
  Stream random = TestStream(1);
  const auto bca = BootstrapMean(kSkewed, Options(BootstrapMethod::kBca), random);
  ASSERT_TRUE(bca.ok());
  EXPECT_EQ(bca->state, MeanState::kMeasured);
  EXPECT_EQ(bca->count, 10u);
  EXPECT_NEAR(*bca->mean, 2.88, 1e-12);
  EXPECT_NEAR(bca->interval->low, 1.6950, 0.03);
  EXPECT_NEAR(bca->interval->high, 5.2488, 0.09);
  const auto percentile = BootstrapMean(kSkewed, Options(BootstrapMethod::kPercentile), random);
  EXPECT_NEAR(percentile->interval->low, 1.4850, 0.03);
  EXPECT_NEAR(percentile->interval->high, 4.6700, 0.06);
}

TEST(Bootstrap, DifferenceAgreesWithScipy) {
  Stream random = TestStream(2);
  const auto bca =
      BootstrapDifference(kSkewed, kOther, Options(BootstrapMethod::kBca, 20000, 0.9), random);
  ASSERT_TRUE(bca.ok());
  EXPECT_NEAR(bca->interval->low, -0.3756, 0.04);
  EXPECT_NEAR(bca->interval->high, 2.7431, 0.06);
  const auto percentile = BootstrapDifference(
      kSkewed, kOther, Options(BootstrapMethod::kPercentile, 20000, 0.9), random);
  EXPECT_NEAR(percentile->interval->low, -0.5563, 0.04);
  EXPECT_NEAR(percentile->interval->high, 2.4266, 0.06);
}

// All 6^6 resamples, each equally likely: the distribution that resampling approximates.
TEST(Bootstrap, PercentileAgreesWithAllResamples) {
  const std::vector<double> values = {0.3, -1.0, 2.5, 0.9, 4.1, -0.2};
  std::vector<double> all;
  for (int code = 0; code < 46656; ++code) {
    double sum = 0.0;
    for (int i = 0, rest = code; i < 6; ++i, rest /= 6) sum += values[rest % 6];
    all.push_back(sum / 6.0);
  }
  std::sort(all.begin(), all.end());
  Stream random = TestStream(3);
  const auto made = BootstrapMean(values, Options(BootstrapMethod::kPercentile, 50000), random);
  EXPECT_NEAR(made->interval->low, SortedQuantile(all, 0.025), 0.03);
  EXPECT_NEAR(made->interval->high, SortedQuantile(all, 0.975), 0.03);
}

TEST(Bootstrap, StatesInsteadOfNumbers) {
  Stream random = TestStream(4);
  const auto none = BootstrapMean({}, {}, random);
  EXPECT_EQ(none->state, MeanState::kNotMeasured);
  EXPECT_FALSE(none->mean.has_value() || none->interval.has_value());
  const std::vector<double> single = {3.5};
  const auto one = BootstrapMean(single, {}, random);
  EXPECT_EQ(one->state, MeanState::kSingleValue);
  EXPECT_EQ(*one->mean, 3.5);
  EXPECT_FALSE(one->interval.has_value());
  const std::vector<double> same(7, 0.1);  // 7 · 0.1 / 7 is not 0.1 without care
  const auto equal = BootstrapMean(same, {}, random);
  EXPECT_EQ(equal->state, MeanState::kNoSpread);
  EXPECT_EQ(*equal->mean, 0.1);
  EXPECT_EQ(equal->interval->low, 0.1);
  EXPECT_EQ(equal->interval->high, 0.1);
  EXPECT_EQ(BootstrapDifference(single, same, {}, random)->state, MeanState::kSingleValue);
  EXPECT_EQ(BootstrapDifference(same, {}, {}, random)->state, MeanState::kNotMeasured);
}

TEST(Bootstrap, BadInputIsNamed) {
  Stream random = TestStream(5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> bad = {1.0, 2.0, nan};
  EXPECT_NE(BootstrapMean(bad, {}, random).error().message.find("value 2 of 3 is nan"),
            std::string::npos);
  const std::vector<double> infinite = {std::numeric_limits<double>::infinity(), 1.0};
  EXPECT_FALSE(BootstrapDifference(infinite, kOther, {}, random).ok());
  EXPECT_FALSE(BootstrapDifference(kOther, infinite, {}, random).ok());
  const std::vector<double> huge(4, 1e308);
  EXPECT_NE(BootstrapMean(huge, {}, random).error().message.find("overflows"), std::string::npos);
  EXPECT_NE(BootstrapPairedDifference(kSkewed, kOther, {}, random).error().message.find("10 and 8"),
            std::string::npos);
  EXPECT_FALSE(BootstrapMean(kOther, Options(BootstrapMethod::kBca, 0), random).ok());
  EXPECT_FALSE(BootstrapMean(kOther, Options(BootstrapMethod::kBca, 500, 1.5), random).ok());
  const std::vector<std::vector<double>> groups = {{1.0}, {}};
  EXPECT_NE(
      BootstrapGroups(groups, "training seed", {}, random).error().message.find("seed 1 of 2"),
      std::string::npos);
}

TEST(Bootstrap, SameStreamSameResult) {
  Stream first = TestStream(6);
  Stream second = TestStream(6);
  const auto a = BootstrapMean(kSkewed, {}, first);
  const auto b = BootstrapMean(kSkewed, {}, second);
  EXPECT_EQ(a->interval->low, b->interval->low);
  EXPECT_EQ(a->interval->high, b->interval->high);
  Stream third = TestStream(7);
  EXPECT_NE(BootstrapMean(kSkewed, {}, third)->interval->low, a->interval->low);
}

RC_GTEST_PROP(Bootstrap, FollowsShiftAndScale, ()) {
  const auto raw = *rc::gen::container<std::vector<int>>(8, rc::gen::inRange(-50, 50));
  const int shift = *rc::gen::inRange(-100, 100);
  std::vector<double> values(raw.begin(), raw.end());
  std::vector<double> moved;
  for (double v : values) moved.push_back(4.0 * v + shift);
  const std::uint64_t seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  Stream first = TestStream(seed);
  Stream second = TestStream(seed);
  const auto a = BootstrapMean(values, Options(BootstrapMethod::kPercentile, 200), first);
  const auto b = BootstrapMean(moved, Options(BootstrapMethod::kPercentile, 200), second);
  RC_ASSERT(a->state == b->state);
  RC_ASSERT(std::abs(b->interval->low - (4.0 * a->interval->low + shift)) < 1e-9);
  RC_ASSERT(std::abs(b->interval->high - (4.0 * a->interval->high + shift)) < 1e-9);
}

double CoverageOfExponentialMean(BootstrapMethod method) {
  int covered = 0;
  const int repeats = 800;
  for (int r = 0; r < repeats; ++r) {
    Stream data({.seed = 11, .purpose = Purpose::kTest, .episode = static_cast<std::uint64_t>(r)});
    Stream random(
        {.seed = 11, .purpose = Purpose::kBootstrap, .episode = static_cast<std::uint64_t>(r)});
    std::vector<double> values(20);
    for (double& v : values) v = -std::log(1.0 - data.Uniform());
    covered += BootstrapMean(values, Options(method, 600), random)->interval->Contains(1.0);
  }
  return static_cast<double>(covered) / repeats;
}

// A mean of 20 exponential values at 95 %: both cover less than promised, BCa less so (standard
// error 0.01).
TEST(Bootstrap, CoverageOfASkewedMean) {
  const double bca = CoverageOfExponentialMean(BootstrapMethod::kBca);
  const double percentile = CoverageOfExponentialMean(BootstrapMethod::kPercentile);
  EXPECT_GT(bca, 0.88);
  EXPECT_LT(bca, 0.96);
  EXPECT_GT(percentile, 0.86);
  EXPECT_GT(bca, percentile);
}

// What pairing is for: a shared difficulty cancels.
TEST(Bootstrap, PairingSharpensADifference) {
  Stream data = TestStream(12);
  std::vector<double> a, b;
  for (int i = 0; i < 50; ++i) {
    const double difficulty = 10.0 * data.Normal();
    a.push_back(difficulty + 1.0 + data.Normal());
    b.push_back(difficulty + data.Normal());
  }
  Stream random = TestStream(13);
  const auto paired = BootstrapPairedDifference(a, b, {}, random);
  const auto unpaired = BootstrapDifference(a, b, {}, random);
  EXPECT_EQ(paired->replication, "pair");
  EXPECT_NEAR(*paired->mean, *unpaired->mean, 1e-9);
  EXPECT_GT(paired->interval->low, 0.0);
  EXPECT_LT(unpaired->interval->low, 0.0);
  EXPECT_LT(4.0 * paired->interval->width(), unpaired->interval->width());
}

// Values that agree inside a group carry no more information than the groups.
TEST(Bootstrap, GroupsAreTheUnit) {
  std::vector<std::vector<double>> groups;
  std::vector<double> pooled;
  for (double level : {0.2, 0.9, 0.4, 0.7, 0.1, 0.6}) {
    groups.emplace_back(25, level);
    pooled.insert(pooled.end(), 25, level);
  }
  Stream random = TestStream(14);
  const auto grouped = BootstrapGroups(groups, "training seed", {}, random);
  const auto naive = BootstrapMean(pooled, {}, random);
  EXPECT_EQ(grouped->count, 6u);
  EXPECT_EQ(grouped->replication, "training seed");
  EXPECT_NEAR(*grouped->mean, *naive->mean, 1e-12);
  EXPECT_GT(grouped->interval->width(), 3.0 * naive->interval->width());
}

TEST(Bootstrap, FallsBackWhenAllReplicatesLieOnOneSide) {
  const std::vector<double> replicates = {1.0, 2.0, 3.0, 4.0, 5.0};
  const std::vector<double> influence = {-0.1, 0.1};
  const auto made = IntervalOfReplicates(replicates, 9.0, influence, {});
  EXPECT_EQ(made.method, BootstrapMethod::kPercentile);
  EXPECT_NEAR(made.interval.low, 1.1, 1e-12);
  EXPECT_NEAR(made.interval.high, 4.9, 1e-12);
}

}  // namespace
}  // namespace realward
