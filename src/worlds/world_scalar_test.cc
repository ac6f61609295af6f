#include "worlds/world_scalar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "spec/gap_kind.h"

namespace realward {
namespace {

using Numbers = std::map<std::string, double>;

// Every number that some kind writes is a blank. Units SI, angles rad.
constexpr char kTemplate[] = R"(
<mujoco><compiler angle="radian"/><option gravity="{gx} {gy} -{g}" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="5 5 1" friction="0.01 0.0001 0.0001"/>
  <body name="cart" pos="0 0 1"><joint name="slide" type="slide" axis="1 0 0" damping="1.5"/>
    <inertial pos="0 0 0" mass="4" diaginertia="0.1 0.1 0.1"/>
    <body name="arm" pos="0.1 0 0.2">
      <joint name="hinge" axis="0.3 0.9 0.2" damping="{damping}" frictionloss="{frictionloss}"
        armature="{armature}" stiffness="{stiffness}" springref="{springref}"/>
      <inertial pos="{x} {y} {z}" mass="{mass}" diaginertia="{i1} {i2} {i3}"/>
      <body name="hand" pos="{hx} {hy} {hz}"><joint name="twist" axis="0.6 0 0.8"/>
        <inertial pos="0.02 0.03 0.05" mass="0.3" diaginertia="0.001 0.002 0.0015"/>
        <site name="imu"/></body>
    </body></body>
  <body name="puck" pos="2 0 0.0999"><freejoint name="puck_free"/>
    <geom name="puck" type="sphere" size="0.1" mass="0.5" condim="6" margin="{margin}"
      friction="{slide} {torsion} {roll}" solref="{time} {ratio}" solimp="{impedance}"/></body>
</worldbody><actuator>
  <position name="servo" joint="twist" kp="{kp}" kv="{kd}"/>
  <general name="dc" joint="hinge" gaintype="fixed" gainprm="{gain}" biastype="affine"
    biasprm="0 0 {backemf}"/>
  <motor name="motor" joint="slide" forcelimited="true" forcerange="-{force} {force}"/>
</actuator><sensor><gyro name="gyro" site="imu"/></sensor></mujoco>)";

Numbers Nominal() {
  return {{"g", 9.81},        {"damping", 0.3},   {"frictionloss", 0.2},
          {"armature", 0.05}, {"stiffness", 6},   {"springref", 0.4},
          {"x", 0.05},        {"y", 0.01},        {"z", 0.2},
          {"mass", 1.2},      {"i1", 0.02},       {"i2", 0.03},
          {"i3", 0.015},      {"slide", 0.9},     {"torsion", 0.02},
          {"roll", 0.003},    {"kp", 40},         {"kd", 2},
          {"gain", 0.5},      {"backemf", -0.05}, {"gx", 0},
          {"gy", 0},          {"hx", 0},          {"hy", 0.03},
          {"hz", 0.4},        {"margin", 0},      {"time", 0.02},
          {"ratio", 1},       {"impedance", 0.9}, {"force", 8}};
}

ModelPtr Compiled(const Numbers& numbers) {
  std::string xml = kTemplate;
  for (const auto& [name, value] : numbers) {
    const std::string blank = "{" + name + "}";
    for (std::size_t at = xml.find(blank); at != std::string::npos; at = xml.find(blank))
      xml.replace(at, blank.size(), fmt::format("{}", value));
  }
  auto model = LoadModelText(xml);
  if (!model.ok()) ADD_FAILURE() << model.error().message;
  return std::move(model).value();
}

// Accelerations in a state in which every number of the template matters.
std::vector<double> Accelerations(const mjModel& model) {
  DataPtr data = MakeData(model);
  mjtNum* q = data->qpos;
  q[0] = 0.3, q[1] = 0.7, q[2] = -0.5;
  data->qvel[0] = 0.4, data->qvel[1] = -1.1, data->qvel[2] = 0.8;
  data->qvel[3] = 0.7, data->qvel[7] = 3.0, data->qvel[8] = 2.0;  // the puck slides, rolls, spins
  data->ctrl[0] = 0.6, data->ctrl[1] = 1.4, data->ctrl[2] = 5.0;
  mj_forward(&model, data.get());
  return {data->qacc, data->qacc + model.nv};
}

struct WorldModel {
  explicit WorldModel(ModelPtr compiled) : model(std::move(compiled)) {}
  WorldValues values() { return store.On(RowsOf(*model)); }
  WorldScalar Find(const std::string& kind, mjtObj type, const char* name) {
    const auto scalar = FindScalar(*model, kind, mj_name2id(model.get(), type, name));
    if (!scalar.ok()) ADD_FAILURE() << kind << " " << scalar.error().message;
    return *scalar;
  }
  ModelPtr model;
  WorldStore store{*model};
};

struct Effect {
  std::string kind;
  mjtObj type;
  const char* target;
  double nominal;
  double value;     // stored
  Numbers changed;  // the same in the model's text
};

std::vector<Effect> Effects() {
  return {
      {"body_mass",
       mjOBJ_BODY,
       "arm",
       1.2,
       1.8,
       {{"mass", 1.8}, {"i1", 0.03}, {"i2", 0.045}, {"i3", 0.0225}}},
      {"body_inertia", mjOBJ_BODY, "arm", 0.03, 0.06, {{"i1", 0.04}, {"i2", 0.06}, {"i3", 0.03}}},
      {"body_com_x", mjOBJ_BODY, "arm", 0.05, -0.04, {{"x", -0.04}}},
      {"body_com_y", mjOBJ_BODY, "arm", 0.01, 0.06, {{"y", 0.06}}},
      {"body_com_z", mjOBJ_BODY, "arm", 0.2, 0.25, {{"z", 0.25}}},
      {"joint_damping", mjOBJ_JOINT, "hinge", 0.3, 0.9, {{"damping", 0.9}}},
      {"joint_frictionloss", mjOBJ_JOINT, "hinge", 0.2, 0.7, {{"frictionloss", 0.7}}},
      {"joint_armature", mjOBJ_JOINT, "hinge", 0.05, 0.2, {{"armature", 0.2}}},
      {"joint_stiffness", mjOBJ_JOINT, "hinge", 6.0, 9.0, {{"stiffness", 9.0}}},
      {"joint_springref", mjOBJ_JOINT, "hinge", 0.4, -0.3, {{"springref", -0.3}}},
      {"geom_friction", mjOBJ_GEOM, "puck", 0.9, 0.4, {{"slide", 0.4}}},
      {"geom_friction_torsion", mjOBJ_GEOM, "puck", 0.02, 0.05, {{"torsion", 0.05}}},
      {"geom_friction_roll", mjOBJ_GEOM, "puck", 0.003, 0.006, {{"roll", 0.006}}},
      {"gravity", mjOBJ_UNKNOWN, "world", 9.81, 3.72, {{"g", 3.72}}},
      {"ground_slope",
       mjOBJ_UNKNOWN,
       "world",
       0.0,
       0.1,
       {{"gx", 9.81 * std::sin(0.1)}, {"g", 9.81 * std::cos(0.1)}}},
      {"contact_time", mjOBJ_GEOM, "puck", 0.02, 0.05, {{"time", 0.05}}},
      {"contact_damping", mjOBJ_GEOM, "puck", 1.0, 0.4, {{"ratio", 0.4}}},
      {"contact_impedance", mjOBJ_GEOM, "puck", 0.9, 0.6, {{"impedance", 0.6}}},
      {"contact_margin", mjOBJ_GEOM, "puck", 0.0, 0.004, {{"margin", 0.004}}},
      {"body_offset_x", mjOBJ_BODY, "hand", 0.0, 0.02, {{"hx", 0.02}}},
      {"body_offset_y", mjOBJ_BODY, "hand", 0.03, 0.06, {{"hy", 0.06}}},
      {"body_offset_z", mjOBJ_BODY, "hand", 0.4, 0.5, {{"hz", 0.5}}},
      {"link_length",
       mjOBJ_BODY,
       "hand",
       std::hypot(0.03, 0.4),
       1.2 * std::hypot(0.03, 0.4),
       {{"hy", 0.036}, {"hz", 0.48}}},
      {"actuator_force_limit", mjOBJ_ACTUATOR, "motor", 8.0, 2.5, {{"force", 2.5}}},
      {"actuator_kp", mjOBJ_ACTUATOR, "servo", 40.0, 60.0, {{"kp", 60.0}}},
      {"actuator_kd", mjOBJ_ACTUATOR, "servo", 2.0, 1.0, {{"kd", 1.0}}},
      // Nominal k/R = 0.5 and k²/R = 0.05: k = 0.1 N·m/A, R = 0.2 Ω.
      {"motor_resistance", mjOBJ_ACTUATOR, "dc", 0.2, 0.4, {{"gain", 0.25}, {"backemf", -0.025}}},
      {"motor_constant", mjOBJ_ACTUATOR, "dc", 0.1, 0.2, {{"gain", 1.0}, {"backemf", -0.2}}},
  };
}

WorldScalar Resolve(WorldModel& world, const Effect& effect) {
  if (effect.type == mjOBJ_UNKNOWN) return *FindScalar(*world.model, effect.kind, 0);
  return world.Find(effect.kind, effect.type, effect.target);
}

TEST(WorldScalar, ReadsTheNominal) {
  WorldModel world(Compiled(Nominal()));
  for (const Effect& effect : Effects())
    EXPECT_NEAR(Read(Resolve(world, effect), world.values()), effect.nominal, 1e-12) << effect.kind;
}

// The stored number, with what follows it and mj_setConst, moves the model as if it had been
// compiled so.
TEST(WorldScalar, ActsAsTheCompiledModel) {
  const std::vector<double> nominal = Accelerations(*Compiled(Nominal()));
  for (const Effect& effect : Effects()) {
    Numbers numbers = Nominal();
    for (const auto& [name, value] : effect.changed) numbers[name] = value;
    ModelPtr wanted = Compiled(numbers);
    WorldModel world(Compiled(Nominal()));
    const WorldScalar scalar = Resolve(world, effect);
    Store(scalar, effect.value, world.values());
    EXPECT_NEAR(Read(scalar, world.values()), effect.value, 1e-12) << effect.kind;
    DataPtr data = MakeData(*world.model);
    mj_setConst(world.model.get(), data.get());
    const std::vector<double> found = Accelerations(*world.model);
    const std::vector<double> expected = Accelerations(*wanted);
    double effect_size = 0.0;
    for (int i = 0; i < world.model->nv; ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-7 * (1 + std::abs(expected[i])))
          << effect.kind << " dof " << i;
      effect_size = std::max(effect_size, std::abs(found[i] - nominal[i]));
      EXPECT_NEAR(world.model->dof_M0[i], wanted->dof_M0[i], 1e-12) << effect.kind;
      EXPECT_NEAR(world.model->dof_invweight0[i], wanted->dof_invweight0[i],
                  1e-9 * wanted->dof_invweight0[i])
          << effect.kind;
    }
    EXPECT_GT(effect_size, 1e-3) << effect.kind << " has no effect";
    for (int b = 0; b < world.model->nbody; ++b)
      EXPECT_NEAR(world.model->body_subtreemass[b], wanted->body_subtreemass[b], 1e-12);
  }
}

TEST(WorldScalar, EntriesAreExactlyWhatAStoreChanges) {
  for (const Effect& effect : Effects()) {
    WorldModel world(Compiled(Nominal()));
    ModelPtr before = CopyModel(*world.model);
    const WorldScalar scalar = Resolve(world, effect);
    Store(scalar, effect.value, world.values());
    FieldRows then = RowsOf(*before), now = RowsOf(*world.model);
    for (const auto& [field, index] : EntriesOf(scalar))
      now[static_cast<int>(field)][index] = then[static_cast<int>(field)][index];
    std::vector<char> a(mj_sizeModel(before.get())), b(a.size());
    mj_saveModel(before.get(), nullptr, a.data(), static_cast<int>(a.size()));
    mj_saveModel(world.model.get(), nullptr, b.data(), static_cast<int>(b.size()));
    EXPECT_EQ(a, b) << effect.kind;
  }
}

// torque = k (u − k ω) / R at two operating points gives both numbers back.
TEST(WorldScalar, MotorNumbersKeepEachOther) {
  EXPECT_TRUE(rc::check([](unsigned a, unsigned b) {
    const double resistance = 0.1 + 0.01 * (a % 1000), constant = 0.01 + 0.001 * (b % 500);
    WorldModel world(Compiled(Nominal()));
    const WorldScalar r = world.Find("motor_resistance", mjOBJ_ACTUATOR, "dc");
    const WorldScalar k = world.Find("motor_constant", mjOBJ_ACTUATOR, "dc");
    Store(r, resistance, world.values());
    RC_ASSERT(std::abs(Read(k, world.values()) - 0.1) < 1e-12);
    Store(k, constant, world.values());
    RC_ASSERT(std::abs(Read(r, world.values()) - resistance) < 1e-9 * resistance);
    DataPtr data = MakeData(*world.model);
    data->qvel[1] = 1.7;
    data->ctrl[1] = 2.5;
    mj_forward(world.model.get(), data.get());
    const double torque = constant * (2.5 - constant * 1.7) / resistance;
    RC_ASSERT(std::abs(data->actuator_force[1] - torque) < 1e-9 * (1 + std::abs(torque)));
  }));
}

TEST(WorldScalar, SettingsStandWhereTheirNamesSay) {
  WorldModel world(Compiled(Nominal()));
  EXPECT_EQ(ChannelNames(*world.model),
            (std::vector<std::string>{"slide.position", "slide.velocity", "hinge.position",
                                      "hinge.velocity", "twist.position", "twist.velocity",
                                      "gyro.x", "gyro.y", "gyro.z"}));
  const WorldValues values = world.values();
  Store(world.Find("actuator_delay", mjOBJ_ACTUATOR, "motor"), 0.007, values);
  Store(world.Find("actuator_strength", mjOBJ_ACTUATOR, "motor"), 0.8, values);
  Store(world.Find("actuator_offset", mjOBJ_ACTUATOR, "motor"), 0.1, values);
  Store(world.Find("actuator_deadband", mjOBJ_ACTUATOR, "motor"), 0.2, values);
  EXPECT_EQ(world.store.actuators[2].delay, 0.007);
  EXPECT_EQ(world.store.actuators[2].strength, 0.8);
  EXPECT_EQ(world.store.actuators[2].offset, 0.1);
  EXPECT_EQ(world.store.actuators[2].deadband, 0.2);
  Store(*FindScalar(*world.model, "sensor_noise", 5), 0.03, values);
  Store(*FindScalar(*world.model, "sensor_quantization", 5), 0.04, values);
  Store(*FindScalar(*world.model, "sensor_offset", 5), 0.05, values);
  EXPECT_EQ(world.store.channels[5].noise, 0.03);
  EXPECT_EQ(world.store.channels[5].quantization, 0.04);
  EXPECT_EQ(world.store.channels[5].offset, 0.05);
  Store(world.Find("joint_zero_offset", mjOBJ_JOINT, "hinge"), 0.06, values);
  EXPECT_EQ(world.store.channels[2].offset, 0.06);
  EXPECT_EQ(world.store.actuators[0].delay, 0.0);
  EXPECT_EQ(world.store.channels[0].offset, 0.0);
}

// Whatever the spec's reader accepts acts on something.
TEST(WorldScalar, EveryKindOfTheGapModelCanBeWritten) {
  WorldModel world(Compiled(Nominal()));
  const std::map<TargetKind, int> counts = {{TargetKind::kBody, world.model->nbody},
                                            {TargetKind::kJoint, world.model->njnt},
                                            {TargetKind::kGeom, world.model->ngeom},
                                            {TargetKind::kActuator, world.model->nu},
                                            {TargetKind::kChannel, 9},
                                            {TargetKind::kWorld, 1}};
  for (const GapKind& kind : GapKinds()) {
    int usable = 0;
    for (int id = 0; id < counts.at(kind.target); ++id)
      usable += FindScalar(*world.model, kind.name, id).ok() ? 1 : 0;
    EXPECT_GT(usable, 0) << kind.name;
  }
  EXPECT_FALSE(FindScalar(*world.model, "lens_distortion", 0).ok());
}

TEST(WorldScalar, RefusesWhatAKindCannotActOn) {
  WorldModel world(Compiled(Nominal()));
  const auto why = [&](const std::string& kind, mjtObj type, const char* name) {
    const auto scalar = FindScalar(*world.model, kind, mj_name2id(world.model.get(), type, name));
    return scalar.ok() ? std::string("accepted") : scalar.error().message;
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(why("body_mass", mjOBJ_BODY, "world"), "no mass"));
  EXPECT_TRUE(contains(why("body_inertia", mjOBJ_BODY, "world"), "no mass"));
  EXPECT_TRUE(contains(why("joint_damping", mjOBJ_JOINT, "puck_free"), "free joint"));
  EXPECT_TRUE(contains(why("joint_stiffness", mjOBJ_JOINT, "puck_free"), "free joint"));
  EXPECT_TRUE(contains(why("joint_zero_offset", mjOBJ_JOINT, "puck_free"), "free joint"));
  EXPECT_TRUE(contains(why("actuator_kp", mjOBJ_ACTUATOR, "motor"), "position servo"));
  EXPECT_TRUE(contains(why("actuator_kd", mjOBJ_ACTUATOR, "dc"), "position servo"));
  EXPECT_TRUE(contains(why("motor_constant", mjOBJ_ACTUATOR, "servo"), "DC motor"));
  EXPECT_TRUE(contains(why("motor_resistance", mjOBJ_ACTUATOR, "motor"), "DC motor"));
  EXPECT_TRUE(contains(why("actuator_strength", mjOBJ_ACTUATOR, "servo"), "actuator_kp"));
  world.model->opt.gravity[0] = 1.0;
  EXPECT_TRUE(contains(FindScalar(*world.model, "gravity", 0).error().message, "along -z"));
}

// The engine refuses to move the centre of mass of a simple body, so the plan must first.
TEST(WorldScalar, ASimpleBodyKeepsItsCentreOfMass) {
  WorldModel world(Compiled(Nominal()));
  const int puck = mj_name2id(world.model.get(), mjOBJ_BODY, "puck");
  ASSERT_NE(world.model->body_simple[puck], 0);
  const auto scalar = FindScalar(*world.model, "body_com_x", puck);
  ASSERT_FALSE(scalar.ok());
  EXPECT_NE(scalar.error().message.find("simple=\"false\""), std::string::npos);
}

}  // namespace
}  // namespace realward
