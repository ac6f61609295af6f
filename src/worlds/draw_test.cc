#include "worlds/draw.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace realward {
namespace {

GapParameter Parameter(const std::string& name, Level level, Distribution distribution) {
  GapParameter parameter;
  parameter.name = name;
  parameter.kind = "gravity";
  parameter.level = level;
  parameter.distribution = distribution;
  return parameter;
}

Distribution Uniform(double a, double b) { return {DistributionKind::kUniform, a, b}; }
Distribution Normal(double mean, double std) { return {DistributionKind::kNormal, mean, std}; }

double DrawOne(const Drawer& drawer, const WorldId& id, std::size_t which = 0) {
  std::vector<double> values(drawer.size());
  drawer.Draw(id, values);
  return values[which];
}

double Phi(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Kolmogorov–Smirnov distance of a sample from a distribution function.
template <class Cdf>
double KsDistance(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    distance =
        std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return distance;
}

std::vector<double> EpisodeDraws(const Distribution& distribution, int count) {
  GapSpec spec;
  spec.parameters = {Parameter("x", Level::kEpisode, distribution)};
  const Drawer drawer(spec);
  std::vector<double> sample;
  for (int e = 0; e < count; ++e)
    sample.push_back(DrawOne(drawer, {5, 0, 0, static_cast<std::uint64_t>(e)}));
  return sample;
}

TEST(Draw, QuantilesHaveTheirClosedForms) {
  EXPECT_EQ(Quantile({DistributionKind::kConstant, 3.5}, 0.2), 3.5);
  EXPECT_DOUBLE_EQ(Quantile(Uniform(-1.0, 3.0), 0.25), 0.0);
  EXPECT_DOUBLE_EQ(Quantile({DistributionKind::kLogUniform, 0.01, 100.0}, 0.5), 1.0);
  EXPECT_DOUBLE_EQ(Quantile({DistributionKind::kLogUniform, 0.01, 100.0}, 0.25), 0.1);
  EXPECT_DOUBLE_EQ(Quantile(Normal(2.0, 3.0), 0.5), 2.0);
  // Φ(1.959963984540054) = 0.975, Φ(−6) = 9.865876450376946e-10 (tables).
  EXPECT_NEAR(Quantile(Normal(0.0, 1.0), 0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(Quantile(Normal(0.0, 1.0), 9.865876450376946e-10), -6.0, 1e-12);
  EXPECT_NEAR(Quantile(Normal(0.0, 2.0), 0.025), -2 * 1.959963984540054, 1e-13);
}

TEST(Draw, TruncatedNormalInvertsItsDistributionFunction) {
  EXPECT_TRUE(rc::check([](int a, int b, int c) {
    const double mean = std::remainder(0.01 * a, 3.0);
    const double low = std::remainder(0.01 * b, 2.5);
    const double high = low + 0.3;
    const double u = 0.5 + std::remainder(0.37 * c, 0.99);
    RC_PRE(u > 0.0 && u < 1.0);
    Distribution d = Normal(mean, 0.8);
    d.low = low;
    d.high = high;
    const auto cdf = [&](double x) { return Phi((x - mean) / 0.8); };
    RC_PRE(cdf(high) - cdf(low) > kLeastKept);
    const double value = Quantile(d, u);
    RC_ASSERT(value >= low && value <= high);
    RC_ASSERT(std::abs((cdf(value) - cdf(low)) / (cdf(high) - cdf(low)) - u) < 1e-9);
  }));
}

// The least that the spec's reader lets a truncation keep is 1e-6: both tails stay finite there.
TEST(Draw, FarTruncationsStayFiniteAtTheEndsOfTheUnitInterval) {
  for (double sign : {-1.0, 1.0}) {
    Distribution d = Normal(0.0, 1.0);
    (sign > 0 ? d.low : d.high) = sign * 4.75;
    for (double u : {0x1.0p-54, 1e-12, 0.5, 1.0 - 1e-12, 1.0 - 0x1.0p-53}) {
      const double value = sign * Quantile(d, u);
      EXPECT_GE(value, 4.75) << u;
      EXPECT_LT(value, 11.0) << u;
    }
  }
}

TEST(Draw, SupportIsWhereQuantilesLie) {
  const Distribution normal = Normal(1.0, 0.1);
  const Support open = SupportOf(normal);
  EXPECT_NEAR(open.low, 1.0 - 0.1 * 5.9978070150076865, 1e-9);
  EXPECT_NEAR(open.high, 1.0 + 0.1 * 5.9978070150076865, 1e-6);
  Distribution cut = normal;
  cut.low = 0.95;
  EXPECT_EQ(SupportOf(cut).low, 0.95);
  EXPECT_EQ(SupportOf(Uniform(-3.0, 0.5)).low, -3.0);
  EXPECT_EQ(SupportOf(Uniform(-3.0, 0.5)).high, 0.5);
  EXPECT_EQ(SupportOf({DistributionKind::kConstant, 7.0}).high, 7.0);
}

// 1.95/√n is the distance that a right sampler exceeds once in a thousand seeds; the seed is fixed.
TEST(Draw, DrawsFollowTheirDistributions) {
  constexpr int kCount = 20000;
  const double limit = 1.95 / std::sqrt(static_cast<double>(kCount));
  EXPECT_LT(KsDistance(EpisodeDraws(Uniform(-2.0, 5.0), kCount),
                       [](double x) { return (x + 2.0) / 7.0; }),
            limit);
  EXPECT_LT(KsDistance(EpisodeDraws({DistributionKind::kLogUniform, 0.1, 10.0}, kCount),
                       [](double x) { return std::log(x / 0.1) / std::log(100.0); }),
            limit);
  EXPECT_LT(KsDistance(EpisodeDraws(Normal(3.0, 0.5), kCount),
                       [](double x) { return Phi((x - 3.0) / 0.5); }),
            limit);
  Distribution cut = Normal(1.0, 0.5);
  cut.low = 0.8;
  cut.high = 1.1;
  const double from = Phi(-0.4), to = Phi(0.2);
  EXPECT_LT(KsDistance(EpisodeDraws(cut, kCount),
                       [&](double x) { return (Phi((x - 1.0) / 0.5) - from) / (to - from); }),
            limit);
  // A wrong distribution is seen.
  EXPECT_GT(KsDistance(EpisodeDraws(Normal(3.0, 0.5), kCount),
                       [](double x) { return Phi((x - 3.0) / 0.55); }),
            limit);
}

TEST(Draw, LevelsSayWhatADrawDependsOn) {
  GapSpec spec;
  for (const auto& [name, level] : {std::pair{"fleet", Level::kFleet},
                                    {"unit", Level::kUnit},
                                    {"step", Level::kStep},
                                    {"episode", Level::kEpisode}}) {
    spec.parameters.push_back(Parameter(name, level, Uniform(0.0, 1.0)));
  }
  const Drawer drawer(spec);
  const auto draw = [&](const WorldId& id) {
    std::vector<double> values(4);
    drawer.Draw(id, values);
    return values;
  };
  const auto base = draw({1, 7, 3, 2});
  const auto other_unit = draw({1, 8, 3, 2});
  const auto other_episode = draw({1, 7, 3, 5});
  const auto other_world = draw({1, 7, 4, 2});
  const auto other_seed = draw({2, 7, 3, 2});
  enum { kFleet, kUnit, kStep, kEpisode };
  EXPECT_EQ(other_unit[kFleet], base[kFleet]);
  EXPECT_NE(other_unit[kUnit], base[kUnit]);
  EXPECT_NE(other_unit[kStep], base[kStep]);
  EXPECT_NE(other_unit[kEpisode], base[kEpisode]);
  EXPECT_EQ(other_episode[kFleet], base[kFleet]);
  EXPECT_EQ(other_episode[kUnit], base[kUnit]);
  EXPECT_EQ(other_episode[kStep], base[kStep]);
  EXPECT_NE(other_episode[kEpisode], base[kEpisode]);
  EXPECT_EQ(other_world[kUnit], base[kUnit]);
  EXPECT_NE(other_world[kEpisode], base[kEpisode]);
  for (int level = 0; level < 4; ++level) EXPECT_NE(other_seed[level], base[level]) << level;
  // Parameters of equal level and distribution do not share a stream.
  EXPECT_NE(base[kUnit], base[kStep]);
}

TEST(Draw, IsAPureFunctionOfTheAddress) {
  GapSpec spec;
  spec.parameters = {Parameter("a", Level::kEpisode, Normal(0.0, 1.0)),
                     Parameter("b", Level::kUnit, Uniform(0.0, 1.0))};
  const Drawer drawer(spec);
  const Drawer twin(spec);
  std::vector<std::vector<double>> forward;
  for (std::uint32_t unit = 0; unit < 20; ++unit) {
    forward.emplace_back(2);
    drawer.Draw({9, unit, unit, unit}, forward.back());
  }
  for (std::uint32_t unit = 20; unit-- > 0;) {
    std::vector<double> again(2);
    twin.Draw({9, unit, unit, unit}, again);
    EXPECT_EQ(again, forward[unit]);
  }
}

TEST(Draw, OtherParametersAndTheirOrderDoNotMatter) {
  const GapParameter a = Parameter("a", Level::kUnit, Uniform(0.0, 1.0));
  const GapParameter b = Parameter("b", Level::kEpisode, Normal(2.0, 1.0));
  const GapParameter c = Parameter("c", Level::kFleet, Uniform(5.0, 6.0));
  GapSpec abc, cb, grouped;
  abc.parameters = {a, b, c};
  cb.parameters = {c, b};
  const WorldId id{4, 3, 2, 1};
  EXPECT_EQ(DrawOne(Drawer(abc), id, 1), DrawOne(Drawer(cb), id, 1));
  EXPECT_EQ(DrawOne(Drawer(abc), id, 2), DrawOne(Drawer(cb), id, 0));

  // The same holds inside a correlation group: the group's own order counts, not the spec's.
  Matrix<double> matrix(2, 2, 1.0);
  matrix(0, 1) = matrix(1, 0) = 0.7;
  GapParameter d = Parameter("d", Level::kUnit, Uniform(0.0, 1.0));
  grouped.parameters = {a, d};
  grouped.correlations = {{{"a", "d"}, matrix}};
  GapSpec swapped = grouped;
  std::swap(swapped.parameters[0], swapped.parameters[1]);
  EXPECT_EQ(DrawOne(Drawer(grouped), id, 1), DrawOne(Drawer(swapped), id, 0));
  // The first member draws as if it were alone.
  EXPECT_NEAR(DrawOne(Drawer(grouped), id, 0), DrawOne(Drawer(abc), id, 0), 1e-15);
}

double Correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

std::vector<double> Ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

// For a Gaussian copula Spearman's rank correlation is (6/π) asin(ρ/2), whatever the margins.
TEST(Draw, CorrelationGroupsCorrelateAsStated) {
  constexpr int kCount = 20000;
  GapSpec spec;
  spec.parameters = {Parameter("n1", Level::kUnit, Normal(1.0, 0.2)),
                     Parameter("alone", Level::kUnit, Normal(0.0, 1.0)),
                     Parameter("n2", Level::kUnit, Normal(-4.0, 3.0)),
                     Parameter("log", Level::kUnit, {DistributionKind::kLogUniform, 0.1, 10.0})};
  Matrix<double> matrix(3, 3, 1.0);
  matrix(0, 1) = matrix(1, 0) = 0.8;
  matrix(0, 2) = matrix(2, 0) = -0.5;
  matrix(1, 2) = matrix(2, 1) = -0.2;
  spec.correlations = {{{"n1", "n2", "log"}, matrix}};
  const Drawer drawer(spec);
  std::vector<std::vector<double>> columns(4);
  for (int unit = 0; unit < kCount; ++unit) {
    std::vector<double> values(4);
    drawer.Draw({11, static_cast<std::uint32_t>(unit), 0, 0}, values);
    for (int p = 0; p < 4; ++p) columns[p].push_back(values[p]);
  }
  const double error = 4.0 / std::sqrt(static_cast<double>(kCount));
  EXPECT_NEAR(Correlation(columns[0], columns[2]), 0.8, error);
  const auto spearman = [](double rho) { return 6.0 / std::numbers::pi * std::asin(rho / 2); };
  EXPECT_NEAR(Correlation(Ranks(columns[0]), Ranks(columns[3])), spearman(-0.5), error);
  EXPECT_NEAR(Correlation(Ranks(columns[2]), Ranks(columns[3])), spearman(-0.2), error);
  for (int p : {0, 2, 3}) EXPECT_NEAR(Correlation(columns[1], columns[p]), 0.0, error) << p;
  // The margins stay.
  const double limit = 1.95 / std::sqrt(static_cast<double>(kCount));
  EXPECT_LT(KsDistance(columns[2], [](double x) { return Phi((x + 4.0) / 3.0); }), limit);
  EXPECT_LT(KsDistance(columns[3], [](double x) { return std::log(x / 0.1) / std::log(100.0); }),
            limit);
}

}  // namespace
}  // namespace realward
