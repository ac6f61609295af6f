#include "logs/smooth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace realward {
namespace {

struct Samples {
  std::vector<double> t, q, v;
};

// Uneven stamps around 5 ms.
template <class Position, class Velocity>
Samples Make(std::size_t count, Position position, Velocity velocity, double q_noise = 0,
             double v_noise = 0) {
  Stream stream({.seed = 23});
  Samples samples;
  double time = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    samples.t.push_back(time);
    samples.q.push_back(position(time) + q_noise * stream.Normal());
    samples.v.push_back(velocity(time) + v_noise * stream.Normal());
    time += stream.Uniform(0.003, 0.007);
  }
  return samples;
}

double Quadratic(double t) { return 0.3 - 2.0 * t + 5.0 * t * t; }
double QuadraticRate(double t) { return -2.0 + 10.0 * t; }

// A quadratic is reproduced to rounding, inside the samples, at their ends and beyond.
TEST(Smooth, ReproducesPolynomialsOfItsDegree) {
  const Samples s = Make(100, Quadratic, QuadraticRate);
  for (const bool causal : {false, true}) {
    for (const double at : {0.1, 0.2013, s.t.back(), s.t.back() + 0.01}) {
      for (const bool with_velocity : {false, true}) {
        const auto estimate = EstimateJoint(
            s.t, s.q, with_velocity ? std::span<const double>(s.v) : std::span<const double>(), at,
            {.causal = causal}, 0.01, 0.1);
        ASSERT_TRUE(estimate.ok());
        EXPECT_NEAR(estimate->position, Quadratic(at), 1e-9);
        EXPECT_NEAR(estimate->velocity, QuadraticRate(at), 1e-7);
      }
    }
  }
}

TEST(Smooth, CausalUsesNoLaterSample) {
  Samples s = Make(100, Quadratic, QuadraticRate);
  const double at = s.t[50];
  const auto before = EstimateJoint(s.t, s.q, s.v, at, {.causal = true});
  for (std::size_t i = 51; i < 100; ++i) s.q[i] = s.v[i] = 1e6;
  const auto after = EstimateJoint(s.t, s.q, s.v, at, {.causal = true});
  EXPECT_EQ(before->position, after->position);
  EXPECT_EQ(before->velocity, after->velocity);
  EXPECT_FALSE(EstimateJoint(s.t, s.q, s.v, -1.0, {.causal = true}).ok());
  EXPECT_TRUE(EstimateJoint(s.t, s.q, s.v, -0.001, {.causal = false}).ok());
}

// The stated sigmas cover the true values as a normal distribution would (68 %).
TEST(Smooth, SigmasAreHonest) {
  const Samples s = Make(4000, Quadratic, QuadraticRate, 0.01, 0.0);
  int inside_q = 0, inside_v = 0, total = 0;
  for (double at = 0.2; at < 19.0; at += 0.11, ++total) {
    const auto estimate = EstimateJoint(s.t, s.q, {}, at, {.half_width_s = 0.05});
    ASSERT_TRUE(estimate.ok());
    inside_q += std::abs(estimate->position - Quadratic(at)) < estimate->position_sigma;
    inside_v += std::abs(estimate->velocity - QuadraticRate(at)) < estimate->velocity_sigma;
  }
  EXPECT_NEAR(inside_q / static_cast<double>(total), 0.68, 0.12);
  EXPECT_NEAR(inside_v / static_cast<double>(total), 0.68, 0.12);
}

TEST(Smooth, VelocitySamplesSharpenTheVelocity) {
  const Samples s = Make(400, Quadratic, QuadraticRate, 0.01, 0.05);
  double alone = 0.0, both = 0.0;
  for (double at = 0.2; at < 1.8; at += 0.05) {
    alone += std::pow(EstimateJoint(s.t, s.q, {}, at)->velocity - QuadraticRate(at), 2);
    both +=
        std::pow(EstimateJoint(s.t, s.q, s.v, at, {}, 0.01, 0.05)->velocity - QuadraticRate(at), 2);
  }
  EXPECT_LT(both, 0.1 * alone);
}

TEST(Smooth, FewAndMissingSamples) {
  const std::vector<double> t = {0, 1, 2, 3}, q = {0, NAN, 4, NAN};
  const auto line = EstimateJoint(t, q, {}, 1.0);
  ASSERT_TRUE(line.ok());
  EXPECT_NEAR(line->position, 2.0, 1e-12);
  EXPECT_NEAR(line->velocity, 2.0, 1e-12);
  EXPECT_EQ(line->samples, 2u);
  EXPECT_FALSE(EstimateJoint(std::vector<double>{0.0}, std::vector<double>{1.0}, {}, 0.0).ok());
  EXPECT_FALSE(EstimateJoint({}, {}, {}, 0.0).ok());
}

}  // namespace
}  // namespace realward
