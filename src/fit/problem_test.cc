#include "fit/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fit/segments.h"
#include "fit/test_logs.h"

namespace realward {
namespace {

using testing::SimulatedLog;

constexpr const char* kPendulum = R"(<mujoco><option timestep="0.002" integrator="implicitfast"/>
  <worldbody><body name="pendulum"><joint name="hinge" axis="0 1 0" damping="0.02"
    frictionloss="0.05"/><inertial pos="0 0 -0.45" mass="0.7" diaginertia="0.01 0.01 0.001"/></body>
  </worldbody><actuator><motor name="motor" joint="hinge"/></actuator></mujoco>)";

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
  gap.parameters = {Fitted("body_mass", "pendulum", 0.7, 0.3, 1.5),
                    Fitted("joint_damping", "hinge", 0.02, 0.0, 0.3),
                    Fitted("actuator_delay", "motor", 0.004, 0.0, 0.02)};
  return gap;
}

struct Case {
  ModelPtr model;
  std::vector<Log> logs;
  std::unique_ptr<Shooter> shooter;
  std::unique_ptr<ShootingProblem> problem;
  Matrix<double> states;
};

std::unique_ptr<Case> MakeCase(bool with_gap_in_data = false) {
  auto c = std::make_unique<Case>();
  c->model = std::move(LoadModelText(kPendulum)).value();
  c->logs = {
      SimulatedLog(*c->model, {.duration = 1.5,
                               .delay_steps = 2,
                               .position_noise = 0.002,
                               .velocity_noise = 0.05,
                               .command = [](double t) { return 2.0 * std::sin(4.0 * t); }})};
  if (with_gap_in_data) c->logs[0].values(30, 0) = std::numeric_limits<double>::quiet_NaN();
  c->shooter =
      std::make_unique<Shooter>(std::move(Shooter::Make(*c->model, Gap(), c->logs, 2)).value());
  Weights weights{
      .sigma = {{0.002, 0.05}}, .position_defect = 0.003, .velocity_defect = 0.05, .huber = 2.0};
  c->problem = std::make_unique<ShootingProblem>(*c->shooter, weights, 0.5);
  c->states = Matrix<double>(3, 2);
  for (std::size_t s = 0; s < 3; ++s) {
    const std::vector<double> guess = GuessState(*c->shooter, 0, c->problem->segments()[s].begin,
                                                 std::vector<ChannelSettings>(2));
    std::copy(guess.begin(), guess.end(), c->states.row(s).begin());
  }
  return c;
}

// All residuals at a point: measurements of each segment, then defects of each.
std::vector<double> Residuals(Case& c, const std::vector<double>& x, const Matrix<double>& states) {
  Evaluation e;
  EXPECT_TRUE(c.problem->Evaluate(x, states.view(), Derivatives::kNone, e).ok());
  std::vector<double> all;
  for (const auto& block : e.measurements) all.insert(all.end(), block.y.begin(), block.y.end());
  for (const auto& block : e.defects) all.insert(all.end(), block.r.begin(), block.r.end());
  return all;
}

// The same rows of a batched Jacobian's column: of a fitted parameter, or of a segment's state.
std::vector<double> Column(const Evaluation& e, std::size_t column, int segment) {
  std::vector<double> all;
  for (std::size_t s = 0; s < e.measurements.size(); ++s) {
    const bool own = segment < 0 || segment == static_cast<int>(s);
    const Matrix<double>& d = segment < 0 ? e.measurements[s].d_global : e.measurements[s].d_state;
    for (std::size_t k = 0; k < d.rows(); ++k) all.push_back(own ? d(k, column) : 0.0);
  }
  for (std::size_t s = 0; s < e.defects.size(); ++s) {
    const bool own = segment < 0 || segment == static_cast<int>(s);
    const Matrix<double>& d = segment < 0 ? e.defects[s].d_global : e.defects[s].d_state;
    for (std::size_t k = 0; k < d.rows(); ++k) all.push_back(own ? d(k, column) : 0.0);
  }
  return all;
}

void ExpectClose(const std::vector<double>& batched, const std::vector<double>& serial,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(batched.size(), serial.size());
  double largest = 0.0;
  for (double value : serial) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0.0) << what;
  for (std::size_t k = 0; k < serial.size(); ++k)
    ASSERT_NEAR(batched[k], serial[k], tolerance * largest) << what << " row " << k;
}

TEST(Problem, BatchedDerivativesAgreeWithOnePerturbationAtATime) {
  for (const Derivatives mode : {Derivatives::kCentral, Derivatives::kForward}) {
    // Forward differences are off by half a step's curvature.
    const double tolerance = mode == Derivatives::kCentral ? 2e-3 : 2e-2;
    auto c = MakeCase(true);
    const std::vector<double> x = {0.4, 0.2, 0.3};
    c->states(0, 0) = 0.3;  // moving: at rest Coulomb friction has a kink
    c->states(0, 1) = 2.0;
    Evaluation e;
    ASSERT_TRUE(c->problem->Evaluate(x, c->states.view(), mode, e).ok());
    for (std::size_t j = 0; j < x.size(); ++j) {
      std::vector<double> above = x;
      std::vector<double> below = x;
      above[j] += 2e-4;
      below[j] -= 2e-4;
      const auto up = Residuals(*c, above, c->states);
      const auto down = Residuals(*c, below, c->states);
      std::vector<double> serial;
      for (std::size_t k = 0; k < up.size(); ++k) serial.push_back((up[k] - down[k]) / 4e-4);
      ExpectClose(Column(e, j, -1), serial, tolerance, "parameter " + std::to_string(j));
    }
    // The first segment's start moves its own rows only: no defect comes before.
    for (std::size_t i = 0; i < 2; ++i) {
      Matrix<double> above = c->states;
      Matrix<double> below = c->states;
      above(0, i) += 1e-4;
      below(0, i) -= 1e-4;
      const auto up = Residuals(*c, x, above);
      const auto down = Residuals(*c, x, below);
      std::vector<double> serial;
      for (std::size_t k = 0; k < up.size(); ++k) serial.push_back((up[k] - down[k]) / 2e-4);
      ExpectClose(Column(e, i, 0), serial, tolerance, "state " + std::to_string(i));
    }
  }
}

TEST(Problem, AtABoundDerivativesAreOneSidedAndStayInside) {
  auto c = MakeCase();
  const std::vector<double> x = {0.4, 0.0, 1.0};  // no damping, longest delay
  for (const Derivatives mode : {Derivatives::kCentral, Derivatives::kForward}) {
    Evaluation e;
    ASSERT_TRUE(c->problem->Evaluate(x, c->states.view(), mode, e).ok());
    const auto at = Residuals(*c, x, c->states);
    for (const auto& [j, step] : {std::pair{1, 1e-4}, std::pair{2, -1e-4}}) {
      std::vector<double> moved = x;
      moved[j] += step;
      const auto in = Residuals(*c, moved, c->states);
      std::vector<double> serial;
      for (std::size_t k = 0; k < in.size(); ++k) serial.push_back((in[k] - at[k]) / step);
      ExpectClose(Column(e, j, -1), serial, 2e-3, "parameter " + std::to_string(j));
    }
  }
}

TEST(Problem, ResidualsArePseudoHuber) {
  auto c = MakeCase();
  const std::vector<double> x = c->problem->ScaledStart();
  Evaluation e;
  ASSERT_TRUE(c->problem->Evaluate(x, c->states.view(), Derivatives::kNone, e).ok());
  // Row 5 of segment 0: sample 2, velocity.
  const std::vector<double> full = c->problem->FullParameters(x);
  const Shot shot{&c->problem->segments()[0], 0, c->states.row(0)};
  ShotResults results;
  ASSERT_TRUE(c->shooter->Simulate({full.data(), 1, full.size()}, {&shot, 1}, results).ok());
  const double r = (results.Predicted(0, *shot.segment, 2)(2, 1) - c->logs[0].values(2, 1)) / 0.05;
  const double loss = 4.0 * (std::sqrt(1.0 + r * r / 4.0) - 1.0);
  EXPECT_NEAR(0.5 * e.measurements[0].y[5] * e.measurements[0].y[5], loss, 1e-9);
  EXPECT_EQ(std::signbit(e.measurements[0].y[5]), std::signbit(r));
}

TEST(Problem, ADivergedSegmentCostsMuchAndStaysFinite) {
  testing::QuietMujoco quiet;
  auto c = MakeCase();
  const std::vector<double> x = c->problem->ScaledStart();
  Evaluation good;
  ASSERT_TRUE(c->problem->Evaluate(x, c->states.view(), Derivatives::kCentral, good).ok());
  c->states(1, 1) = 1e12;
  Evaluation bad;
  ASSERT_TRUE(c->problem->Evaluate(x, c->states.view(), Derivatives::kCentral, bad).ok());
  EXPECT_EQ(good.diverged, 0);
  EXPECT_EQ(bad.diverged, 1);
  EXPECT_TRUE(std::isfinite(bad.Cost()));
  EXPECT_GT(bad.Cost(), 100.0 * good.Cost());
  for (double d : bad.measurements[1].d_global.values()) EXPECT_EQ(d, 0.0);
  for (double d : bad.measurements[0].d_global.values()) EXPECT_TRUE(std::isfinite(d));
}

TEST(Problem, AValueThatWasNotRecordedHasNoSay) {
  auto c = MakeCase(true);
  Evaluation e;
  ASSERT_TRUE(
      c->problem->Evaluate(c->problem->ScaledStart(), c->states.view(), Derivatives::kCentral, e)
          .ok());
  EXPECT_EQ(e.measurements[0].y[60], 0.0);  // sample 30, position
  EXPECT_NE(e.measurements[0].y[61], 0.0);
  EXPECT_EQ(e.measurements[0].d_global(60, 0), 0.0);
}

}  // namespace
}  // namespace realward
