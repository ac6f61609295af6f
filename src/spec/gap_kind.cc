#include "spec/gap_kind.h"

#include <algorithm>
#include <array>
#include <limits>

namespace realward {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMaxDelay = 0.2;  // s; longer and the loop is not closed at all

constexpr std::array<Named<GapClass>, 5> kClassNames = {{
    {GapClass::kPhysics, "physics"},
    {GapClass::kVision, "vision"},
    {GapClass::kSensors, "sensors"},
    {GapClass::kActuation, "actuation"},
    {GapClass::kMechanics, "mechanics"},
}};
constexpr std::array<Named<Level>, 4> kLevelNames = {{
    {Level::kFleet, "fleet"},
    {Level::kUnit, "unit"},
    {Level::kEpisode, "episode"},
    {Level::kStep, "step"},
}};
constexpr std::array<Named<Operation>, 3> kOperationNames = {{
    {Operation::kSet, "set"},
    {Operation::kScale, "scale"},
    {Operation::kAdd, "add"},
}};
constexpr std::array<Named<TargetKind>, 6> kTargetNames = {{
    {TargetKind::kBody, "body"},
    {TargetKind::kJoint, "joint"},
    {TargetKind::kGeom, "geom"},
    {TargetKind::kActuator, "actuator"},
    {TargetKind::kChannel, "channel"},
    {TargetKind::kWorld, "world"},
}};

// One entry per row of the gap model.
// clang-format off
std::vector<GapKind> PhysicsKinds() {
  using enum Level;
  using enum TargetKind;
  constexpr GapClass kClass = GapClass::kPhysics;
  return {
      {"body_mass", kClass, kBody, "mass", 0, kInf, kUnit,
       "Mass of a body; its rotational inertia about the centre of mass scales with it.", true, {}},
      {"body_inertia", kClass, kBody, "inertia", 0, kInf, kUnit,
       "Largest principal rotational inertia about the centre of mass; the others keep their "
       "ratio.", true, {}},
      {"body_com_x", kClass, kBody, "length", -kInf, kInf, kUnit,
       "Centre of mass along x, in the body's frame.", false, {}},
      {"body_com_y", kClass, kBody, "length", -kInf, kInf, kUnit,
       "Centre of mass along y, in the body's frame.", false, {}},
      {"body_com_z", kClass, kBody, "length", -kInf, kInf, kUnit,
       "Centre of mass along z, in the body's frame.", false, {}},
      {"joint_damping", kClass, kJoint, "", 0, kInf, kUnit,
       "Viscous friction of a joint: force against the motion, proportional to velocity.",
       false, {"rotational_damping", "linear_damping"}},
      {"joint_frictionloss", kClass, kJoint, "", 0, kInf, kUnit,
       "Coulomb friction of a joint: constant force against the motion.",
       false, {"torque", "force"}},
      {"joint_stiffness", kClass, kJoint, "", 0, kInf, kUnit,
       "Spring of a joint towards its rest position.",
       false, {"rotational_stiffness", "linear_stiffness"}},
      {"joint_armature", kClass, kJoint, "", 0, kInf, kUnit,
       "Inertia of the rotor seen at the joint (times the gear ratio squared).",
       false, {"inertia", "mass"}},
      {"joint_springref", kClass, kJoint, "", -kInf, kInf, kUnit,
       "Position at which the joint's spring exerts no force.", false, {"angle", "length"}},
      {"geom_friction", kClass, kGeom, "ratio", 0, kInf, kUnit,
       "Sliding friction coefficient of a geom; a contact takes the larger of its two geoms' "
       "unless their priorities differ.", false, {}},
      {"geom_friction_torsion", kClass, kGeom, "length", 0, kInf, kUnit,
       "Torsional friction of a geom, about the contact normal.", false, {}},
      {"geom_friction_roll", kClass, kGeom, "length", 0, kInf, kUnit,
       "Rolling friction of a geom.", false, {}},
      {"gravity", kClass, kWorld, "acceleration", 0, kInf, kFleet,
       "Magnitude of gravity; its direction stays the model's.", false, {}},
  };
}

std::vector<GapKind> ActuationKinds() {
  using enum Level;
  constexpr GapClass kClass = GapClass::kActuation;
  constexpr TargetKind kTarget = TargetKind::kActuator;
  // The unit of a command: a motor's torque or force, its voltage, a servo's target.
  const std::vector<std::string> command = {
      "torque", "force", "voltage", "angle", "length", "angular_velocity", "velocity", "ratio"};
  return {
      {"actuator_delay", kClass, kTarget, "time", 0, kMaxDelay, kUnit,
       "Time from a command to its effect, continuous: not rounded to the step.", false, {}},
      {"actuator_strength", kClass, kTarget, "ratio", 0, kInf, kUnit,
       "Produced force as a part of what the model says; 0.85 is 15 % weaker.", false, {}},
      {"actuator_offset", kClass, kTarget, "", -kInf, kInf, kUnit,
       "Constant added to the command.", false, command},
      {"actuator_deadband", kClass, kTarget, "", 0, kInf, kUnit,
       "Commands of at most this magnitude have no effect.", false, command},
      {"actuator_kp", kClass, kTarget, "", 0, kInf, kUnit,
       "Position gain of a servo; its bias term follows.",
       false, {"rotational_stiffness", "linear_stiffness"}},
      {"actuator_kd", kClass, kTarget, "", 0, kInf, kUnit,
       "Velocity gain of a servo: damping, positive.",
       false, {"rotational_damping", "linear_damping"}},
      {"motor_resistance", kClass, kTarget, "resistance", 0, kInf, kUnit,
       "Electrical resistance of a DC motor's winding.", true, {}},
      {"motor_constant", kClass, kTarget, "motor_constant", 0, kInf, kUnit,
       "Torque per current and back-EMF per speed of a DC motor.", true, {}},
  };
}

std::vector<GapKind> SensorAndMechanicsKinds() {
  using enum Level;
  using enum TargetKind;
  constexpr GapClass kClass = GapClass::kSensors;
  const std::vector<std::string> channel = {"angle", "angular_velocity", "length", "velocity"};
  return {
      {"sensor_noise", kClass, kChannel, "", 0, kInf, kStep,
       "Standard deviation of white noise on a channel, new at each control step.",
       false, channel},
      {"sensor_quantization", kClass, kChannel, "", 0, kInf, kUnit,
       "Smallest step between two readings of a channel; 0 is none.", false, channel},
      {"sensor_offset", kClass, kChannel, "", -kInf, kInf, kUnit,
       "Bias added to every reading of a channel.", false, channel},
      {"joint_zero_offset", GapClass::kMechanics, kJoint, "", -kInf, kInf, kUnit,
       "Where the joint's encoder says zero, minus where zero is.", false, {"angle", "length"}},
  };
}
// clang-format on

std::vector<GapKind> MakeKinds() {
  std::vector<GapKind> kinds = PhysicsKinds();
  for (auto* make : {ActuationKinds, SensorAndMechanicsKinds}) {
    for (GapKind& kind : make()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

// A channel's name says whether it is a position or a velocity.
std::vector<std::string> ChannelDimensions(const std::vector<std::string>& all,
                                           const std::vector<std::string>& targets) {
  const auto all_end_with = [&](std::string_view suffix) {
    return std::all_of(targets.begin(), targets.end(),
                       [&](const std::string& target) { return target.ends_with(suffix); });
  };
  if (targets.empty()) return all;
  if (all_end_with(".position")) return {"angle", "length"};
  if (all_end_with(".velocity")) return {"angular_velocity", "velocity"};
  return all;
}

}  // namespace

const std::vector<GapKind>& GapKinds() {
  static const std::vector<GapKind> kinds = MakeKinds();
  return kinds;
}

const GapKind* FindGapKind(const std::string& name) {
  for (const GapKind& kind : GapKinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<std::string> GapKindNames() {
  std::vector<std::string> names;
  for (const GapKind& kind : GapKinds()) names.push_back(kind.name);
  return names;
}

NumberRule RuleFor(const GapKind& kind, Operation operation,
                   const std::vector<std::string>& targets) {
  if (operation == Operation::kScale) return kind.lowest_open ? Positive() : NonNegative();
  NumberRule rule;
  rule.dimensions = kind.dimension.empty() ? kind.alternatives : std::vector{kind.dimension};
  if (kind.target == TargetKind::kChannel)
    rule.dimensions = ChannelDimensions(rule.dimensions, targets);
  if (operation == Operation::kSet) {
    rule.low = kind.lowest;
    rule.high = kind.highest;
    rule.low_open = kind.lowest_open;
  }
  return rule;
}

std::span<const Named<Level>> LevelNames() { return kLevelNames; }
std::span<const Named<Operation>> OperationNames() { return kOperationNames; }

const char* NameOf(GapClass gap_class) {
  return NameIn(std::span<const Named<GapClass>>(kClassNames), gap_class);
}
const char* NameOf(Level level) { return NameIn(LevelNames(), level); }
const char* NameOf(Operation operation) { return NameIn(OperationNames(), operation); }
const char* NameOf(TargetKind target) {
  return NameIn(std::span<const Named<TargetKind>>(kTargetNames), target);
}

}  // namespace realward
