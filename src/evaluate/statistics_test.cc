#include "evaluate/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace realward {
namespace {

constexpr double kTight = 1e-10;

// Values from SciPy 1.17 and statsmodels 0.15; each comment is the generating expression.

TEST(Statistics, Quantiles) {
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, kTight);         // stats.norm.ppf(.975)
  EXPECT_NEAR(NormalQuantile(1e-10), -6.361340902404056, kTight);        // stats.norm.ppf(1e-10)
  EXPECT_NEAR(NormalCdf(-3.5), 0.00023262907903552502, 1e-14);           // stats.norm.cdf(-3.5)
  EXPECT_NEAR(StudentQuantile(0.975, 4), 2.7764451051977934, kTight);    // stats.t.ppf(.975, 4)
  EXPECT_NEAR(StudentQuantile(0.95, 1), 6.313751514675037, kTight);      // stats.t.ppf(.95, 1)
  EXPECT_NEAR(StudentQuantile(0.975, 199), 1.9719565442517533, kTight);  // stats.t.ppf(.975, 199)
  EXPECT_NEAR(StudentQuantile(0.005, 2), -9.924843200918293, kTight);    // stats.t.ppf(.005, 2)
}

TEST(Statistics, IncompleteBeta) {
  EXPECT_NEAR(IncompleteBeta(2, 3, 0.4), 0.5248, kTight);  // a polynomial: 1 − 0.6⁴ − 4·0.4·0.6³
  EXPECT_NEAR(IncompleteBeta(0.5, 0.5, 0.1), 0.20483276469913345, kTight);  // special.betainc
  EXPECT_NEAR(IncompleteBeta(300, 20, 0.95), 0.8211940072460824, kTight);   // special.betainc
  EXPECT_EQ(IncompleteBeta(2, 3, 0.0), 0.0);
  EXPECT_EQ(IncompleteBeta(2, 3, 1.0), 1.0);
}

TEST(Statistics, ProportionIntervals) {
  struct Case {
    int successes, trials;
    double confidence, wilson_low, wilson_high, exact_low, exact_high;
  };
  // proportion_confint(k, n, 1 - c, 'wilson'), proportion_confint(k, n, 1 - c, 'beta')
  const std::vector<Case> cases = {
      {7, 10, 0.95, 0.39677814746114537, 0.8922087325936989, 0.34754714994000274,
       0.9332604888222655},
      {195, 200, 0.95, 0.942821659593358, 0.9892752803482386, 0.9426256488731541,
       0.9918338338091575},
      {1, 3, 0.99, 0.04042662929608465, 0.855783984952333, 0.0016694521863086687,
       0.9585998492839568},
      {499, 500, 0.9, 0.9910858741996682, 0.9995536890290091, 0.9905477177919249,
       0.999897418673049},
  };
  for (const Case& c : cases) {
    const auto wilson = MeasureProportion(c.successes, c.trials, c.confidence);
    const auto exact =
        MeasureProportion(c.successes, c.trials, c.confidence, ProportionMethod::kClopperPearson);
    ASSERT_TRUE(wilson.ok() && exact.ok());
    EXPECT_NEAR(wilson->interval.low, c.wilson_low, kTight);
    EXPECT_NEAR(wilson->interval.high, c.wilson_high, kTight);
    EXPECT_NEAR(exact->interval.low, c.exact_low, kTight);
    EXPECT_NEAR(exact->interval.high, c.exact_high, kTight);
  }
}

TEST(Statistics, NothingMeasured) {
  const auto p = MeasureProportion(0, 0);
  ASSERT_TRUE(p.ok());
  EXPECT_FALSE(p->measured());
  EXPECT_EQ(p->interval.low, 0.0);
  EXPECT_EQ(p->interval.high, 1.0);
}

TEST(Statistics, BadInputIsNamed) {
  EXPECT_NE(MeasureProportion(5, 4).error().message.find("5 successes of 4"), std::string::npos);
  EXPECT_FALSE(MeasureProportion(-1, 4).ok());
  EXPECT_FALSE(MeasureProportion(1, 4, 1.0).ok());
  EXPECT_FALSE(MeasureProportion(1, 4, 0.0).ok());
  EXPECT_NE(MeasureProportion(1, 4, 95).error().message.find("confidence 95"), std::string::npos);
  EXPECT_FALSE(MeasureProportion(1, 4, std::numeric_limits<double>::quiet_NaN()).ok());
  EXPECT_FALSE(McNemarExact({1, -1, 0, 0}).ok());
  EXPECT_FALSE(FisherExact(3, 2, 1, 2).ok());
}

RC_GTEST_PROP(Statistics, ProportionsAreNeverCertain, ()) {
  const int trials = *rc::gen::inRange(1, 3000);
  const int successes =
      *rc::gen::oneOf(rc::gen::inRange(0, trials + 1), rc::gen::just(0), rc::gen::just(trials));
  const double confidence = *rc::gen::element(0.5, 0.9, 0.95, 0.999);
  for (auto method : {ProportionMethod::kWilson, ProportionMethod::kClopperPearson}) {
    const auto p = MeasureProportion(successes, trials, confidence, method);
    RC_ASSERT(p.ok());
    RC_ASSERT(p->interval.width() > 0.0);
    RC_ASSERT(p->interval.low >= 0.0 && p->interval.high <= 1.0);
    RC_ASSERT((p->interval.low == 0.0) == (successes == 0));
    RC_ASSERT((p->interval.high == 1.0) == (successes == trials));
    RC_ASSERT(p->interval.Contains(*p->rate));
    // Failures mirror successes.
    const auto q = MeasureProportion(trials - successes, trials, confidence, method);
    RC_ASSERT(std::abs(p->interval.low - (1.0 - q->interval.high)) < 1e-12);
  }
}

// Exact coverage: the binomial probability of the counts whose interval holds p.
double Coverage(int trials, double p, ProportionMethod method) {
  double covered = 0.0;
  for (int k = 0; k <= trials; ++k) {
    if (!MeasureProportion(k, trials, 0.95, method)->interval.Contains(p)) continue;
    covered +=
        std::exp(std::lgamma(trials + 1.0) - std::lgamma(k + 1.0) - std::lgamma(trials - k + 1.0) +
                 k * std::log(p) + (trials - k) * std::log1p(-p));
  }
  return covered;
}

TEST(Statistics, CoverageIsAsPromised) {
  for (int trials : {5, 20, 60}) {
    double wilson_mean = 0.0;
    double exact_least = 1.0;
    const int grid = 199;
    for (int i = 1; i <= grid; ++i) {
      const double p = i / (grid + 1.0);
      wilson_mean += Coverage(trials, p, ProportionMethod::kWilson) / grid;
      exact_least = std::min(exact_least, Coverage(trials, p, ProportionMethod::kClopperPearson));
    }
    EXPECT_NEAR(wilson_mean, 0.95, 0.01) << trials;
    EXPECT_GE(exact_least, 0.95) << trials;
  }
}

TEST(Statistics, McNemar) {
  // mcnemar([[0, b], [c, 0]], exact=True).pvalue
  EXPECT_NEAR(*McNemarExact({22, 10, 3, 5}), 0.09228515625, kTight);
  EXPECT_NEAR(*McNemarExact({0, 0, 5, 0}), 0.0625, kTight);
  EXPECT_NEAR(*McNemarExact({7, 1, 9, 7}), 0.021484375, kTight);
  EXPECT_NEAR(*McNemarExact({0, 20, 41, 0}), 0.009853448195259268, kTight);
  EXPECT_EQ(*McNemarExact({3, 7, 7, 3}), 1.0);
  EXPECT_EQ(*McNemarExact({100, 0, 0, 100}), 1.0);  // concordant pairs say nothing
  EXPECT_EQ(*McNemarExact({}), 1.0);
}

RC_GTEST_PROP(Statistics, McNemarIsTheCoinTest, ()) {
  const int b = *rc::gen::inRange(0, 30);
  const int c = *rc::gen::inRange(0, 30);
  // Direct sum over the coin's outcomes that are at least as uneven.
  double p = 0.0;
  for (int k = 0; k <= b + c; ++k) {
    if (std::abs(2 * k - b - c) < std::abs(b - c)) continue;
    double ways = 1.0;
    for (int i = 1; i <= k; ++i) ways = ways * (b + c - k + i) / i;
    p += std::ldexp(ways, -(b + c));
  }
  RC_ASSERT(std::abs(*McNemarExact({4, b, c, 9}) - p) < 1e-10);
}

TEST(Statistics, Fisher) {
  // stats.fisher_exact([[a, n - a], [b, m - b]])[1]
  EXPECT_NEAR(*FisherExact(32, 40, 25, 40), 0.1374295549138778, kTight);
  EXPECT_NEAR(*FisherExact(0, 10, 5, 10), 0.032507739938080496, kTight);
  EXPECT_NEAR(*FisherExact(190, 200, 170, 200), 0.001284932759445198, kTight);
  EXPECT_NEAR(*FisherExact(3, 7, 2, 50), 0.010662734595207286, kTight);
  EXPECT_EQ(*FisherExact(0, 0, 2, 5), 1.0);
}

TEST(Statistics, PairedDifference) {
  // Newcombe's own example for method 10: (36, 12, 2, 0) gives 0.0569 to 0.3404.
  const auto published = PairedRateDifference({36, 12, 2, 0});
  EXPECT_NEAR(*published->difference, 0.2, 1e-12);
  EXPECT_NEAR(published->interval.low, 0.0569, 5e-5);
  EXPECT_NEAR(published->interval.high, 0.3404, 5e-5);
  // Newcombe's formula over statsmodels' Wilson limits.
  const auto positive = PairedRateDifference({20, 12, 2, 16});
  EXPECT_NEAR(positive->interval.low, 0.056156424841748265, kTight);
  EXPECT_NEAR(positive->interval.high, 0.3292069954001405, kTight);
  const auto negative_correlation = PairedRateDifference({10, 20, 20, 10});
  EXPECT_EQ(*negative_correlation->difference, 0.0);
  EXPECT_NEAR(negative_correlation->interval.high, 0.20028621543862316, kTight);
  const auto all_fail = PairedRateDifference({0, 0, 0, 30});
  EXPECT_NEAR(all_fail->interval.low, -0.11351339317396876, kTight);
  const auto empty = PairedRateDifference({});
  EXPECT_FALSE(empty->difference.has_value());
  EXPECT_EQ(empty->interval.low, -1.0);
}

TEST(Statistics, IndependentDifference) {
  // confint_proportions_2indep(a, n, b, m, method='newcomb')
  const auto a = IndependentRateDifference(56, 70, 48, 80);
  EXPECT_NEAR(a->interval.low, 0.05243147240236498, kTight);
  EXPECT_NEAR(a->interval.high, 0.33387265403690614, kTight);
  const auto b = IndependentRateDifference(10, 10, 0, 20);
  EXPECT_NEAR(b->interval.low, 0.6790860371419145, kTight);
  EXPECT_EQ(b->interval.high, 1.0);
  EXPECT_FALSE(IndependentRateDifference(0, 0, 3, 5)->difference.has_value());
}

// A paired difference between strongly correlated outcomes is known more sharply than an unpaired
// one.
TEST(Statistics, PairedDifferenceCovers) {
  Stream random({.seed = 7, .purpose = Purpose::kTest});
  const int repeats = 2000;
  int covered = 0;
  double paired_width = 0.0;
  double unpaired_width = 0.0;
  for (int r = 0; r < repeats; ++r) {
    PairedTable table;
    for (int i = 0; i < 60; ++i) {
      const double u = random.Uniform();  // cells 0.55, 0.15, 0.05, 0.25: difference 0.10
      ++(u < 0.55 ? table.both : u < 0.70 ? table.only_a : u < 0.75 ? table.only_b : table.none);
    }
    const auto paired = PairedRateDifference(table);
    covered += paired->interval.Contains(0.10);
    paired_width += paired->interval.width();
    unpaired_width +=
        IndependentRateDifference(table.both + table.only_a, 60, table.both + table.only_b, 60)
            ->interval.width();
  }
  // The binomial standard error of this estimate is 0.005.
  EXPECT_GT(covered / static_cast<double>(repeats), 0.935);
  EXPECT_LT(covered / static_cast<double>(repeats), 0.985);
  EXPECT_LT(paired_width, 0.8 * unpaired_width);
}

}  // namespace
}  // namespace realward
