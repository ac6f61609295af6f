#include "fit/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace realward {
namespace {

// Mean of the density ∝ exp(−(g δ + ½ a δ²)) on δ ≥ 0, by the trapezoidal rule.
double MeanByQuadrature(double g, double a) {
  const double end = 12.0 / std::max(std::sqrt(a), g);
  const int n = 200000;
  double mass = 0.0;
  double moment = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double x = end * i / n;
    const double w = (i == 0 || i == n ? 0.5 : 1.0) * std::exp(-(g * x + 0.5 * a * x * x));
    mass += w;
    moment += w * x;
  }
  return moment / mass;
}

TEST(Uncertainty, AHalfNormalHasTheMeanOfTheTruncatedDensity) {
  for (const auto& [g, a] :
       {std::pair{0.0, 4.0}, {1.0, 1.0}, {5.0, 0.5}, {30.0, 2.0}, {3.0, 1e4}}) {
    // Mean of a half-normal: s √(2/π).
    const double mean = HalfNormalSpread(g, a) * std::sqrt(2.0 / std::numbers::pi);
    EXPECT_NEAR(mean, MeanByQuadrature(g, a), 3e-3 * mean) << g << " " << a;
  }
}

TEST(Uncertainty, WithoutASlopeItIsTheNormal) {
  EXPECT_NEAR(HalfNormalSpread(0.0, 4.0), 0.5, 1e-12);
}

}  // namespace
}  // namespace realward
