#include "worlds/world_scalar.h"

#include <algorithm>
#include <iterator>

namespace realward {
namespace {

// How a kind that writes one entry of a field finds it from its target.
enum class RowOf { kTarget, kDof, kQpos };
struct FieldKind {
  const char* kind;
  ModelField field;
  RowOf row;
  int stride;
  int component;
};
constexpr FieldKind kFieldKinds[] = {
    {"body_com_x", ModelField::kBodyIpos, RowOf::kTarget, 3, 0},
    {"body_com_y", ModelField::kBodyIpos, RowOf::kTarget, 3, 1},
    {"body_com_z", ModelField::kBodyIpos, RowOf::kTarget, 3, 2},
    {"joint_damping", ModelField::kDofDamping, RowOf::kDof, 1, 0},
    {"joint_frictionloss", ModelField::kDofFrictionloss, RowOf::kDof, 1, 0},
    {"joint_armature", ModelField::kDofArmature, RowOf::kDof, 1, 0},
    {"joint_stiffness", ModelField::kJntStiffness, RowOf::kTarget, 1, 0},
    {"joint_springref", ModelField::kQposSpring, RowOf::kQpos, 1, 0},
    {"geom_friction", ModelField::kGeomFriction, RowOf::kTarget, 3, 0},
    {"geom_friction_torsion", ModelField::kGeomFriction, RowOf::kTarget, 3, 1},
    {"geom_friction_roll", ModelField::kGeomFriction, RowOf::kTarget, 3, 2},
};

struct ActuatorKind {
  const char* kind;
  double ActuatorSettings::*member;
};
constexpr ActuatorKind kActuatorKinds[] = {
    {"actuator_delay", &ActuatorSettings::delay},
    {"actuator_strength", &ActuatorSettings::strength},
    {"actuator_offset", &ActuatorSettings::offset},
    {"actuator_deadband", &ActuatorSettings::deadband},
};

struct ChannelKind {
  const char* kind;
  double ChannelSettings::*member;
};
constexpr ChannelKind kChannelKinds[] = {
    {"sensor_offset", &ChannelSettings::offset},
    {"sensor_noise", &ChannelSettings::noise},
    {"sensor_quantization", &ChannelSettings::quantization},
};

template <class Table>
int RowNamed(const Table& table, const std::string& kind) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const auto& row) { return kind == row.kind; });
  return found == std::end(table) ? -1 : static_cast<int>(found - std::begin(table));
}

bool IsScalarJoint(const mjModel& model, int joint) {
  return model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE;
}

double LargestInertia(const mjtNum* inertia) { return *std::max_element(inertia, inertia + 3); }

// torque = k (u − k ω) / R, so gain = k / R and the velocity bias is −k² / R.
struct Motor {
  double constant = 0.0;
  double resistance = 0.0;
};
Motor MotorOf(const mjtNum* gain, const mjtNum* bias) {
  const double k = -bias[2] / gain[0];
  return {k, k / gain[0]};
}
void SetMotor(const Motor& motor, mjtNum* gain, mjtNum* bias) {
  gain[0] = motor.constant / motor.resistance;
  bias[2] = -motor.constant * motor.constant / motor.resistance;
}

mjtNum* RowAt(const WorldValues& values, ModelField field, int offset = 0) {
  return values.rows[static_cast<int>(field)] + offset;
}

Result<WorldScalar> FieldScalar(const mjModel& model, const FieldKind& kind, int id) {
  const bool of_joint = kind.row != RowOf::kTarget || kind.field == ModelField::kJntStiffness;
  if (of_joint && !IsScalarJoint(model, id)) {
    return InvalidInput("is a ball or free joint; hinge and slide joints are supported");
  }
  if (kind.field == ModelField::kBodyIpos) {
    if (model.body_mass[id] == 0.0) return InvalidInput("has no mass, so it has no effect");
    // The engine solves a simple body by a diagonal inertia matrix, which this would make wrong.
    if (model.body_simple[id] != 0) {
      return InvalidInput(
          "is compiled as a simple body, whose centre of mass cannot move; give it "
          "simple=\"false\" "
          "in the model");
    }
  }
  const int row = kind.row == RowOf::kDof    ? model.jnt_dofadr[id]
                  : kind.row == RowOf::kQpos ? model.jnt_qposadr[id]
                                             : id;
  return WorldScalar{Slot::kField, kind.field, row * kind.stride + kind.component, 0};
}

Result<WorldScalar> BodyScalar(const mjModel& model, bool mass, int id) {
  if (model.body_mass[id] == 0.0) return InvalidInput("has no mass, so it has no effect");
  if (!mass && LargestInertia(model.body_inertia + 3 * id) == 0.0) {
    return InvalidInput("has no rotational inertia, so it has no effect");
  }
  return WorldScalar{mass ? Slot::kMass : Slot::kInertia, ModelField::kBodyMass, id, 0};
}

Result<WorldScalar> GainScalar(const mjModel& model, Slot slot, int id) {
  const mjtNum* gain = model.actuator_gainprm + mjNGAIN * id;
  const mjtNum* bias = model.actuator_biasprm + mjNBIAS * id;
  const bool affine =
      model.actuator_gaintype[id] == mjGAIN_FIXED && model.actuator_biastype[id] == mjBIAS_AFFINE;
  if (slot == Slot::kServoKp || slot == Slot::kServoKd) {
    if (!affine || gain[0] == 0.0 || bias[1] != -gain[0])
      return InvalidInput("is no position servo (fixed gain kp with bias 0 −kp −kd)");
  } else if (!affine || !(gain[0] > 0.0) || bias[1] != 0.0 || !(bias[2] < 0.0)) {
    return InvalidInput("is no DC motor (fixed gain k/R with bias 0 0 −k²/R)");
  }
  return WorldScalar{slot, ModelField::kBodyMass, id, 0};
}

Result<WorldScalar> ActuatorScalar(const mjModel& model, int member, int id) {
  const bool feeds_back_position =
      model.actuator_biastype[id] != mjBIAS_NONE && model.actuator_biasprm[mjNBIAS * id + 1] != 0.0;
  // Scaling a servo's command moves its target instead of weakening it.
  if (kActuatorKinds[member].member == &ActuatorSettings::strength && feeds_back_position) {
    return InvalidInput(
        "is a position servo; to weaken it, scale actuator_kp and actuator_kd by the same factor");
  }
  return WorldScalar{Slot::kActuatorSetting, ModelField::kBodyMass, id, member};
}

}  // namespace

std::vector<std::string> ChannelNames(const mjModel& model) {
  std::vector<std::string> names;
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  for (int j = 0; j < model.njnt; ++j) {
    if (!IsScalarJoint(model, j)) continue;
    names.push_back(joints[j] + ".position");
    names.push_back(joints[j] + ".velocity");
  }
  return names;
}

Result<WorldScalar> FindScalar(const mjModel& model, const std::string& kind, int id) {
  if (const int row = RowNamed(kFieldKinds, kind); row >= 0)
    return FieldScalar(model, kFieldKinds[row], id);
  if (const int row = RowNamed(kActuatorKinds, kind); row >= 0)
    return ActuatorScalar(model, row, id);
  if (const int row = RowNamed(kChannelKinds, kind); row >= 0)
    return WorldScalar{Slot::kChannelSetting, ModelField::kBodyMass, id, row};
  if (kind == "body_mass" || kind == "body_inertia")
    return BodyScalar(model, kind == "body_mass", id);
  if (kind == "actuator_kp") return GainScalar(model, Slot::kServoKp, id);
  if (kind == "actuator_kd") return GainScalar(model, Slot::kServoKd, id);
  if (kind == "motor_resistance") return GainScalar(model, Slot::kResistance, id);
  if (kind == "motor_constant") return GainScalar(model, Slot::kMotorConstant, id);
  if (kind == "gravity") {
    if (model.opt.gravity[0] != 0.0 || model.opt.gravity[1] != 0.0)
      return InvalidInput("needs a model whose gravity points along z");
    return WorldScalar{Slot::kGravity, ModelField::kGravity, 2, 0};
  }
  if (kind == "joint_zero_offset") {
    if (!IsScalarJoint(model, id))
      return InvalidInput("is a ball or free joint; hinge and slide joints are supported");
    int channel = 0;  // two channels per scalar joint, position first
    for (int j = 0; j < id; ++j) channel += IsScalarJoint(model, j) ? 2 : 0;
    return WorldScalar{Slot::kChannelSetting, ModelField::kBodyMass, channel, 0};
  }
  return InvalidInput("cannot be written: kind '" + kind + "' has no effect on a model");
}

double Read(const WorldScalar& s, const WorldValues& values) {
  const auto gain = [&] { return RowAt(values, ModelField::kActuatorGain, mjNGAIN * s.index); };
  const auto bias = [&] { return RowAt(values, ModelField::kActuatorBias, mjNBIAS * s.index); };
  switch (s.slot) {
    case Slot::kField:
      return *RowAt(values, s.field, s.index);
    case Slot::kGravity:
      return 0.0 - *RowAt(values, ModelField::kGravity, 2);
    case Slot::kMass:
      return *RowAt(values, ModelField::kBodyMass, s.index);
    case Slot::kInertia:
      return LargestInertia(RowAt(values, ModelField::kBodyInertia, 3 * s.index));
    case Slot::kResistance:
      return MotorOf(gain(), bias()).resistance;
    case Slot::kMotorConstant:
      return MotorOf(gain(), bias()).constant;
    case Slot::kServoKp:
      return gain()[0];
    case Slot::kServoKd:
      return 0.0 - bias()[2];  // never −0
    case Slot::kActuatorSetting:
      return values.actuators[s.index].*kActuatorKinds[s.member].member;
    case Slot::kChannelSetting:
      return values.channels[s.index].*kChannelKinds[s.member].member;
  }
  return 0.0;
}

void Store(const WorldScalar& s, double value, const WorldValues& values) {
  const auto gain = [&] { return RowAt(values, ModelField::kActuatorGain, mjNGAIN * s.index); };
  const auto bias = [&] { return RowAt(values, ModelField::kActuatorBias, mjNBIAS * s.index); };
  const auto scale_inertia = [&](double factor) {
    mjtNum* inertia = RowAt(values, ModelField::kBodyInertia, 3 * s.index);
    for (int axis = 0; axis < 3; ++axis) inertia[axis] *= factor;
  };
  switch (s.slot) {
    case Slot::kField:
      *RowAt(values, s.field, s.index) = value;
      break;
    case Slot::kGravity:
      *RowAt(values, ModelField::kGravity, 2) = 0.0 - value;
      break;
    case Slot::kMass:
      scale_inertia(value / Read(s, values));
      *RowAt(values, ModelField::kBodyMass, s.index) = value;
      break;
    case Slot::kInertia:
      scale_inertia(value / Read(s, values));
      break;
    case Slot::kResistance:
      SetMotor({MotorOf(gain(), bias()).constant, value}, gain(), bias());
      break;
    case Slot::kMotorConstant:
      SetMotor({value, MotorOf(gain(), bias()).resistance}, gain(), bias());
      break;
    case Slot::kServoKp:
      gain()[0] = value;
      bias()[1] = 0.0 - value;
      break;
    case Slot::kServoKd:
      bias()[2] = 0.0 - value;
      break;
    case Slot::kActuatorSetting:
      values.actuators[s.index].*kActuatorKinds[s.member].member = value;
      break;
    case Slot::kChannelSetting:
      values.channels[s.index].*kChannelKinds[s.member].member = value;
      break;
  }
}

std::vector<std::pair<ModelField, int>> EntriesOf(const WorldScalar& s) {
  std::vector<std::pair<ModelField, int>> entries;
  switch (s.slot) {
    case Slot::kField:
    case Slot::kGravity:
      entries = {{s.field, s.index}};
      break;
    case Slot::kMass:
    case Slot::kInertia:
      if (s.slot == Slot::kMass) entries.push_back({ModelField::kBodyMass, s.index});
      for (int axis = 0; axis < 3; ++axis)
        entries.push_back({ModelField::kBodyInertia, 3 * s.index + axis});
      break;
    case Slot::kResistance:
    case Slot::kMotorConstant:
    case Slot::kServoKp:
    case Slot::kServoKd:
      entries = {{ModelField::kActuatorGain, mjNGAIN * s.index},
                 {ModelField::kActuatorBias, mjNBIAS * s.index + 1},
                 {ModelField::kActuatorBias, mjNBIAS * s.index + 2}};
      break;
    case Slot::kActuatorSetting:
    case Slot::kChannelSetting:
      break;
  }
  return entries;
}

}  // namespace realward
