#include "fit/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fit/test_logs.h"

namespace realward {
namespace {

using testing::SimulatedLog;

ModelPtr PendulumModel() {
  return std::move(LoadModel(testing::SourcePath("content/robots/pendulum/pendulum.xml"))).value();
}

GapParameter Fitted(const std::string& kind, const std::string& target, Operation operation,
                    double start, double low, double high) {
  GapParameter p;
  p.name = kind;
  p.kind = kind;
  p.targets = {target};
  p.operation = operation;
  p.distribution.a = start;
  p.bound_low = low;
  p.bound_high = high;
  return p;
}

GapSpec MassAndInertia() {
  GapSpec gap;
  gap.name = "test";
  gap.parameters = {Fitted("body_mass", "pendulum", Operation::kSet, 0.676, 0.3, 1.6),
                    Fitted("body_inertia", "pendulum", Operation::kScale, 1.0, 0.02, 8.0)};
  return gap;
}

double Wave(double t) { return 1.5 * std::sin(3.0 * t); }

TEST(Validate, QuantitiesOfThePendulumAreTheDataSheets) {
  const std::vector<JointQuantities> q = QuantitiesOf(*PendulumModel());
  ASSERT_EQ(q.size(), 1u);
  const double inertia = 0.546 * 0.25 + 0.13 * 0.25 / 3.0;
  const double moment = 0.546 * 0.5 + 0.13 * 0.25;
  EXPECT_EQ(q[0].joint, "hinge");
  EXPECT_NEAR(q[0].inertia, inertia, 1e-6);
  EXPECT_NEAR(q[0].gravity_torque, moment * 9.81, 1e-5);
  EXPECT_NEAR(q[0].length, inertia / moment, 1e-5);
}

TEST(Validate, QuantitiesOfTheFurutaPendulumAreItsConstants) {
  const ModelPtr model =
      std::move(LoadModel(testing::SourcePath("content/robots/furuta/furuta.xml"))).value();
  const std::vector<JointQuantities> q = QuantitiesOf(*model);
  ASSERT_EQ(q.size(), 2u);
  EXPECT_NEAR(q[0].inertia, 0.095 * 0.085 * 0.085 / 3.0 + 0.024 * 0.085 * 0.085 + 1e-7, 1e-8);
  EXPECT_EQ(q[0].length, 0.0);  // gravity does not turn the arm
  EXPECT_NEAR(q[1].inertia, 0.024 * 0.129 * 0.129 / 3.0, 1e-8);
  EXPECT_NEAR(q[1].length, 0.129 * 2.0 / 3.0, 1e-5);  // of a uniform rod
}

TEST(Validate, PropagatesTheCovarianceToDerivedQuantities) {
  Identification id;
  id.parameters.resize(2);
  id.parameters[0].low = 0.3;
  id.parameters[0].high = 1.6;
  id.parameters[1].low = 0.02;
  id.parameters[1].high = 8.0;
  id.values = {0.8, 1.5};
  id.covariance = Matrix<double>(2, 2);
  id.covariance(0, 0) = 0.01 * 0.01;
  id.covariance(1, 1) = 0.1 * 0.1;
  id.covariance(0, 1) = id.covariance(1, 0) = -0.5 * 0.01 * 0.1;
  const auto derived = Derive(*PendulumModel(), MassAndInertia(), id);
  ASSERT_TRUE(derived.ok()) << derived.error().message;
  // I = m c² + I₀ (m / m₀) s; torque = m c g.
  const double c = 0.4519231;
  const double per_mass = c * c + 0.0092708 / 0.676 * 1.5;
  const double per_scale = 0.0092708 * 0.8 / 0.676;
  const double variance = per_mass * per_mass * 1e-4 + per_scale * per_scale * 1e-2 +
                          2.0 * per_mass * per_scale * -0.5 * 1e-3;
  EXPECT_NEAR((*derived)[0].fitted.inertia, 0.8 * per_mass, 1e-6);
  EXPECT_NEAR((*derived)[0].sd.inertia, std::sqrt(variance), 1e-6);
  EXPECT_NEAR((*derived)[0].sd.gravity_torque, 0.01 * c * 9.81, 1e-6);
  EXPECT_NEAR((*derived)[0].datasheet.inertia, 0.1473333, 1e-6);
}

TEST(Validate, TheTrueModelPredictsAndADifferentOneDoesNot) {
  const ModelPtr model = PendulumModel();
  ModelPtr robot = CopyModel(*model);
  const std::vector<double> truth = {0.9, 1.0};
  const WorldPlan plan = std::move(WorldPlan::Make(*model, MassAndInertia())).value();
  WorldStore store(*robot);
  plan.Apply(truth, store.On(RowsOf(*robot)));
  const DataPtr scratch = MakeData(*robot);
  mj_setConst(robot.get(), scratch.get());
  const std::vector<Log> logs = {SimulatedLog(*robot, {.duration = 3.0, .command = Wave})};
  const std::vector<double> windows = {1.0, 0.0, 5.0};  // 5 s is more than there is: whole run
  const auto validation = Validate(*model, MassAndInertia(), truth, logs, windows, 2);
  ASSERT_TRUE(validation.ok()) << validation.error().message;
  ASSERT_EQ(validation->size(), 1u);
  EXPECT_EQ((*validation)[0].hash, logs[0].hash);
  ASSERT_EQ((*validation)[0].errors.size(), 2u);
  const WindowError& second = (*validation)[0].errors[0];
  EXPECT_EQ(second.windows, 3);
  EXPECT_FALSE(second.is_whole_run);
  EXPECT_EQ(second.channels, (std::vector<std::string>{"hinge.position", "hinge.velocity"}));
  EXPECT_LT(second.fitted_rms[0], 0.01);  // only the start state is off
  EXPECT_GT(second.datasheet_rms[0], 4.0 * second.fitted_rms[0]);
  const WindowError& whole = (*validation)[0].errors[1];
  EXPECT_TRUE(whole.is_whole_run);
  EXPECT_EQ(whole.windows, 1);
  ASSERT_EQ(whole.time_s.size(), logs[0].time_s.size());
  // The RMS is that of the trace.
  double sum = 0.0;
  for (std::size_t k = 0; k < whole.time_s.size(); ++k) {
    EXPECT_EQ(whole.measured(k, 0), logs[0].values(k, 0));
    sum += std::pow(whole.datasheet(k, 0) - whole.measured(k, 0), 2);
  }
  EXPECT_NEAR(std::sqrt(sum / whole.time_s.size()), whole.datasheet_rms[0], 1e-12);
}

TEST(Validate, RefusesALogWithoutAnUnbrokenWindow) {
  const ModelPtr model = PendulumModel();
  std::vector<Log> logs = {SimulatedLog(*model, {.duration = 3.0, .command = Wave})};
  logs[0].cuts = {100, 200};  // pieces of 1 s
  const std::vector<double> windows = {1.5};
  const std::vector<double> values = {0.676, 1.0};
  const auto validation = Validate(*model, MassAndInertia(), values, logs, windows, 1);
  ASSERT_FALSE(validation.ok());
  EXPECT_THAT(validation.error().message, ::testing::HasSubstr("no unbroken stretch of 1.5 s"));
}

}  // namespace
}  // namespace realward
