#include "evaluate/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/check.h"

namespace realward {
namespace {

namespace bm = boost::math;
// Arguments are checked before each call; no exception may cross our functions.
using Quiet = bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                                   bm::policies::pole_error<bm::policies::ignore_error>,
                                   bm::policies::overflow_error<bm::policies::ignore_error>,
                                   bm::policies::evaluation_error<bm::policies::ignore_error>>;

Status CheckCounts(std::int64_t successes, std::int64_t trials) {
  if (successes < 0 || trials < 0 || successes > trials) {
    return InvalidInput(
        fmt::format("{} successes of {} trials: successes must be between 0 and the trials",
                    successes, trials));
  }
  return {};
}

Status CheckTable(const PairedTable& t) {
  if (t.both < 0 || t.only_a < 0 || t.only_b < 0 || t.none < 0) {
    return InvalidInput(fmt::format("paired table ({}, {}, {}, {}): counts must not be negative",
                                    t.both, t.only_a, t.only_b, t.none));
  }
  return {};
}

Interval WilsonInterval(double successes, double trials, double confidence) {
  const double z = NormalQuantile(0.5 + 0.5 * confidence);
  const double rate = successes / trials;
  const double scale = 1.0 / (1.0 + z * z / trials);
  const double centre = scale * (rate + 0.5 * z * z / trials);
  const double half =
      scale * z * std::sqrt(rate * (1.0 - rate) / trials + 0.25 * z * z / (trials * trials));
  return {centre - half, centre + half};
}

Interval ClopperPearsonInterval(double successes, double trials, double confidence) {
  const double tail = 0.5 * (1.0 - confidence);
  Interval out{0.0, 1.0};
  if (successes > 0) {
    out.low = bm::ibeta_inv(successes, trials - successes + 1.0, tail, Quiet());
  }
  if (successes < trials) {
    out.high = bm::ibetac_inv(successes + 1.0, trials - successes, tail, Quiet());
  }
  return out;
}

// log of the binomial coefficient.
double LogChoose(double n, double k) {
  return bm::lgamma(n + 1.0, Quiet()) - bm::lgamma(k + 1.0, Quiet()) -
         bm::lgamma(n - k + 1.0, Quiet());
}

// Newcombe's correlation of the two rates, with his continuity correction; 0 when a margin is
// empty.
double NewcombePhi(const PairedTable& t) {
  const double a = t.both, b = t.only_a, c = t.only_b, d = t.none;
  const double margins = (a + b) * (c + d) * (a + c) * (b + d);
  if (margins <= 0.0) return 0.0;
  double determinant = a * d - b * c;
  if (determinant > 0.0) determinant = std::max(determinant - 0.5 * (a + b + c + d), 0.0);
  return determinant / std::sqrt(margins);
}

// Newcombe's square-and-add of two Wilson intervals with correlation phi.
RateDifference SquareAndAdd(const Proportion& a, const Proportion& b, double phi) {
  const double difference = *a.rate - *b.rate;
  auto combine = [phi](double x, double y) {
    return std::sqrt(std::max(x * x - 2.0 * phi * x * y + y * y, 0.0));
  };
  const double below = combine(*a.rate - a.interval.low, b.interval.high - *b.rate);
  const double above = combine(a.interval.high - *a.rate, *b.rate - b.interval.low);
  return {difference, {std::max(difference - below, -1.0), std::min(difference + above, 1.0)}};
}

}  // namespace

double NormalQuantile(double p) {
  RW_CHECK(p > 0.0 && p < 1.0);
  return bm::quantile(bm::normal_distribution<double, Quiet>(), p);
}

double NormalCdf(double x) { return bm::cdf(bm::normal_distribution<double, Quiet>(), x); }

double StudentQuantile(double p, double degrees_of_freedom) {
  RW_CHECK(p > 0.0 && p < 1.0 && degrees_of_freedom > 0.0);
  return bm::quantile(bm::students_t_distribution<double, Quiet>(degrees_of_freedom), p);
}

double IncompleteBeta(double a, double b, double x) {
  RW_CHECK(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0);
  return bm::ibeta(a, b, x, Quiet());
}

Status CheckConfidence(double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    return InvalidInput(
        fmt::format("confidence {}: must lie strictly between 0 and 1, such as 0.95", confidence));
  }
  return {};
}

std::string_view Name(ProportionMethod method) {
  return method == ProportionMethod::kWilson ? "Wilson" : "Clopper-Pearson";
}

Result<Proportion> MeasureProportion(std::int64_t successes, std::int64_t trials, double confidence,
                                     ProportionMethod method) {
  RW_TRY(CheckConfidence(confidence));
  RW_TRY(CheckCounts(successes, trials));
  Proportion out;
  out.successes = successes;
  out.trials = trials;
  out.confidence = confidence;
  out.method = method;
  if (trials == 0) return out;
  const double n = static_cast<double>(trials);
  const double rate = static_cast<double>(successes) / n;
  out.rate = rate;
  out.interval = method == ProportionMethod::kWilson
                     ? WilsonInterval(static_cast<double>(successes), n, confidence)
                     : ClopperPearsonInterval(static_cast<double>(successes), n, confidence);
  // Rounding may leave [0, 1] or the rate by 1e-17; the ends are exact by the definition of both.
  out.interval.low = successes == 0 ? 0.0 : std::clamp(out.interval.low, 0.0, rate);
  out.interval.high = successes == trials ? 1.0 : std::clamp(out.interval.high, rate, 1.0);
  return out;
}

Result<double> McNemarExact(const PairedTable& table) {
  RW_TRY(CheckTable(table));
  const double discordant = static_cast<double>(table.only_a) + static_cast<double>(table.only_b);
  const double smaller = static_cast<double>(std::min(table.only_a, table.only_b));
  // P(X ≤ k) of Binomial(n, 1/2) is I_½(n − k, k + 1).
  if (2.0 * smaller >= discordant) return 1.0;
  return std::min(1.0, 2.0 * IncompleteBeta(discordant - smaller, smaller + 1.0, 0.5));
}

Result<double> FisherExact(std::int64_t successes_a, std::int64_t trials_a,
                           std::int64_t successes_b, std::int64_t trials_b) {
  RW_TRY(CheckCounts(successes_a, trials_a));
  RW_TRY(CheckCounts(successes_b, trials_b));
  if (trials_a == 0 || trials_b == 0) return 1.0;
  const std::int64_t successes = successes_a + successes_b;
  const std::int64_t first = std::max<std::int64_t>(0, successes - trials_b);
  const std::int64_t last = std::min(successes, trials_a);
  const double total =
      LogChoose(static_cast<double>(trials_a + trials_b), static_cast<double>(successes));
  auto log_probability = [&](std::int64_t k) {
    return LogChoose(static_cast<double>(trials_a), static_cast<double>(k)) +
           LogChoose(static_cast<double>(trials_b), static_cast<double>(successes - k)) - total;
  };
  // The slack takes tables that are equally likely but differ by rounding.
  const double seen = log_probability(successes_a) + 1e-7;
  double p = 0.0;
  for (std::int64_t k = first; k <= last; ++k) {
    const double log_p = log_probability(k);
    if (log_p <= seen) p += std::exp(log_p);
  }
  return std::min(p, 1.0);
}

Result<RateDifference> PairedRateDifference(const PairedTable& table, double confidence) {
  RW_TRY(CheckTable(table));
  RW_ASSIGN(const Proportion a,
            MeasureProportion(table.both + table.only_a, table.pairs(), confidence));
  RW_ASSIGN(const Proportion b,
            MeasureProportion(table.both + table.only_b, table.pairs(), confidence));
  if (!a.measured()) return RateDifference{};
  RateDifference out = SquareAndAdd(a, b, NewcombePhi(table));
  // From the counts, so that no difference is exactly 0.
  out.difference =
      static_cast<double>(table.only_a - table.only_b) / static_cast<double>(table.pairs());
  return out;
}

Result<RateDifference> IndependentRateDifference(std::int64_t successes_a, std::int64_t trials_a,
                                                 std::int64_t successes_b, std::int64_t trials_b,
                                                 double confidence) {
  RW_ASSIGN(const Proportion a, MeasureProportion(successes_a, trials_a, confidence));
  RW_ASSIGN(const Proportion b, MeasureProportion(successes_b, trials_b, confidence));
  if (!a.measured() || !b.measured()) return RateDifference{};
  return SquareAndAdd(a, b, 0.0);
}

}  // namespace realward
