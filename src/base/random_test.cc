#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace realward {
namespace {

// Known answers published with the algorithm's reference implementation.
TEST(Philox, MatchesPublishedVectors) {
  const std::uint64_t ones = ~0ULL;
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint64_t, 4>{0x16554d9eca36314cULL, 0xdb20fe9d672d0fdcULL,
                                          0xd7e772cee186176bULL, 0x7e68b68aec7ba23bULL}));
  EXPECT_EQ(Philox({ones, ones, ones, ones}, {ones, ones}),
            (std::array<std::uint64_t, 4>{0x87b092c3013fe90bULL, 0x438c3c67be8d0224ULL,
                                          0x9cc7d7c69cd777b6ULL, 0xa09caebf594f0ba0ULL}));
}

TEST(Stream, EveryPartOfTheAddressMakesAnotherStream) {
  const StreamId base{1, Purpose::kGapDraw, 2, 3, 4, 5};
  std::vector<StreamId> ids(7, base);
  ids[1].seed = 2;
  ids[2].purpose = Purpose::kReset;
  ids[3].unit = 3;
  ids[4].world = 4;
  ids[5].episode = 5;
  ids[6].step = 6;
  std::set<std::uint64_t> first;
  for (const StreamId& id : ids) first.insert(Stream(id).Bits());
  EXPECT_EQ(first.size(), ids.size());
  EXPECT_EQ(Stream(base).Bits(), Stream(base).Bits());
}

TEST(Stream, NeighbouringStreamsAreUncorrelated) {
  const int n = 20000;
  double sum_xy = 0.0;
  for (int i = 0; i < n; ++i) {
    StreamId id{9, Purpose::kTest, 0, static_cast<std::uint32_t>(i), 0, 0};
    const double x = Stream(id).Normal();
    id.episode = 1;
    const double y = Stream(id).Normal();
    sum_xy += x * y;
  }
  EXPECT_LT(std::abs(sum_xy / n), 4.0 / std::sqrt(n));
}

TEST(Stream, MomentsOfUniformAndNormal) {
  const int n = 200000;
  Stream stream({3, Purpose::kTest, 0, 0, 0, 0});
  double mean_u = 0, mean_n = 0, var_n = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.Uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    mean_u += u / n;
    const double z = stream.Normal();
    mean_n += z / n;
    var_n += z * z / n;
    fourth += z * z * z * z / n;
  }
  EXPECT_NEAR(mean_u, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(mean_n, 0.0, 4 / std::sqrt(n));
  EXPECT_NEAR(var_n, 1.0, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth, 3.0, 4 * std::sqrt(96.0 / n));
}

TEST(Stream, IndexIsUniform) {
  Stream stream({4, Purpose::kTest, 0, 0, 0, 0});
  std::vector<int> counts(7, 0);
  const int n = 70000;
  for (int i = 0; i < n; ++i) ++counts[stream.Index(7)];
  double chi2 = 0;
  for (int count : counts) chi2 += std::pow(count - n / 7.0, 2) / (n / 7.0);
  EXPECT_LT(chi2, 22.5);  // 99.9 % quantile of chi-square with 6 degrees of freedom
}

}  // namespace
}  // namespace realward
