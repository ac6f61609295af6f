#include "fit/posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "fit/test_logs.h"
#include "worlds/draw.h"

namespace realward {
namespace {

GapParameter Prior(const std::string& name, const std::string& kind, const std::string& target,
                   double low, double high) {
  GapParameter p;
  p.name = name;
  p.kind = kind;
  p.targets = {target};
  p.level = Level::kEpisode;
  p.distribution.a = 0.5 * (low + high);
  p.bound_low = low;
  p.bound_high = high;
  p.line = 7;
  return p;
}

GapSpec PriorGap() {
  GapSpec gap;
  gap.name = "prior";
  gap.parameters = {Prior("mass", "body_mass", "pendulum", 0.3, 1.6),
                    Prior("damping", "joint_damping", "hinge", 0.0, 0.3),
                    Prior("friction", "joint_frictionloss", "hinge", 0.0, 0.5),
                    Prior("delay", "actuator_delay", "motor", 0.0, 0.03)};
  GapParameter fixed = Prior("gravity", "gravity", "", 0.0, 0.0);
  fixed.targets = {};
  fixed.distribution.a = 9.81;
  fixed.bound_low = fixed.bound_high = std::nullopt;
  gap.parameters.push_back(fixed);
  return gap;
}

ParameterEstimate Estimate(const GapParameter& prior, double estimate, double sd, BoundState bound,
                           bool determined) {
  ParameterEstimate p;
  p.name = prior.name;
  p.kind = prior.kind;
  p.low = *prior.bound_low;
  p.high = *prior.bound_high;
  p.estimate = estimate;
  p.sd = sd;
  p.bound = bound;
  p.determined = determined;
  return p;
}

// Mass and damping determined and correlated, friction not determined, delay on its bound.
FitReport Report() {
  const GapSpec gap = PriorGap();
  FitReport report;
  report.model = {"pendulum", "aaaa"};
  report.gap = {"prior", "bbbb"};
  report.logs = {{"run", "cccc"}};
  Identification& id = report.identification;
  id.parameters = {Estimate(gap.parameters[0], 0.8, 0.02, BoundState::kInside, true),
                   Estimate(gap.parameters[1], 0.05, 0.01, BoundState::kInside, true),
                   Estimate(gap.parameters[2], 0.2, 0.1, BoundState::kInside, false),
                   Estimate(gap.parameters[3], 0.0, 0.001, BoundState::kAtLow, true)};
  id.covariance = Matrix<double>(4, 4);
  for (std::size_t j = 0; j < 4; ++j)
    id.covariance(j, j) = id.parameters[j].sd * id.parameters[j].sd;
  id.covariance(0, 1) = id.covariance(1, 0) = -0.6 * 0.02 * 0.01;
  return report;
}

TEST(Posterior, HasANormalWhereTheDataSpokeAndThePriorWhereItDidNot) {
  const GapSpec posterior = PosteriorGap(Report(), PriorGap(), "fitted");
  ASSERT_EQ(posterior.parameters.size(), 5u);
  const GapParameter& mass = posterior.parameters[0];
  EXPECT_EQ(mass.distribution.kind, DistributionKind::kNormal);
  EXPECT_EQ(mass.distribution.a, 0.8);
  EXPECT_EQ(mass.distribution.b, 0.02);
  EXPECT_EQ(mass.distribution.low, 0.3);
  EXPECT_EQ(mass.distribution.high, 1.6);
  EXPECT_EQ(mass.level, Level::kUnit);
  const GapParameter& friction = posterior.parameters[2];
  EXPECT_EQ(friction.distribution.kind, DistributionKind::kUniform);
  EXPECT_EQ(friction.distribution.a, 0.0);
  EXPECT_EQ(friction.distribution.b, 0.5);
  EXPECT_EQ(posterior.parameters[4].distribution.a, 9.81);
  EXPECT_EQ(posterior.parameters[4].level, Level::kEpisode);
  ASSERT_EQ(posterior.correlations.size(), 1u);
  EXPECT_EQ(posterior.correlations[0].parameters, (std::vector<std::string>{"mass", "damping"}));
  EXPECT_NEAR(posterior.correlations[0].correlation(0, 1), -0.6, 1e-5);
  EXPECT_EQ(posterior.parents, (std::vector<std::string>{"aaaa", "bbbb", "cccc"}));
}

TEST(Posterior, IsAGapSpecThatReadsBackAndDrawsWithItsMoments) {
  const GapSpec posterior = PosteriorGap(Report(), PriorGap(), "fitted");
  const std::string path = ::testing::TempDir() + "posterior_test.yaml";
  ASSERT_TRUE(WriteFileAtomic(path, ToYaml(posterior)).ok());
  const auto read = LoadGap(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(posterior));
  const Drawer drawer(*read);
  const int draws = 4000;
  double mass = 0.0;
  double cross = 0.0;
  double delay = 0.0;
  for (int k = 0; k < draws; ++k) {
    std::vector<double> values(5);
    drawer.Draw({.seed = 3, .unit = static_cast<std::uint32_t>(k)}, values);
    mass += values[0];
    cross += (values[0] - 0.8) / 0.02 * (values[1] - 0.05) / 0.01;
    delay += values[3];
    EXPECT_GE(values[3], 0.0);
  }
  EXPECT_NEAR(mass / draws, 0.8, 0.002);
  EXPECT_NEAR(cross / draws, -0.6, 0.06);
  EXPECT_NEAR(delay / draws, 0.001 * std::sqrt(2.0 / M_PI), 5e-5);  // half a normal
}

TEST(Posterior, APerfectCorrelationStaysPositiveDefinite) {
  FitReport report = Report();
  report.identification.covariance(0, 1) = report.identification.covariance(1, 0) = 0.02 * 0.01;
  const GapSpec posterior = PosteriorGap(report, PriorGap(), "fitted");
  EXPECT_TRUE(GapFromJson(ToJson(posterior)).ok());
}

}  // namespace
}  // namespace realward
