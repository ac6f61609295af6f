#include "fit/identify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fit/test_logs.h"
#include "fit/validate.h"

namespace realward {
namespace {

using ::testing::HasSubstr;
using testing::Recipe;
using testing::SimulatedLog;

const std::atomic<bool> kNeverStop{false};

// The true robot of these tests; the model under fit has the same form.
std::string PendulumXml(double mass, double damping, double friction) {
  return "<mujoco><option timestep='0.005' integrator='implicitfast'/><worldbody>"
         "<body name='pendulum'><joint name='hinge' axis='0 1 0' damping='" +
         std::to_string(damping) + "' frictionloss='" + std::to_string(friction) +
         "'/><inertial pos='0 0 -0.45' mass='" + std::to_string(mass) + "' diaginertia='" +
         std::to_string(0.02 * mass) + " " + std::to_string(0.02 * mass) +
         " 0.001'/></body></worldbody><actuator><motor name='motor' joint='hinge'/></actuator>"
         "</mujoco>";
}
ModelPtr Pendulum(double mass, double damping, double friction) {
  return std::move(LoadModelText(PendulumXml(mass, damping, friction))).value();
}

GapParameter Fitted(const std::string& kind, const std::string& target, double start, double low,
                    double high) {
  GapParameter p;
  p.name = kind;
  p.kind = kind;
  p.targets = {target};
  p.distribution.a = start;
  p.bound_low = low;
  p.bound_high = high;
  return p;
}

GapSpec Gap() {
  GapSpec gap;
  gap.name = "test";
  gap.parameters = {Fitted("body_mass", "pendulum", 0.6, 0.3, 1.5),
                    Fitted("joint_damping", "hinge", 0.02, 0.0, 0.3),
                    Fitted("joint_frictionloss", "hinge", 0.02, 0.0, 0.4),
                    Fitted("actuator_delay", "motor", 0.002, 0.0, 0.04)};
  return gap;
}

double Excite(double t) { return 2.2 * std::sin(2.0 * t) + 1.2 * std::sin(5.1 * t); }

Recipe NoisyRecipe(std::uint64_t seed) {
  return {.duration = 4.0,
          .delay_steps = 2,
          .position_noise = 0.003,
          .velocity_noise = 0.1,
          .seed = seed,
          .command = Excite};
}

Identification IdentifyOrFail(const mjModel& model, const GapSpec& gap, std::span<const Log> logs,
                              int threads = 2) {
  IdentifyInput input;
  input.model = &model;
  input.gap = gap;
  input.logs = logs;
  input.threads = threads;
  Result<Identification> result = Identify(input, kNeverStop);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

TEST(Identify, RecoversKnownParametersInsideItsOwnIntervals) {
  const std::vector<double> truth = {0.8, 0.05, 0.1, 0.010};
  const ModelPtr robot = Pendulum(truth[0], truth[1], truth[2]);
  const ModelPtr model = Pendulum(0.6, 0.0, 0.0);
  int inside = 0;
  int total = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(seed))};
    const Identification id = IdentifyOrFail(*model, Gap(), logs);
    EXPECT_TRUE(id.converged);
    EXPECT_TRUE(id.excited);
    EXPECT_EQ(id.diverged, 0);
    EXPECT_NEAR(id.dispersion, 1.0, 0.3);  // estimated noise is the noise
    for (std::size_t j = 0; j < truth.size(); ++j) {
      const ParameterEstimate& p = id.parameters[j];
      EXPECT_TRUE(p.determined) << p.name;
      EXPECT_NEAR(p.estimate, truth[j], 5.0 * p.sd) << p.name << " seed " << seed;
      EXPECT_LT(p.sd, 0.05 * (p.high - p.low)) << p.name;
      inside += p.interval_low <= truth[j] && truth[j] <= p.interval_high;
      ++total;
    }
  }
  // 95 % intervals of 20 estimates: 14 or fewer inside has probability below 1e-4.
  EXPECT_GE(inside, 15) << "of " << total;
}

TEST(Identify, TheSameBitsAtOneAndTwoThreads) {
  const ModelPtr robot = Pendulum(0.8, 0.05, 0.1);
  const ModelPtr model = Pendulum(0.6, 0.0, 0.0);
  const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(3))};
  const Identification one = IdentifyOrFail(*model, Gap(), logs, 1);
  const Identification two = IdentifyOrFail(*model, Gap(), logs, 2);
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one.cost, two.cost);
  EXPECT_EQ(one.covariance.values(), two.covariance.values());
}

TEST(Identify, NamesAPairThatOnlyActsTogether) {
  const ModelPtr robot = Pendulum(0.8, 0.06, 0.0);
  const ModelPtr model = Pendulum(0.8, 0.0, 0.0);
  GapSpec gap;
  gap.name = "pair";
  gap.parameters = {Fitted("joint_damping", "hinge", 0.01, 0.0, 0.2),
                    Fitted("joint_damping", "hinge", 0.01, 0.0, 0.2),
                    Fitted("body_mass", "pendulum", 0.6, 0.3, 1.5)};
  gap.parameters[0].name = "bearing";
  gap.parameters[0].operation = gap.parameters[1].operation = Operation::kAdd;
  gap.parameters[1].name = "air";
  const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(2))};
  const Identification id = IdentifyOrFail(*model, gap, logs);
  ASSERT_EQ(id.undetermined.size(), 1u);
  EXPECT_EQ(id.undetermined[0].text, "bearing and air together (+0.71, -0.71)");
  EXPECT_GT(id.undetermined[0].spread, 0.9);
  EXPECT_FALSE(id.parameters[0].determined);
  EXPECT_FALSE(id.parameters[1].determined);
  EXPECT_TRUE(id.parameters[2].determined);
  // What acts is the sum, and that is known.
  EXPECT_NEAR(id.parameters[0].estimate + id.parameters[1].estimate, 0.06, 0.01);
  EXPECT_NEAR(id.parameters[2].estimate, 0.8, 5.0 * id.parameters[2].sd);
}

TEST(Identify, ReportsABoundThatTheDataPushesAgainst) {
  const ModelPtr robot = Pendulum(0.8, 0.05, 0.1);
  const ModelPtr model = Pendulum(0.6, 0.0, 0.0);
  GapSpec gap = Gap();
  gap.parameters[2].bound_high = 0.06;  // the truth is beyond
  gap.parameters[3].bound_low = 0.0;
  const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(4))};
  const Identification id = IdentifyOrFail(*model, gap, logs);
  EXPECT_EQ(id.parameters[2].bound, BoundState::kAtHigh);
  EXPECT_EQ(id.parameters[2].estimate, 0.06);
  EXPECT_GT(id.parameters[2].sd, 0.0);
  EXPECT_LT(id.parameters[2].sd, 0.06);
  EXPECT_EQ(id.parameters[0].bound, BoundState::kInside);
  EXPECT_EQ(id.covariance(2, 0), 0.0);
}

TEST(Identify, WithoutExcitationEveryParameterKeepsItsPrior) {
  const ModelPtr model = Pendulum(0.6, 0.02, 0.02);
  const std::vector<Log> logs = {SimulatedLog(*model, {.duration = 2.0,
                                                       .position_noise = 0.003,
                                                       .velocity_noise = 0.1,
                                                       .command = [](double) { return 0.0; }})};
  GapSpec gap = Gap();
  gap.parameters.erase(gap.parameters.begin());  // even at rest noise weighs a pendulum
  const Identification id = IdentifyOrFail(*model, gap, logs);
  EXPECT_FALSE(id.excited);
  for (const ParameterEstimate& p : id.parameters) {
    EXPECT_FALSE(p.determined) << p.name;
    EXPECT_DOUBLE_EQ(p.estimate, p.start) << p.name;
  }
}

TEST(Identify, RandomStartsThatLeavePhysicsAreSurvived) {
  testing::QuietMujoco quiet;
  const ModelPtr robot = Pendulum(0.8, 0.05, 0.1);
  const ModelPtr model = Pendulum(0.6, 0.0, 0.0);
  GapSpec gap;
  gap.name = "wild";
  gap.parameters = {Fitted("body_mass", "pendulum", 0.6, 0.3, 1.5),
                    Fitted("joint_stiffness", "hinge", 0.1, 0.0, 1e9)};  // beyond any step size
  const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(6))};
  IdentifyInput input;
  input.model = model.get();
  input.gap = gap;
  input.logs = logs;
  input.options.starts = 3;
  input.options.max_iterations = 10;
  const Result<Identification> id = Identify(input, kNeverStop);
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(id->start_costs.size(), 3u);
  EXPECT_GT(id->diverged, 0);
  for (double cost : id->start_costs) EXPECT_TRUE(std::isfinite(cost));
  for (double value : id->covariance.values()) EXPECT_TRUE(std::isfinite(value));
  for (double value : id->values) EXPECT_TRUE(std::isfinite(value));
}

TEST(Identify, StopsWhenAskedAndReportsProgress) {
  const ModelPtr robot = Pendulum(0.8, 0.05, 0.1);
  const std::vector<Log> logs = {SimulatedLog(*robot, NoisyRecipe(1))};
  IdentifyInput input;
  input.model = robot.get();
  input.gap = Gap();
  input.logs = logs;
  std::atomic<bool> stop{false};
  int calls = 0;
  const auto result = Identify(input, stop, [&](const FitProgress& progress) {
    EXPECT_GT(progress.cost, 0.0);
    EXPECT_EQ(progress.max_iterations, input.options.max_iterations);
    if (++calls == 2) stop = true;
  });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(calls, 2);
}

TEST(Identify, RefusesAGapSpecWithoutBounds) {
  const ModelPtr model = Pendulum(0.8, 0.05, 0.1);
  const std::vector<Log> logs = {SimulatedLog(*model, NoisyRecipe(1))};
  IdentifyInput input;
  input.model = model.get();
  input.gap.name = "plain";
  input.logs = logs;
  const auto result = Identify(input, kNeverStop);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("gap spec plain has no parameter with bounds"));
}

TEST(Identify, ARecordingOfARealPendulum) {
  if (testing::DataFolder().empty()) GTEST_SKIP() << "no recorded data beside the checkout";
  const ModelPtr model =
      std::move(LoadModel(testing::SourcePath("content/robots/pendulum/pendulum.xml"))).value();
  const GapSpec gap =
      std::move(LoadGap(testing::SourcePath("content/gaps/pendulum_fit.yaml"))).value();
  // Somebody pushes the pendulum later in this recording.
  const std::vector<Log> logs = {testing::PendulumRecording("energy_shaping", 4.715)};
  const std::vector<Log> held_out = {testing::PendulumRecording("ddp_swingup")};
  IdentifyInput input;
  input.model = model.get();
  input.gap = gap;
  input.logs = logs;
  input.options.segment = 1.0;
  input.options.position_noise = 0.003;
  input.options.position_defect = 0.003;
  input.options.velocity_defect = 0.05;
  input.options.huber = 2.0;
  input.threads = 2;
  const Identification id = std::move(Identify(input, kNeverStop)).value();
  const auto derived = std::move(Derive(*model, gap, id)).value();
  EXPECT_NEAR(derived[0].fitted.length, 0.5, 0.03 * 0.5);
  const std::vector<double> windows = {1.0, 2.0, 0.0};
  const auto validation = std::move(Validate(*model, gap, id.values, held_out, windows, 2)).value();
  for (const WindowError& e : validation[0].errors) {
    ASSERT_EQ(e.channels[0], "hinge.position");
    EXPECT_LE(e.fitted_rms[0], 0.5 * e.datasheet_rms[0]) << e.window;
  }
  EXPECT_LT(validation[0].errors[0].fitted_rms[0], 0.03);  // 1 s ahead, rad
}

}  // namespace
}  // namespace realward
