#include "fit/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/test_logs.h"

namespace realward {
namespace {

const std::atomic<bool> kNeverStop{false};

// A wheel: inertia × acceleration = command − damping × velocity. Noise-free, linear, so that the
// optimum is known.
constexpr const char* kWheel = R"(<mujoco><option timestep="0.005" gravity="0 0 0"
  integrator="implicitfast"/><worldbody><body name="wheel"><joint name="hinge" axis="0 0 1"
    damping="0.2"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>)";

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

struct Case {
  ModelPtr model = std::move(LoadModelText(kWheel)).value();
  std::vector<Log> logs = {testing::SimulatedLog(
      *model, {.duration = 3.0, .command = [](double t) { return std::sin(3.0 * t) + 0.3; }})};
  std::unique_ptr<Shooter> shooter;
  std::unique_ptr<ShootingProblem> problem;

  explicit Case(std::vector<GapParameter> parameters) {
    GapSpec gap;
    gap.name = "test";
    gap.parameters = std::move(parameters);
    shooter = std::make_unique<Shooter>(std::move(Shooter::Make(*model, gap, logs, 2)).value());
    const Weights weights{
        .sigma = {{0.001, 0.01}}, .position_defect = 0.001, .velocity_defect = 0.01, .huber = 3.0};
    problem = std::make_unique<ShootingProblem>(*shooter, weights, 1.0);
  }
};

TEST(Solve, FindsTheOptimumOfNoiseFreeDataFromAFarStart) {
  Case c({Fitted("joint_damping", "hinge", 0.9, 0.0, 1.0),
          Fitted("actuator_strength", "motor", 0.3, 0.2, 3.0)});
  const auto solution =
      Solve(*c.problem, c.problem->ScaledStart(), {.max_iterations = 50}, kNeverStop, {});
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  EXPECT_TRUE(solution->converged);
  const std::vector<double> full = c.problem->FullParameters(solution->scaled);
  EXPECT_NEAR(full[0], 0.2, 1e-4);
  EXPECT_NEAR(full[1], 1.0, 1e-4);
  EXPECT_LT(solution->cost, 1e-3);
}

TEST(Solve, LetsGoOfABoundThatItOnlyPassed) {
  // It starts on the lower bound of damping and at a strength that makes more damping look wrong.
  Case c({Fitted("joint_damping", "hinge", 0.0, 0.0, 1.0),
          Fitted("actuator_strength", "motor", 3.0, 0.2, 3.0)});
  const auto solution =
      Solve(*c.problem, c.problem->ScaledStart(), {.max_iterations = 50}, kNeverStop, {});
  ASSERT_TRUE(solution.ok());
  EXPECT_TRUE(solution->converged);
  EXPECT_NEAR(c.problem->FullParameters(solution->scaled)[0], 0.2, 1e-4);
}

TEST(Solve, EndsExactlyOnABoundWhenTheOptimumIsBeyond) {
  Case c({Fitted("joint_damping", "hinge", 0.5, 0.3, 1.0),
          Fitted("actuator_strength", "motor", 1.5, 0.2, 3.0)});
  const auto solution =
      Solve(*c.problem, c.problem->ScaledStart(), {.max_iterations = 50}, kNeverStop, {});
  ASSERT_TRUE(solution.ok());
  EXPECT_TRUE(solution->converged);
  EXPECT_EQ(solution->scaled[0], 0.0);
  // The other one is at its own optimum: moving it either way costs more.
  for (const double step : {-1e-3, 1e-3}) {
    std::vector<double> moved = solution->scaled;
    moved[1] += step;
    Evaluation e;
    ASSERT_TRUE(c.problem->Evaluate(moved, solution->states.view(), Derivatives::kNone, e).ok());
    EXPECT_GT(e.Cost(), solution->cost);
  }
}

TEST(Solve, StaysWithinItsIterations) {
  Case c({Fitted("joint_damping", "hinge", 0.9, 0.0, 1.0)});
  int calls = 0;
  const auto solution = Solve(*c.problem, c.problem->ScaledStart(), {.max_iterations = 2},
                              kNeverStop, [&](const FitProgress& p) { calls = p.iteration; });
  ASSERT_TRUE(solution.ok());
  EXPECT_FALSE(solution->converged);
  EXPECT_EQ(solution->iterations, 2);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace realward
