// Intervals and exact tests for counts, and the quantiles they need. Everything here is a pure
// function, thread-safe. Special functions are Boost.Math's.
//
// "Confidence" is two-sided coverage, strictly between 0 and 1; a value outside is an InvalidInput
// error.
#ifndef REALWARD_EVALUATE_STATISTICS_H_
#define REALWARD_EVALUATE_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace realward {

// Closed interval.
struct Interval {
  double low = 0.0;
  double high = 0.0;
  double width() const { return high - low; }
  bool Contains(double x) const { return low <= x && x <= high; }
};

// Quantile of the standard normal; 0 < p < 1.
double NormalQuantile(double p);
// Cumulative distribution of the standard normal.
double NormalCdf(double x);
// Quantile of Student's t; 0 < p < 1, degrees_of_freedom > 0.
double StudentQuantile(double p, double degrees_of_freedom);
// Regularised incomplete beta function I_x(a, b); a, b > 0, 0 ≤ x ≤ 1.
double IncompleteBeta(double a, double b, double x);

// InvalidInput unless 0 < confidence < 1.
Status CheckConfidence(double confidence);

enum class ProportionMethod { kWilson, kClopperPearson };

// "Wilson", "Clopper-Pearson".
std::string_view Name(ProportionMethod method);

// A success rate. With no trials it is not measured: no rate, and the interval [0, 1].
struct Proportion {
  std::int64_t successes = 0;
  std::int64_t trials = 0;
  std::optional<double> rate;  // none when trials == 0
  Interval interval{0.0, 1.0};
  double confidence = 0.95;
  ProportionMethod method = ProportionMethod::kWilson;
  bool measured() const { return rate.has_value(); }
};

// The interval always holds the rate, lies in [0, 1] exactly, touches 0 (1) exactly when there is
// no success (failure), and has positive width.
//  - Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
//  (1927): average
//    coverage is close to the confidence.
//  - Clopper and Pearson, Biometrika 26 (1934): coverage is never below the confidence.
// Errors: negative counts, more successes than trials.
Result<Proportion> MeasureProportion(std::int64_t successes, std::int64_t trials,
                                     double confidence = 0.95,
                                     ProportionMethod method = ProportionMethod::kWilson);

// Two policies on the same trials.
struct PairedTable {
  std::int64_t both = 0;    // both succeed
  std::int64_t only_a = 0;  // A succeeds, B fails
  std::int64_t only_b = 0;
  std::int64_t none = 0;
  std::int64_t pairs() const { return both + only_a + only_b + none; }
};

// Two-sided exact McNemar test: the p value of a fair coin over the discordant pairs (twice the
// smaller tail, at most 1). 1 when no pair is discordant. McNemar, Psychometrika 12 (1947).
Result<double> McNemarExact(const PairedTable& table);

// Two-sided Fisher exact test of two independent samples: the sum of the hypergeometric
// probabilities not above that of the table seen. 1 when either sample is empty.
Result<double> FisherExact(std::int64_t successes_a, std::int64_t trials_a,
                           std::int64_t successes_b, std::int64_t trials_b);

// A difference of two rates, A − B; no estimate and [−1, 1] when a sample is empty.
struct RateDifference {
  std::optional<double> difference;
  Interval interval{-1.0, 1.0};
};

// Paired difference. Newcombe, "Improved confidence intervals for the difference between binomial
// proportions based on paired data", Statistics in Medicine 17 (1998) 2635, method 10.
Result<RateDifference> PairedRateDifference(const PairedTable& table, double confidence = 0.95);

// Difference of independent samples. Newcombe, "Interval estimation for the difference between
// independent proportions", Statistics in Medicine 17 (1998) 873, method 10.
Result<RateDifference> IndependentRateDifference(std::int64_t successes_a, std::int64_t trials_a,
                                                 std::int64_t successes_b, std::int64_t trials_b,
                                                 double confidence = 0.95);

}  // namespace realward

#endif  // REALWARD_EVALUATE_STATISTICS_H_
