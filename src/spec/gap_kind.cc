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
constexpr std::array<Named<Level>, 5> kLevelNames = {{
    {Level::kFleet, "fleet"},
    {Level::kUnit, "unit"},
    {Level::kEpisode, "episode"},
    {Level::kStep, "step"},
    {Level::kDrift, "drift"},
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
      {"ground_slope", kClass, kWorld, "angle", 0, 1.5, kEpisode,
       "Tilt of the ground, as the angle between gravity and the model's -z.", false, {}},
      {"ground_slope_direction", kClass, kWorld, "angle", -kInf, kInf, kEpisode,
       "Where a tilted ground goes down, about z from +x.", false, {}},
      {"contact_time", kClass, kGeom, "time", 0, kInf, kUnit,
       "Time constant of a contact (solref[0]): short is hard.", true, {}},
      {"contact_damping", kClass, kGeom, "ratio", 0, kInf, kUnit,
       "Damping ratio of a contact (solref[1]): below 1 it bounces.", true, {}},
      {"contact_impedance", kClass, kGeom, "ratio", 0.0001, 0.9999, kUnit,
       "Share of a penetration that a contact corrects at once (solimp[0]).", false, {}},
      {"contact_margin", kClass, kGeom, "length", 0, kInf, kUnit,
       "Distance at which a contact begins.", false, {}},
      {"operating_hours", kClass, kWorld, "time", 0, kInf, kUnit,
       "Time that a unit has run, which drift depends on.", false, {}},
      {"ambient_temperature", kClass, kWorld, "temperature", 200, 400, kEpisode,
       "Temperature of the surroundings.", false, {}},
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
      {"actuator_jitter", kClass, kTarget, "time", 0, kMaxDelay, kStep,
       "A command comes later than its delay by a uniform draw from 0 to this.", false, {}},
      {"actuator_dropout", kClass, kTarget, "ratio", 0, 1, kStep,
       "Probability that a command is lost; the one before goes on.", false, {}},
      {"actuator_noise", kClass, kTarget, "", 0, kInf, kStep,
       "Standard deviation of white noise on a command, new at each control step.",
       false, command},
      {"actuator_saturation", kClass, kTarget, "", 0, kInf, kUnit,
       "Largest magnitude of a command that the drive passes on.", false, command},
      {"actuator_rate_limit", kClass, kTarget, "", 0, kInf, kUnit,
       "Fastest change of what the drive puts out.", true,
       {"torque_rate", "force_rate", "voltage_rate", "angular_velocity", "velocity", "frequency"}},
      {"actuator_lag", kClass, kTarget, "time", 0, 10, kUnit,
       "Time constant of a first-order lag from the drive to the force.", false, {}},
      {"actuator_second_lag", kClass, kTarget, "time", 0, 10, kUnit,
       "Time constant of a second lag behind the first.", false, {}},
      {"actuator_force_limit", kClass, kTarget, "", 0, kInf, kUnit,
       "Largest force that the actuator gives, at rest and cold.", true, {"torque", "force"}},
      {"actuator_no_load_speed", kClass, kTarget, "", 0, kInf, kUnit,
       "Speed at which the force that is left has fallen to 0: the torque-speed line.",
       true, {"angular_velocity", "velocity"}},
      {"motor_heating", kClass, kTarget, "", 0, kInf, kUnit,
       "Final rise of the winding's temperature per force squared.",
       false, {"heating", "linear_heating"}},
      {"motor_thermal_time", kClass, kTarget, "time", 0, kInf, kUnit,
       "Time constant of the winding's temperature.", true, {}},
      {"motor_warm_start", kClass, kTarget, "temperature", 0, 300, kEpisode,
       "Temperature of the winding above the surroundings at the start.", false, {}},
      {"motor_derating_from", kClass, kTarget, "temperature", 0, kInf, kUnit,
       "Rise of temperature from which the drive lowers its force limit.", false, {}},
      {"motor_derating_span", kClass, kTarget, "temperature", 0, kInf, kUnit,
       "Further rise over which the force limit falls to 0.", true, {}},
      {"motor_temperature_effect", kClass, kTarget, "temperature_coefficient", -0.1, 0.1, kUnit,
       "Relative change of strength per rise of temperature.", false, {}},
      {"motor_copper_loss", kClass, kTarget, "", 0, kInf, kUnit,
       "Electrical power at rest per force squared.", false, {"copper_loss", "linear_copper_loss"}},
  };
}

std::vector<GapKind> SupplyAndFrictionKinds() {
  using enum Level;
  using enum TargetKind;
  constexpr GapClass kClass = GapClass::kActuation;
  const std::vector<std::string> force = {"torque", "force"};
  return {
      {"battery_nominal_voltage", kClass, kWorld, "voltage", 0, kInf, kFleet,
       "Voltage at which force limits and no-load speeds hold; 0 is no battery.", false, {}},
      {"battery_voltage", kClass, kWorld, "voltage", 0, kInf, kUnit,
       "Open-circuit voltage of the full battery.", false, {}},
      {"battery_resistance", kClass, kWorld, "resistance", 0, kInf, kUnit,
       "Internal resistance of the battery, with its wires.", false, {}},
      {"battery_charge", kClass, kWorld, "ratio", 0, 1, kEpisode,
       "State of charge.", false, {}},
      {"battery_droop", kClass, kWorld, "ratio", 0, 1, kUnit,
       "Share of the open-circuit voltage that is lost from full to empty.", false, {}},
      {"joint_stribeck_friction", kClass, kJoint, "", 0, kInf, kUnit,
       "Friction at rest above Coulomb friction, gone at speed.", false, force},
      {"joint_stribeck_speed", kClass, kJoint, "", 0, kInf, kUnit,
       "Speed at which Stribeck friction has fallen to 1/e.",
       true, {"angular_velocity", "velocity"}},
      {"joint_stribeck_exponent", kClass, kJoint, "ratio", 0, 20, kUnit,
       "How sharply Stribeck friction falls.", true, {}},
      {"joint_load_friction_motor", kClass, kJoint, "ratio", 0, 1, kUnit,
       "Friction per force of the motor.", false, {}},
      {"joint_load_friction_external", kClass, kJoint, "ratio", 0, 1, kUnit,
       "Friction per force of the load.", false, {}},
      {"joint_stribeck_load_motor", kClass, kJoint, "ratio", 0, 1, kUnit,
       "Friction per force of the motor, near rest.", false, {}},
      {"joint_stribeck_load_external", kClass, kJoint, "ratio", 0, 1, kUnit,
       "Friction per force of the load, near rest.", false, {}},
      {"joint_quadratic_friction_motor", kClass, kJoint, "", 0, kInf, kUnit,
       "Friction per squared force of the motor, near rest, when the load drives.",
       false, {"inverse_torque", "inverse_force"}},
      {"joint_quadratic_friction_external", kClass, kJoint, "", 0, kInf, kUnit,
       "Friction per squared force of the load, near rest, when the motor drives.",
       false, {"inverse_torque", "inverse_force"}},
      {"gear_efficiency", kClass, kJoint, "ratio", 0, 1, kUnit,
       "Share of the motor's force that the gear passes on; the rest is friction.", true, {}},
  };
}

std::vector<GapKind> SensorAndMechanicsKinds() {
  using enum Level;
  using enum TargetKind;
  constexpr GapClass kClass = GapClass::kSensors;
  const std::vector<std::string> channel = {"angle",        "angular_velocity", "length", "velocity",
                                            "acceleration", "force",            "torque"};
  return {
      {"sensor_noise", kClass, kChannel, "", 0, kInf, kStep,
       "Standard deviation of white noise on a channel, new at each control step.",
       false, channel},
      {"sensor_quantization", kClass, kChannel, "", 0, kInf, kUnit,
       "Smallest step between two readings of a channel; 0 is none.", false, channel},
      {"sensor_offset", kClass, kChannel, "", -kInf, kInf, kUnit,
       "Bias added to every reading of a channel.", false, channel},
      {"sensor_scale", kClass, kChannel, "ratio", 0, kInf, kUnit,
       "Factor between the truth and what a channel reads.", true, {}},
      {"sensor_cross_next", kClass, kChannel, "ratio", -1, 1, kUnit,
       "Share of a sensor's next axis (x to y to z to x) that an axis reads too: misalignment in "
       "radians, or cross-talk.", false, {}},
      {"sensor_cross_previous", kClass, kChannel, "ratio", -1, 1, kUnit,
       "The same of the axis before.", false, {}},
      {"sensor_backlash", kClass, kChannel, "", 0, kInf, kUnit,
       "Play between what moves and what is read: the reading follows when it is used up.",
       false, channel},
      {"sensor_noise_density", kClass, kChannel, "ratio", 0, kInf, kStep,
       "White noise by its density, N of the Allan deviation (the channel's unit times sqrt(s)).",
       false, {}},
      {"sensor_walk", kClass, kChannel, "ratio", 0, kInf, kStep,
       "Random walk of the bias, K of the Allan deviation (the channel's unit per sqrt(s)).",
       false, {}},
      {"sensor_instability", kClass, kChannel, "", 0, kInf, kStep,
       "Standard deviation of a bias that wanders and returns (first-order Gauss-Markov).",
       false, channel},
      {"sensor_instability_time", kClass, kChannel, "time", 0, kInf, kUnit,
       "Correlation time of the wandering bias.", true, {}},
      {"sensor_temperature_drift", kClass, kChannel, "ratio", -kInf, kInf, kUnit,
       "Bias per kelvin above 298.15 K (the channel's unit per K).", false, {}},
      {"sensor_saturation", kClass, kChannel, "", 0, kInf, kUnit,
       "Largest magnitude that a channel can read.", false, channel},
      {"sensor_latency", kClass, kChannel, "time", 0, kMaxDelay, kUnit,
       "Age of what a reading shows, continuous: not rounded to the step.", false, {}},
      {"sensor_jitter", kClass, kChannel, "time", 0, kMaxDelay, kStep,
       "A reading is older than its latency by a uniform draw from 0 to this.", false, {}},
      {"sensor_dropout", kClass, kChannel, "ratio", 0, 1, kStep,
       "Probability that a reading is missing; the one before stays.", false, {}},
      {"sensor_stuck_rate", kClass, kChannel, "frequency", 0, kInf, kUnit,
       "How often a channel gets stuck until the end of the episode, per second.", false, {}},
      {"joint_zero_offset", GapClass::kMechanics, kJoint, "", -kInf, kInf, kUnit,
       "Where the joint's encoder says zero, minus where zero is.", false, {"angle", "length"}},
      {"link_length", GapClass::kMechanics, kBody, "length", 0, kInf, kUnit,
       "Distance of a body's frame from its parent's; its direction stays.", true, {}},
      {"body_offset_x", GapClass::kMechanics, kBody, "length", -kInf, kInf, kUnit,
       "Where a body is mounted along x of its parent's frame.", false, {}},
      {"body_offset_y", GapClass::kMechanics, kBody, "length", -kInf, kInf, kUnit,
       "Where a body is mounted along y of its parent's frame.", false, {}},
      {"body_offset_z", GapClass::kMechanics, kBody, "length", -kInf, kInf, kUnit,
       "Where a body is mounted along z of its parent's frame.", false, {}},
  };
}
// clang-format on

std::vector<GapKind> MakeKinds() {
  std::vector<GapKind> kinds = PhysicsKinds();
  for (auto* make : {ActuationKinds, SupplyAndFrictionKinds, SensorAndMechanicsKinds}) {
    for (GapKind& kind : make()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

bool IsSensorAxis(const std::string& channel) {
  return channel.ends_with(".x") || channel.ends_with(".y") || channel.ends_with(".z");
}

// A channel's name says whether it is a position, a velocity or a sensor's axis.
std::vector<std::string> ChannelDimensions(const std::vector<std::string>& all,
                                           const std::vector<std::string>& targets) {
  const auto all_end_with = [&](std::string_view suffix) {
    return std::all_of(targets.begin(), targets.end(),
                       [&](const std::string& target) { return target.ends_with(suffix); });
  };
  if (targets.empty()) return all;
  if (all_end_with(".position")) return {"angle", "length"};
  if (all_end_with(".velocity")) return {"angular_velocity", "velocity"};
  if (std::all_of(targets.begin(), targets.end(), IsSensorAxis))
    return {"acceleration", "angular_velocity", "velocity", "force", "torque"};
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
