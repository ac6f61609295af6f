#include "sim/drivetrain.h"

#include <gtest/gtest.h>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support
using enum Operation;
using enum Level;

Drivetrain Of(std::vector<GapParameter> parameters) {
  const ModelPtr model = std::move(LoadModelText(kCart)).value();
  GapSpec gap;
  gap.parameters = std::move(parameters);
  return MakeDrivetrain(*model, std::move(WorldPlan::Make(*model, gap)).value());
}

TEST(Drivetrain, KnowsWhereActuatorsAct) {
  const Drivetrain train = Of({});
  EXPECT_EQ(train.actuator_dof, (std::vector<int>{0, 2}));
  EXPECT_EQ(train.gear, (std::vector<double>{10.0, 1.0}));
  EXPECT_EQ(train.joint_dof, (std::vector<int>{0, 1, 2}));
}

TEST(Drivetrain, ComputesOnlyWhatAKindNeeds) {
  const auto set = [](const char* kind, const char* target) {
    return Parameter(kind, {target}, kSet, kUnit, Constant(0.1));
  };
  EXPECT_FALSE(Of({set("actuator_delay", "*")}).has_path);
  EXPECT_TRUE(Of({set("actuator_lag", "push")}).has_path);
  EXPECT_FALSE(Of({set("actuator_lag", "push")}).writes_model());
  EXPECT_FALSE(Of({set("actuator_force_limit", "push")}).writes_model()) << "a field of the engine";
  EXPECT_TRUE(Of({set("actuator_no_load_speed", "push")}).has_limits);
  EXPECT_TRUE(Of({set("gear_efficiency", "wrist")}).has_friction);
}

// A weight on a vertical rail, held by its motor: the gear carries the motor on one side and the
// weight on the other.
TEST(Drivetrain, SettlesTheLoadsOfAGear) {
  const ModelPtr model = std::move(LoadModelText(R"(
    <mujoco><option gravity="0 0 -10"/><worldbody><body><joint name="z" type="slide" axis="0 0 1"
      frictionloss="0.5"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>
    <actuator><motor name="lift" joint="z"/></actuator></mujoco>)"))
                             .value();
  GapSpec gap;
  gap.parameters = {Parameter("joint_load_friction_motor", {"z"}, kSet, kUnit, Constant(0.1)),
                    Parameter("joint_load_friction_external", {"z"}, kSet, kUnit, Constant(0.2))};
  const WorldPlan plan = std::move(WorldPlan::Make(*model, gap)).value();
  const Drivetrain train = MakeDrivetrain(*model, plan);
  WorldStore store(*model);
  plan.Apply(std::vector<double>{0.1, 0.2}, store.On(RowsOf(*model)));
  const WorldView view{store.actuators, store.joints, store.channels, &store.world};
  std::vector<JointLoad> loads(1);
  double supply = 0.0;
  const DrivetrainState state{{}, loads, &supply};
  ResetDrivetrain(train, view, model->dof_frictionloss, state);
  EXPECT_EQ(loads[0].coulomb, 0.5);
  DataPtr data = MakeData(*model);
  data->ctrl[0] = 21.0;
  BeforeStep(train, model.get(), data.get(), view, state);
  EXPECT_EQ(model->dof_frictionloss[0], 0.5) << "no load is known yet";
  mj_step(model.get(), data.get());
  AfterStep(train, model.get(), data.get(), view, state);
  EXPECT_DOUBLE_EQ(loads[0].motor, 21.0);
  EXPECT_NEAR(loads[0].external, -20.0, 1e-9) << "its own friction is no load";
  BeforeStep(train, model.get(), data.get(), view, state);
  EXPECT_NEAR(model->dof_frictionloss[0], 0.5 + 0.1 * 21.0 + 0.2 * 20.0, 1e-9);
  EXPECT_EQ(supply, 1.0);
}

}  // namespace
}  // namespace realward
