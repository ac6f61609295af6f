#include "worlds/robot_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "base/file.h"
#include "worlds/draw.h"
#include "worlds/plan.h"

namespace realward {
namespace {

using testing::HasSubstr;

GapParameter Parameter(const std::string& name, const std::string& kind, const std::string& target,
                       Operation operation, Level level, double low, double high) {
  GapParameter parameter;
  parameter.name = name;
  parameter.kind = kind;
  if (!target.empty()) parameter.targets = {target};
  parameter.operation = operation;
  parameter.level = level;
  parameter.distribution = {DistributionKind::kUniform, low, high};
  return parameter;
}

GapSpec Fleet() {
  GapSpec gap;
  gap.name = "fleet";
  using enum Operation;
  using enum Level;
  gap.parameters = {
      Parameter("mass", "body_mass", "arm", kScale, kUnit, 0.9, 1.1),
      Parameter("zero", "joint_zero_offset", "hinge", kAdd, kUnit, -0.02, 0.02),
      Parameter("friction", "joint_frictionloss", "hinge", kScale, kEpisode, 0.5, 2.0),
      Parameter("wear", "joint_damping", "hinge", kScale, kDrift, 0.1, 0.4),
      Parameter("hours", "operating_hours", "", kSet, kUnit, 0.0, 3.6e6),
  };
  gap.parameters[3].drift_per = 3.6e6;
  return gap;
}

ModelPtr Arm() {
  return std::move(LoadModelText(R"(
    <mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" damping="2"
      frictionloss="0.1"/><geom size=".1" pos="0 0 .2" mass="1"/></body></worldbody></mujoco>)"))
      .value();
}

// Mass, zero, friction, damping of a world.
std::vector<double> World(const GapSpec& gap, const WorldId& id) {
  ModelPtr model = Arm();
  const auto plan = WorldPlan::Make(*model, gap);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  WorldStore store(*model);
  std::vector<double> values(gap.parameters.size());
  Drawer(gap).Draw(id, values);
  plan->Apply(values, store.On(RowsOf(*model)));
  return {model->body_mass[1], store.channels[0].offset, model->dof_frictionloss[0],
          model->dof_damping[0]};
}

TEST(RobotUnit, IsTheWorldOfItsNumberEpisodeByEpisode) {
  const RobotUnit unit = DrawUnit(Fleet(), 4, 7);
  const auto fixed = WithUnit(Fleet(), unit);
  ASSERT_TRUE(fixed.ok()) << fixed.error().message;
  for (std::uint64_t episode : {0, 1, 5})
    EXPECT_EQ(World(*fixed, {4, 7, 0, episode}), World(Fleet(), {4, 7, 0, episode}));
  EXPECT_NE(World(*fixed, {4, 7, 0, 1})[2], World(*fixed, {4, 7, 0, 5})[2]) << "friction is drawn";
  EXPECT_EQ(World(*fixed, {4, 3, 0, 0})[0], World(*fixed, {4, 7, 0, 0})[0]) << "the mass is not";
}

TEST(RobotUnit, AgesByItsOwnRate) {
  const RobotUnit unit = DrawUnit(Fleet(), 4, 7);
  const double rate = unit.constants.at("wear");
  for (double hours : {1000.0, 3000.0}) {
    const auto old = Aged(unit, hours * 3600.0);
    ASSERT_TRUE(old.ok());
    EXPECT_NEAR(World(*WithUnit(Fleet(), *old), {4, 7, 0, 0})[3],
                2.0 * (1.0 + rate * hours / 1000.0), 1e-12);
  }
  const auto younger = Aged(*Aged(unit, 7.2e6), 3.6e6);
  ASSERT_FALSE(younger.ok());
  EXPECT_THAT(younger.error().message,
              HasSubstr("unit 7 has run 2000 h and cannot be set to 1000 h"));
  EXPECT_FALSE(Aged(unit, std::nan("")).ok());
}

TEST(RobotUnit, UnitsDiffer) {
  EXPECT_NE(DrawUnit(Fleet(), 4, 7).constants, DrawUnit(Fleet(), 4, 8).constants);
  EXPECT_NE(DrawUnit(Fleet(), 4, 7).constants, DrawUnit(Fleet(), 5, 7).constants);
}

TEST(RobotUnit, SavesAndLoadsBitForBit) {
  const std::string path = testing::TempDir() + "/rw_unit_" + std::to_string(::getpid()) + ".json";
  const RobotUnit unit = DrawUnit(Fleet(), 4, 7);
  ASSERT_TRUE(SaveUnit(unit, path).ok());
  const auto loaded = LoadUnit(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(*loaded, unit);
}

TEST(RobotUnit, RefusesAnotherSpecAndBrokenFiles) {
  GapSpec other = Fleet();
  other.parameters[0].distribution.b = 1.2;
  const auto mixed = WithUnit(other, DrawUnit(Fleet(), 4, 7));
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message, HasSubstr("was drawn from another gap spec"));
  Json json = ToJson(DrawUnit(Fleet(), 4, 7));
  json["operating_time_s"] = -1;
  EXPECT_THAT(UnitFromJson(json).error().message, HasSubstr("operating_time_s"));
  json["operating_time_s"] = 1;
  json["constants"]["mass"] = "heavy";
  EXPECT_THAT(UnitFromJson(json).error().message, HasSubstr("constants.mass"));
  json["colour"] = "red";
  EXPECT_THAT(UnitFromJson(json).error().message, HasSubstr("colour"));
  EXPECT_FALSE(LoadUnit("/nonexistent/unit.json").ok());
}

TEST(RobotUnit, HoursReplaceWhatTheSpecSays) {
  const GapSpec aged = WithHours(Fleet(), 7.2e6);
  EXPECT_EQ(aged.parameters.size(), Fleet().parameters.size());
  EXPECT_GT(World(aged, {4, 7, 0, 0})[3], World(WithHours(Fleet(), 0.0), {4, 7, 0, 0})[3]);
}

}  // namespace
}  // namespace realward
