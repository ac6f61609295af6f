#include "spec/inertia.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace realward {
namespace {

TEST(Inertia, PrincipalMomentsOfKnownTensors) {
  const auto diagonal = PrincipalMoments({1, 3, 2, 0, 0, 0});
  EXPECT_NEAR(diagonal[0], 3, 1e-12);
  EXPECT_NEAR(diagonal[2], 1, 1e-12);
  // [[2, 1], [1, 2]] has the eigenvalues 3 and 1.
  const auto turned = PrincipalMoments({2, 2, 2, 1, 0, 0});
  EXPECT_NEAR(turned[0], 3, 1e-9);
  EXPECT_NEAR(turned[1], 2, 1e-9);
  EXPECT_NEAR(turned[2], 1, 1e-9);
}

TEST(Inertia, ExcessIsThatOfTheLargestMoment) {
  EXPECT_NEAR(TriangleExcess({1, 1, 4, 0, 0, 0}), 0.5, 1e-12);
  EXPECT_NEAR(TriangleExcess({1, 1, 2, 0, 0, 0}), 0.0, 1e-12);
  EXPECT_LT(TriangleExcess({1, 1, 1, 0, 0, 0}), 0.0);
  EXPECT_EQ(TriangleExcess({1, -1, 1, 0, 0, 0}), std::numeric_limits<double>::infinity());
}

TEST(Inertia, NearestPhysicalOfAKnownTensor) {
  // Second moments 2, 2, -1 become 2, 2, 0: moments 2, 2, 4 instead of 1, 1, 4.
  const auto repaired = NearestPhysical({1, 1, 4, 0, 0, 0});
  ASSERT_TRUE(repaired.has_value());
  EXPECT_NEAR((*repaired)[0], 2, 1e-7);
  EXPECT_NEAR((*repaired)[1], 2, 1e-7);
  EXPECT_NEAR((*repaired)[2], 4, 1e-7);
  EXPECT_FALSE(NearestPhysical({0, 0, 0, 0, 0, 0}).has_value());
  EXPECT_FALSE(NearestPhysical({-1, -1, -1, 0, 0, 0}).has_value());
}

TEST(Inertia, RepairedTensorsArePhysicalAndPhysicalOnesStay) {
  EXPECT_TRUE(rc::check([](void) {
    InertiaTensor inertia{};
    for (double& value : inertia) value = *rc::gen::inRange(-1000, 1000) * 1e-3;
    for (int i = 0; i < 3; ++i) inertia[i] = std::abs(inertia[i]);
    const auto repaired = NearestPhysical(inertia);
    RC_PRE(repaired.has_value());
    RC_ASSERT(TriangleExcess(*repaired) < 0.0);
    RC_ASSERT(PrincipalMoments(*repaired)[2] > 0.0);
    if (TriangleExcess(inertia) > -1e-6) return;
    for (int i = 0; i < 6; ++i) RC_ASSERT(std::abs((*repaired)[i] - inertia[i]) < 1e-9);
  }));
}

}  // namespace
}  // namespace realward
