#include "train/gae.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace realward {
namespace {

// The definition: Σ_k (γλ)^k δ_{t+k} up to the end of the episode.
double Direct(const std::vector<double>& deltas, std::size_t t, std::size_t end,
              double gamma_lambda) {
  double sum = 0.0, factor = 1.0;
  for (std::size_t k = t; k <= end; ++k) {
    sum += factor * deltas[k];
    factor *= gamma_lambda;
  }
  return sum;
}

TEST(Gae, EqualsTheDefinitionForRandomEpisodes) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& raw) {
    RC_PRE(!raw.empty() && raw.size() < 50);
    const std::size_t n = raw.size();
    Matrix<float> rewards(n, 1), values(n, 1), next(n, 1), advantages(n, 1);
    Matrix<StepEnd> ends(n, 1, StepEnd::kNone);
    for (std::size_t t = 0; t < n; ++t) {
      rewards(t, 0) = static_cast<float>(raw[t] % 7);
      values(t, 0) = static_cast<float>(raw[t] % 5);
      next(t, 0) = static_cast<float>(raw[t] % 3);
      if (raw[t] % 4 == 1) ends(t, 0) = StepEnd::kTruncated;
      if (raw[t] % 4 == 2) ends(t, 0) = StepEnd::kTerminated;
    }
    ComputeAdvantages(rewards.view(), values.view(), next.view(), ends.view(), 0.97, 0.9,
                      advantages.view());
    std::vector<double> deltas(n);
    for (std::size_t t = 0; t < n; ++t) {
      deltas[t] = rewards(t, 0) + (ends(t, 0) == StepEnd::kTerminated ? 0.0 : 0.97 * next(t, 0)) -
                  values(t, 0);
    }
    for (std::size_t t = 0; t < n; ++t) {
      std::size_t end = t;
      while (end + 1 < n && ends(end, 0) == StepEnd::kNone) ++end;
      RC_ASSERT(std::abs(advantages(t, 0) - Direct(deltas, t, end, 0.97 * 0.9)) < 1e-3);
    }
  }));
}

}  // namespace
}  // namespace realward
