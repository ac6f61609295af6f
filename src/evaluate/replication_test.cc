#include "evaluate/replication.h"

#include <gtest/gtest.h>

#include <vector>

namespace realward {
namespace {

Result<MethodEstimate> Measure(const std::vector<SeedResult>& seeds) {
  Stream random({.seed = 1, .purpose = Purpose::kTest});
  BootstrapOptions options;
  options.resamples = 500;
  return MeasureMethod(seeds, options, random);
}

TEST(Replication, SpreadBetweenSeedsSetsTheInterval) {
  const auto made = Measure({{"0", 18, 20}, {"1", 14, 20}, {"2", 16, 20}});
  ASSERT_TRUE(made.ok());
  EXPECT_NEAR(*made->mean, 0.8, 1e-12);
  EXPECT_NEAR(*made->standard_error, 0.05773502691896258, 1e-12);  // 0.1 / sqrt(3)
  // 0.8 ± stats.t.ppf(.975, 2) · 0.1 / sqrt(3)
  EXPECT_NEAR(made->t_interval->low, 0.8 - 4.302652729911275 * 0.05773502691896258, 1e-10);
  EXPECT_GT(made->t_interval->high, 1.0);
  EXPECT_EQ(made->interval->high, 1.0);
  EXPECT_EQ(made->replication, "training seed");
  EXPECT_EQ(made->bootstrap.count, 3u);
  EXPECT_EQ(made->trials, 60);
  CanonicalJson(ToJson(*made));
}

TEST(Replication, AllSeedsPerfectIsNoCertainty) {
  const auto made = Measure({{"0", 20, 20}, {"1", 20, 20}, {"2", 20, 20}});
  EXPECT_EQ(made->state, MeanState::kNoSpread);
  EXPECT_FALSE(made->t_interval.has_value());
  EXPECT_NEAR(made->interval->low, MeasureProportion(60, 60)->interval.low, 1e-15);
  EXPECT_GT(made->interval->width(), 0.05);
  EXPECT_NE(made->interval_method.find("Wilson"), std::string::npos);
}

TEST(Replication, FewSeeds) {
  const auto one = Measure({{"0", 20, 20}});
  EXPECT_EQ(one->state, MeanState::kSingleValue);
  EXPECT_EQ(*one->mean, 1.0);
  EXPECT_FALSE(one->interval || one->standard_error);
  EXPECT_EQ(Measure({})->state, MeanState::kNotMeasured);
  CanonicalJson(ToJson(*Measure({})));
}

TEST(Replication, SeedsWeighTheSame) {
  EXPECT_NEAR(*Measure({{"0", 1000, 1000}, {"1", 0, 10}})->mean, 0.5, 1e-12);
}

TEST(Replication, BadInputIsNamed) {
  EXPECT_NE(Measure({{"7", 0, 0}}).error().message.find("'7'"), std::string::npos);
  EXPECT_NE(Measure({{"7", 1, 2}, {"7", 1, 2}}).error().message.find("twice"), std::string::npos);
  EXPECT_FALSE(Measure({{"7", 3, 2}}).ok());
}

// Five policies whose true rates differ: the t interval covers the method's rate, the pooled one
// does not.
TEST(Replication, Coverage) {
  Stream data({.seed = 3, .purpose = Purpose::kTest});
  const int repeats = 500;
  int covered = 0, pooled_covered = 0;
  for (int r = 0; r < repeats; ++r) {
    std::vector<SeedResult> seeds;
    std::int64_t successes = 0;
    for (int s = 0; s < 5; ++s) {
      const double rate = data.Uniform(0.2, 0.8);
      SeedResult seed{std::to_string(s), 0, 40};
      for (int i = 0; i < 40; ++i) seed.successes += data.Uniform() < rate;
      successes += seed.successes;
      seeds.push_back(seed);
    }
    const auto made = Measure(seeds);
    covered += made->interval->Contains(0.5);
    pooled_covered += MeasureProportion(successes, 200)->interval.Contains(0.5);
  }
  EXPECT_GT(covered, 0.91 * repeats);
  EXPECT_LT(pooled_covered, 0.75 * repeats);
}

}  // namespace
}  // namespace realward
