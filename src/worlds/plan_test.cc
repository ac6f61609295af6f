#include "worlds/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "worlds/draw.h"

namespace realward {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kArm[] = R"(
<mujoco><worldbody><geom name="floor" type="plane" size="3 3 .1"/>
  <body name="base" pos="0 0 1"><joint name="slide" type="slide" axis="1 0 0"/>
    <inertial pos="0 0 0" mass="4" diaginertia="0.08 0.1 0.14"/>
    <body name="link_1"><joint name="arm_joint_1" axis="0 1 0" damping="0.5" armature="0.01"/>
      <inertial pos="0.1 0 0" mass="2" diaginertia="0.01 0.02 0.025"/>
      <body name="link_2" pos="0 0 -.2"><joint name="arm_joint_2" axis="0 1 0" damping="0.25"/>
        <inertial pos="0 0 -.1" mass="1" diaginertia="0.003 0.003 0.003"/></body></body></body>
  <body name="ball"><freejoint name="free"/><geom name="ball" size=".1" mass=".5"/></body>
</worldbody><actuator>
  <position name="servo" joint="arm_joint_1" kp="40" kv="2"/>
  <motor name="motor" joint="slide"/></actuator></mujoco>)";

ModelPtr Arm() { return std::move(LoadModelText(kArm)).value(); }

Distribution Constant(double value) { return {DistributionKind::kConstant, value}; }
Distribution Uniform(double a, double b) { return {DistributionKind::kUniform, a, b}; }

GapParameter Parameter(const std::string& name, const std::string& kind,
                       std::vector<std::string> targets, Operation operation,
                       Distribution distribution, Level level = Level::kEpisode) {
  GapParameter parameter;
  parameter.name = name;
  parameter.kind = kind;
  parameter.targets = std::move(targets);
  parameter.operation = operation;
  parameter.distribution = distribution;
  parameter.level = level;
  return parameter;
}

GapSpec Spec(std::vector<GapParameter> parameters) {
  GapSpec spec;
  spec.name = "test";
  spec.parameters = std::move(parameters);
  return spec;
}

// The error of a plan, or "accepted".
std::string Verdict(const GapSpec& spec) {
  ModelPtr model = Arm();
  const auto plan = WorldPlan::Make(*model, spec);
  return plan.ok() ? "accepted" : plan.error().message;
}
std::string Verdict(const GapParameter& parameter) { return Verdict(Spec({parameter})); }

// A model with a plan's values on it.
struct World {
  explicit World(const GapSpec& spec)
      : model(Arm()), plan(std::move(WorldPlan::Make(*model, spec)).value()), store(*model) {
    plan.Prepare(*model);
  }
  void Apply(const std::vector<double>& values) { plan.Apply(values, store.On(RowsOf(*model))); }
  std::vector<char> Bytes() const {
    std::vector<char> bytes(mj_sizeModel(model.get()));
    mj_saveModel(model.get(), nullptr, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }
  ModelPtr model;
  WorldPlan plan;
  WorldStore store;
};

// One parameter of every slot, on independent numbers.
GapSpec Everything() {
  return Spec({
      Parameter("mass", "body_mass", {"link_1"}, Operation::kScale, Uniform(0.5, 2.0)),
      Parameter("inertia", "body_inertia", {"link_2"}, Operation::kScale, Uniform(0.5, 2.0)),
      Parameter("com", "body_com_z", {"link_2"}, Operation::kAdd, Uniform(-0.02, 0.02)),
      Parameter("damping", "joint_damping", {"arm_*"}, Operation::kScale, Uniform(0.2, 3.0)),
      Parameter("armature", "joint_armature", {"arm_joint_2"}, Operation::kAdd, Uniform(0.0, 0.02)),
      Parameter("friction", "geom_friction", {"floor"}, Operation::kSet, Uniform(0.2, 1.5)),
      Parameter("gravity", "gravity", {}, Operation::kAdd, Uniform(-0.1, 0.1)),
      Parameter("kp", "actuator_kp", {"servo"}, Operation::kScale, Uniform(0.5, 1.5)),
      Parameter("kd", "actuator_kd", {"servo"}, Operation::kScale, Uniform(0.5, 1.5)),
      Parameter("delay", "actuator_delay", {"*"}, Operation::kSet, Uniform(0.0, 0.02)),
      Parameter("noise", "sensor_noise", {"*.velocity"}, Operation::kSet, Uniform(0.0, 0.1)),
  });
}

TEST(Plan, OffIsTheCompiledModelBitForBit) {
  World world(Spec({}));
  const std::vector<char> compiled = world.Bytes();
  world.Apply({});
  EXPECT_EQ(world.Bytes(), compiled);
  EXPECT_TRUE(world.plan.touched_fields().empty());
  EXPECT_FALSE(world.plan.needs_set_const());
  EXPECT_EQ(world.store.actuators[0].strength, 1.0);
}

TEST(Plan, DrawsDoNotAccumulate) {
  World world(Everything());
  const Drawer drawer(Everything());
  std::vector<double> values(drawer.size());
  drawer.Draw({1, 0, 0, 0}, values);
  const std::vector<double> first_values = values;
  world.Apply(values);
  const std::vector<char> first = world.Bytes();
  for (std::uint64_t episode = 1; episode <= 1000; ++episode) {
    drawer.Draw({1, 0, 0, episode}, values);
    world.Apply(values);
  }
  EXPECT_NE(world.Bytes(), first);
  world.Apply(first_values);
  EXPECT_EQ(world.Bytes(), first);
}

// What one plan wrote, the nominal of another model's untouched copy undoes.
TEST(Plan, NothingOutsideTheTouchedEntriesChanges) {
  World world(Everything());
  const ModelPtr nominal = Arm();
  const Drawer drawer(Everything());
  std::vector<double> values(drawer.size());
  drawer.Draw({1, 0, 0, 0}, values);
  world.Apply(values);
  EXPECT_NE(world.model->body_mass[2], nominal->body_mass[2]);
  EXPECT_EQ(world.model->body_mass[1], nominal->body_mass[1]);
  EXPECT_EQ(world.model->body_mass[3], nominal->body_mass[3]);
  EXPECT_EQ(world.model->dof_damping[0], nominal->dof_damping[0]);
  EXPECT_EQ(world.model->geom_friction[3], nominal->geom_friction[3]);
  EXPECT_EQ(world.store.channels[0].noise, 0.0);
  EXPECT_EQ(world.store.channels[1].noise, values[10]);
  EXPECT_EQ(world.store.channels[5].noise, values[10]);
}

TEST(Plan, NeedsSetConstOnlyWhenConstantsAreDerived) {
  const auto needs = [](const GapParameter& parameter) {
    return World(Spec({parameter})).plan.needs_set_const();
  };
  EXPECT_TRUE(needs(Parameter("m", "body_mass", {"base"}, Operation::kScale, Constant(1.1))));
  EXPECT_TRUE(
      needs(Parameter("a", "joint_armature", {"arm_joint_1"}, Operation::kSet, Constant(1))));
  EXPECT_FALSE(
      needs(Parameter("d", "joint_damping", {"arm_joint_1"}, Operation::kSet, Constant(1))));
  EXPECT_FALSE(needs(Parameter("kp", "actuator_kp", {"servo"}, Operation::kSet, Constant(1))));
  EXPECT_FALSE(needs(Parameter("t", "actuator_delay", {"servo"}, Operation::kSet, Constant(0.1))));
}

TEST(Plan, OperationsActOnTheNominal) {
  World set(Spec({Parameter("x", "joint_damping", {"arm_joint_1"}, Operation::kSet, Constant(3))}));
  World scale(
      Spec({Parameter("x", "joint_damping", {"arm_joint_1"}, Operation::kScale, Constant(3))}));
  World add(Spec({Parameter("x", "joint_damping", {"arm_joint_1"}, Operation::kAdd, Constant(3))}));
  for (int repeat = 0; repeat < 3; ++repeat) {
    set.Apply({3.0});
    scale.Apply({3.0});
    add.Apply({3.0});
  }
  EXPECT_EQ(set.model->dof_damping[1], 3.0);
  EXPECT_EQ(scale.model->dof_damping[1], 1.5);
  EXPECT_EQ(add.model->dof_damping[1], 3.5);
}

// Parameters act in order, each on what the earlier ones left: (0.5 + 0.1) · 2 is not 0.5 · 2 +
// 0.1.
TEST(Plan, ComposedLayersActInOrder) {
  const GapSpec payload =
      Spec({Parameter("x", "joint_damping", {"arm_joint_1"}, Operation::kAdd, Constant(0.1))});
  const GapSpec worn =
      Spec({Parameter("x", "joint_damping", {"arm_joint_1"}, Operation::kScale, Constant(2.0))});
  World first(Compose({payload, worn}, "both"));
  first.Apply({0.1, 2.0});
  EXPECT_DOUBLE_EQ(first.model->dof_damping[1], 1.2);
  World second(Compose({worn, payload}, "both"));
  second.Apply({2.0, 0.1});
  EXPECT_DOUBLE_EQ(second.model->dof_damping[1], 1.1);
  const auto applied = first.plan.Explain(std::vector<double>{0.1, 2.0});
  ASSERT_EQ(applied.size(), 2u);
  EXPECT_EQ(applied[0].nominal, 0.5);
  EXPECT_DOUBLE_EQ(applied[1].nominal, 0.6);
  EXPECT_EQ(applied[1].parameter, "x@test");
}

TEST(Plan, ExplainTellsWhatApplyDoes) {
  World world(Everything());
  const Drawer drawer(Everything());
  std::vector<double> values(drawer.size());
  for (std::uint64_t episode = 0; episode < 20; ++episode) {
    drawer.Draw({3, 1, 1, episode}, values);
    world.Apply(values);
    std::map<std::pair<std::string, std::string>, AppliedValue> told;
    for (const AppliedValue& applied : world.plan.Explain(values))
      told[{applied.parameter, applied.target}] = applied;
    ASSERT_EQ(told.size(), 15u);  // damping has 2 targets, delay 2, noise 3
    EXPECT_EQ((told[{"mass", "link_1"}].effective), world.model->body_mass[2]);
    EXPECT_EQ((told[{"mass", "link_1"}].nominal), 2.0);
    EXPECT_EQ((told[{"mass", "link_1"}].drawn), values[0]);
    EXPECT_EQ((told[{"inertia", "link_2"}].effective), world.model->body_inertia[9]);
    EXPECT_EQ((told[{"com", "link_2"}].effective), world.model->body_ipos[11]);
    EXPECT_EQ((told[{"damping", "arm_joint_2"}].effective), world.model->dof_damping[2]);
    EXPECT_EQ((told[{"gravity", "world"}].effective), -world.model->opt.gravity[2]);
    EXPECT_EQ((told[{"kp", "servo"}].effective), world.model->actuator_gainprm[0]);
    EXPECT_EQ((told[{"kp", "servo"}].effective), -world.model->actuator_biasprm[1]);
    EXPECT_EQ((told[{"kd", "servo"}].effective), -world.model->actuator_biasprm[2]);
    EXPECT_EQ((told[{"delay", "motor"}].effective), world.store.actuators[1].delay);
    EXPECT_EQ((told[{"noise", "slide.velocity"}].effective), world.store.channels[1].noise);
  }
}

// Against the engine: link_1 by half heavier, inertia along, derived constants new.
TEST(Plan, MassCarriesInertiaAndDerivedConstants) {
  World world(Spec({Parameter("m", "body_mass", {"link_1"}, Operation::kScale, Constant(1.5))}));
  world.Apply({1.5});
  DataPtr data = MakeData(*world.model);
  mj_setConst(world.model.get(), data.get());
  EXPECT_DOUBLE_EQ(world.model->body_mass[2], 3.0);
  EXPECT_DOUBLE_EQ(world.model->body_inertia[6], 0.015);
  EXPECT_DOUBLE_EQ(world.model->body_inertia[8], 0.0375);
  EXPECT_DOUBLE_EQ(world.model->body_subtreemass[1], 4.0 + 3.0 + 1.0);
  // About the hinge of arm_joint_1, with the rotor: I_yy + m x² of both links.
  EXPECT_NEAR(world.model->dof_M0[1], 0.01 + 0.03 + 3.0 * 0.01 + 0.003 + 1.0 * 0.3 * 0.3, 1e-12);
}

GapParameter Drift(const std::string& kind, const std::string& target, Operation operation,
                   Distribution distribution, DriftDriver driver, double per) {
  GapParameter parameter = Parameter(kind, kind, {target}, operation, distribution, Level::kDrift);
  parameter.drift = driver;
  parameter.drift_per = per;
  return parameter;
}

// 500 h into a wear of 20 % per 1000 h; 10 K above the reference at 0.01 rad per 5 K. The hours
// stand last in the file and act first.
TEST(Plan, ADriftFollowsHoursAndTemperature) {
  World world(Spec({Drift("joint_damping", "arm_joint_1", Operation::kScale, Uniform(0.0, 0.4),
                          DriftDriver::kHours, 3.6e6),
                    Drift("sensor_offset", "arm_joint_1.position", Operation::kAdd, Constant(0.01),
                          DriftDriver::kTemperature, 5.0),
                    Parameter("t", "ambient_temperature", {}, Operation::kSet, Constant(308.15)),
                    Parameter("h", "operating_hours", {}, Operation::kSet, Uniform(0.0, 7.2e6))}));
  world.Apply({0.2, 0.01, 308.15, 1.8e6});
  EXPECT_DOUBLE_EQ(world.model->dof_damping[1], 0.5 * 1.1);
  EXPECT_DOUBLE_EQ(world.store.channels[2].offset, 0.02);
  EXPECT_DOUBLE_EQ(world.store.world.hours, 1.8e6);
  world.Apply({0.2, 0.01, 298.15, 0.0});
  EXPECT_EQ(world.model->dof_damping[1], 0.5) << "new, at the reference temperature: nominal";
  EXPECT_EQ(world.store.channels[2].offset, 0.0);
}

TEST(Plan, ADriftThatCanLeavePhysicsIsRefused) {
  const auto verdict = [](double hours) {
    return Verdict(
        Spec({Parameter("h", "operating_hours", {}, Operation::kSet, Uniform(0.0, hours)),
              Drift("joint_damping", "arm_joint_1", Operation::kScale, Uniform(-0.5, 0.1),
                    DriftDriver::kHours, 3.6e6)}));
  };
  EXPECT_EQ(verdict(3.6e6), "accepted");
  EXPECT_THAT(verdict(3.6e7), HasSubstr("could become -2 … 1"));
}

// A curriculum goes from the nominal to the draw.
TEST(Plan, StrengthIsThePartOfTheWayToTheDraw) {
  World world(Everything());
  const std::vector<char> nominal = world.Bytes();
  std::vector<double> values(Everything().parameters.size());
  Drawer(Everything()).Draw({1, 0, 0, 0}, values);
  world.Apply(values);
  const double drawn = world.model->dof_damping[1];
  const WorldValues place = world.store.On(RowsOf(*world.model));
  world.plan.Apply(values, place, 0.25);
  EXPECT_DOUBLE_EQ(world.model->dof_damping[1], 0.5 + 0.25 * (drawn - 0.5));
  EXPECT_DOUBLE_EQ(world.store.actuators[0].delay, 0.25 * values[9]);
  world.plan.Apply(values, place, 0.0);
  EXPECT_EQ(world.Bytes(), nominal);
}

TEST(Plan, PrepareChangesOnlyTheRangesThatAParameterLimits) {
  World world(Spec(
      {Parameter("f", "actuator_force_limit", {"motor"}, Operation::kSet, Uniform(1.0, 2.0))}));
  EXPECT_EQ(world.model->actuator_forcelimited[0], 0);
  EXPECT_EQ(world.model->actuator_forcelimited[1], 1);
  EXPECT_EQ(world.model->actuator_forcerange[3], kUnlimitedForce);
  world.Apply({1.5});
  EXPECT_EQ(world.model->actuator_forcerange[2], -1.5);
  EXPECT_EQ(world.model->actuator_forcerange[3], 1.5);
}

TEST(Plan, GlobsTakeWhatTheKindCanActOn) {
  const auto targets = [](const GapParameter& parameter) {
    std::vector<std::string> names;
    World world(Spec({parameter}));
    for (const auto& applied :
         world.plan.Explain(std::vector<double>{Centre(parameter.distribution)}))
      names.push_back(applied.target);
    return names;
  };
  using Names = std::vector<std::string>;
  const Distribution one = Constant(1.0);
  EXPECT_EQ(targets(Parameter("x", "joint_damping", {"arm_joint_?"}, Operation::kSet, one)),
            (Names{"arm_joint_1", "arm_joint_2"}));
  // The world has no mass, the free joint no scalar damping, the motor no kp.
  EXPECT_EQ(targets(Parameter("x", "body_mass", {"*"}, Operation::kScale, one)),
            (Names{"base", "link_1", "link_2", "ball"}));
  EXPECT_EQ(targets(Parameter("x", "joint_damping", {"*"}, Operation::kSet, one)),
            (Names{"slide", "arm_joint_1", "arm_joint_2"}));
  EXPECT_EQ(targets(Parameter("x", "actuator_kp", {"*"}, Operation::kScale, one)), Names{"servo"});
}

TEST(Plan, ATargetThatIsNamedTwiceIsWrittenOnce) {
  for (const std::vector<std::string>& targets : {std::vector<std::string>{"link_1", "link_1"},
                                                  {"link_1", "link_?"},
                                                  {"link_*", "link_1"},
                                                  {"link_*", "*_1"}}) {
    World world(Spec({Parameter("m", "body_mass", targets, Operation::kScale, Constant(1.1))}));
    world.Apply({1.1});
    EXPECT_DOUBLE_EQ(world.model->body_mass[2], 2.2) << targets[0] << " " << targets[1];
  }
}

TEST(Plan, UnknownTargetsNameTheNearest) {
  const auto verdict = [](const std::string& kind, const std::string& target) {
    return Verdict(Parameter("p", kind, {target}, Operation::kSet, Constant(0.1)));
  };
  EXPECT_THAT(verdict("body_mass", "lnik_1"), HasSubstr("link_1"));
  EXPECT_THAT(verdict("body_mass", "lnik_1"), HasSubstr("'p'"));
  EXPECT_THAT(verdict("joint_damping", "elbow_*"), HasSubstr("'elbow_*' matches no joint"));
  EXPECT_THAT(verdict("joint_damping", "arm_joint_3"), HasSubstr("arm_joint_2"));
  EXPECT_THAT(verdict("geom_friction", "1"), HasSubstr("unknown geom '1'"));
  EXPECT_THAT(verdict("sensor_offset", "arm_joint_1.positon"), HasSubstr("arm_joint_1.position"));
  EXPECT_THAT(verdict("actuator_delay", "sevro"), HasSubstr("servo"));
  EXPECT_THAT(verdict("joint_damping", "free"), HasSubstr("free joint"));
  EXPECT_THAT(verdict("body_mass", "world"), HasSubstr("no mass"));
  EXPECT_THAT(verdict("actuator_kp", "motor"), HasSubstr("no position servo"));
  EXPECT_THAT(verdict("body_com_x", "b*ll"), HasSubstr("simple"));
  EXPECT_THAT(Verdict(Parameter("p", "body_mass", {}, Operation::kSet, Constant(1))),
              HasSubstr("no target"));
}

TEST(Plan, MessagesSayFileAndLine) {
  GapSpec spec = Spec({Parameter("p", "body_mass", {"nobody"}, Operation::kSet, Constant(1.0))});
  spec.file = "gap.yaml";
  spec.parameters[0].line = 7;
  EXPECT_THAT(Verdict(spec), HasSubstr("gap.yaml:7: parameter 'p'"));
}

TEST(Plan, RefusesDrawsThatLeavePhysics) {
  const auto add = [](const std::string& kind, const std::string& target, Distribution d) {
    return Verdict(Parameter("p", kind, {target}, Operation::kAdd, d));
  };
  EXPECT_THAT(add("body_mass", "link_1", Uniform(-3.0, 0.5)), HasSubstr("-1 … 2.5"));
  EXPECT_THAT(add("joint_armature", "arm_joint_1", Uniform(-0.02, 0.02)),
              HasSubstr("-0.01 … 0.03"));
  EXPECT_THAT(add("body_mass", "link_1", Constant(-2.0)), HasSubstr("above 0"));
  EXPECT_THAT(add("body_mass", "link_1", Uniform(-2.0, 0.5)), HasSubstr("above 0"));
  EXPECT_EQ(add("body_mass", "link_1", Uniform(-1.99, 0.5)), "accepted");
  EXPECT_EQ(add("joint_damping", "arm_joint_1", Uniform(-0.5, 0.5)), "accepted");
  EXPECT_THAT(add("actuator_delay", "servo", Uniform(0.1, 0.3)), HasSubstr("0.2"));
  EXPECT_THAT(add("body_inertia", "link_1", Constant(-0.03)), HasSubstr("above 0"));
  EXPECT_THAT(add("gravity", "", Constant(-10.0)), HasSubstr("-0.19"));
  Distribution normal{DistributionKind::kNormal, 0.0, 0.5};
  EXPECT_THAT(add("body_mass", "link_1", normal), HasSubstr("body_mass"));
  normal.low = -1.0;
  EXPECT_EQ(add("body_mass", "link_1", normal), "accepted");
}

// Alone each is fine; together they can take the mass to −0.5.
TEST(Plan, RangesAreCheckedForTheirWorstCombination) {
  const GapParameter light =
      Parameter("light", "body_mass", {"link_1"}, Operation::kAdd, Uniform(-1.0, 1.0));
  const GapParameter lighter =
      Parameter("lighter", "body_mass", {"link_1"}, Operation::kAdd, Uniform(-1.5, 0.0));
  EXPECT_EQ(Verdict(light), "accepted");
  EXPECT_EQ(Verdict(lighter), "accepted");
  EXPECT_THAT(Verdict(Spec({light, lighter})), HasSubstr("'lighter'"));
  // A scale of the mass carries the inertia, so an inertia taken off afterwards is seen too.
  const GapParameter half =
      Parameter("half", "body_mass", {"link_1"}, Operation::kScale, Uniform(0.5, 1.0));
  const GapParameter off =
      Parameter("off", "body_inertia", {"link_1"}, Operation::kAdd, Constant(-0.015));
  EXPECT_EQ(Verdict(off), "accepted");
  EXPECT_THAT(Verdict(Spec({half, off})), HasSubstr("'off'"));
}

// No accepted spec lets a draw leave its limits.
TEST(Plan, AcceptedDrawsStayInTheirLimits) {
  int accepted = 0;
  EXPECT_TRUE(rc::check([&](std::uint16_t a, std::uint16_t b, std::uint16_t c, unsigned seed) {
    const auto part = [](std::uint16_t x) { return (x % 1000) / 1000.0; };
    const double low = -2.2 * part(a), high = low + part(b);
    const GapSpec spec =
        Spec({Parameter("x", "body_mass", {"link_1"}, Operation::kAdd, Uniform(low, high)),
              Parameter("y", "body_mass", {"link_1"}, Operation::kScale, Uniform(part(c), 1.5)),
              Parameter("z", "body_mass", {"link_1"}, Operation::kAdd, Uniform(-0.1, 0.5))});
    if (Verdict(spec) != "accepted") return;
    ++accepted;
    World world(spec);
    const Drawer drawer(spec);
    std::vector<double> values(3);
    for (std::uint64_t episode = 0; episode < 30; ++episode) {
      drawer.Draw({seed, 0, 0, episode}, values);
      world.Apply(values);
      RC_ASSERT(world.model->body_mass[2] > 0.0);
    }
  }));
  EXPECT_GT(accepted, 10);
}

TEST(Plan, AScaleOfAZeroNominalIsRefused) {
  EXPECT_THAT(Verdict(Parameter("p", "joint_stiffness", {"arm_joint_1"}, Operation::kScale,
                                Uniform(0.5, 2.0))),
              HasSubstr("nominal 0"));
  EXPECT_THAT(
      Verdict(Parameter("p", "actuator_delay", {"servo"}, Operation::kScale, Uniform(0.5, 2.0))),
      HasSubstr("nominal 0"));
  // On what an earlier parameter has set it is fine.
  EXPECT_EQ(Verdict(Spec(
                {Parameter("a", "joint_stiffness", {"arm_joint_1"}, Operation::kSet, Constant(2.0)),
                 Parameter("b", "joint_stiffness", {"arm_joint_1"}, Operation::kScale,
                           Uniform(0.5, 2.0))})),
            "accepted");
}

TEST(Plan, OneKindDoesNotDropWhatAnotherWrote) {
  const GapParameter zero =
      Parameter("zero", "joint_zero_offset", {"arm_joint_1"}, Operation::kSet, Constant(0.02));
  GapParameter bias =
      Parameter("bias", "sensor_offset", {"arm_joint_1.position"}, Operation::kSet, Constant(0.01));
  EXPECT_THAT(Verdict(Spec({zero, bias})), HasSubstr("'zero'"));
  bias.operation = Operation::kAdd;
  World world(Spec({zero, bias}));
  world.Apply({0.02, 0.01});
  EXPECT_DOUBLE_EQ(world.store.channels[2].offset, 0.03);
}

TEST(Plan, AllErrorsComeInOnePass) {
  const std::string verdict = Verdict(Spec({
      Parameter("first", "body_mass", {"nobody"}, Operation::kSet, Constant(1.0)),
      Parameter("fine", "body_mass", {"link_1"}, Operation::kScale, Uniform(0.9, 1.1)),
      Parameter("second", "body_mass", {"link_2"}, Operation::kAdd, Uniform(-3.0, 0.0)),
      Parameter("third", "joint_stiffness", {"arm_joint_1"}, Operation::kScale, Constant(2.0)),
  }));
  EXPECT_THAT(verdict, HasSubstr("'first'"));
  EXPECT_THAT(verdict, HasSubstr("'second'"));
  EXPECT_THAT(verdict, HasSubstr("'third'"));
  EXPECT_THAT(verdict, Not(HasSubstr("'fine'")));
}

}  // namespace
}  // namespace realward
