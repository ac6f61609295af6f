#include "jobs/fit_section.h"

#include <gtest/gtest.h>

#include <cmath>

namespace realward {
namespace {

FitReport Sample() {
  FitReport report;
  Identification& found = report.identification;
  ParameterEstimate friction;
  friction.name = "friction";
  friction.kind = "joint_frictionloss";
  friction.high = 0.5;
  friction.start = 0.05;
  friction.estimate = 0.16;
  friction.sd = 0.02;
  friction.interval_low = 0.12;
  friction.interval_high = 0.2;
  friction.determined = true;
  ParameterEstimate delay = friction;
  delay.name = "delay";
  delay.kind = "actuator_delay";
  delay.estimate = 0.0;
  delay.bound = BoundState::kAtLow;
  delay.determined = false;
  found.parameters = {friction, delay};
  found.covariance = Matrix<double>(2, 2);
  found.covariance(0, 0) = 4e-4;
  found.excited = true;
  found.converged = true;
  WindowError error;
  error.is_whole_run = true;
  error.channels = {"hinge.position"};
  error.datasheet_rms = {1.0};
  error.fitted_rms = {0.1};
  error.time_s = {0.0, 0.1};
  error.measured = Matrix<double>(2, 1, 0.5);
  error.datasheet = Matrix<double>(2, 1, std::nan(""));
  error.fitted = Matrix<double>(2, 1, 0.4);
  report.validation = {{"run.csv", "hash", {error}}};
  return report;
}

ModelPtr Hinge() {
  return std::move(LoadModelText(
                       R"(<mujoco><worldbody><body><joint name="hinge"/><geom size="0.1"/></body>
    </worldbody></mujoco>)"))
      .value();
}

TEST(FitSection, SaysWhatTheFitSays) {
  const ReportFit fit = MakeFitSection(Sample(), *Hinge());
  ASSERT_EQ(fit.parameters.size(), 2u);
  EXPECT_EQ(fit.parameters[0].fitted.value, 0.16);
  EXPECT_EQ(fit.parameters[0].posterior.kind, DensityKind::kNormal);
  EXPECT_TRUE(fit.parameters[1].on_low_bound);
  EXPECT_TRUE(fit.parameters[1].undetermined);
  EXPECT_EQ(fit.parameters[1].posterior.kind, DensityKind::kUniform);
  ASSERT_EQ(fit.overlays.size(), 1u);
  EXPECT_EQ(fit.overlays[0].fitted[1], 0.4);
  EXPECT_EQ(fit.residuals.back().datasheet_rms, 1.0);
  EXPECT_EQ(fit.overlays[0].unit, "rad");
  EXPECT_EQ(fit.correlation, (std::vector<double>{1.0, 0.0, 0.0, 1.0}));
}

TEST(FitSection, ReadsBackFromJson) {
  const ReportFit fit = MakeFitSection(Sample(), *Hinge());
  const Json json = ToJson(fit);
  const ReportFit read = *FitSectionFromJson(Json::parse(json.dump()));
  EXPECT_EQ(ToJson(read), json);
  EXPECT_TRUE(std::isnan(read.overlays[0].datasheet[0]));
  Json broken = json;
  broken.erase("parameters");
  EXPECT_FALSE(FitSectionFromJson(broken).ok());
}

}  // namespace
}  // namespace realward
