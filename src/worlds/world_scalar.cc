#include "worlds/world_scalar.h"

#include <algorithm>
#include <cmath>
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
    {"contact_time", ModelField::kGeomSolref, RowOf::kTarget, mjNREF, 0},
    {"contact_damping", ModelField::kGeomSolref, RowOf::kTarget, mjNREF, 1},
    {"contact_impedance", ModelField::kGeomSolimp, RowOf::kTarget, mjNIMP, 0},
    {"contact_margin", ModelField::kGeomMargin, RowOf::kTarget, 1, 0},
    {"body_offset_x", ModelField::kBodyPos, RowOf::kTarget, 3, 0},
    {"body_offset_y", ModelField::kBodyPos, RowOf::kTarget, 3, 1},
    {"body_offset_z", ModelField::kBodyPos, RowOf::kTarget, 3, 2},
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
  if (kind.field == ModelField::kBodyPos && id == 0)
    return InvalidInput("is the world, which is mounted nowhere");
  if (kind.field == ModelField::kGeomSolref && model.geom_solref[mjNREF * id] <= 0.0) {
    return InvalidInput(
        "has its contact given as stiffness and damping (negative solref); give a time constant "
        "and a damping ratio");
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

using ActuatorDouble = double ActuatorSettings::*;

// The forces that an actuator can give are the engine's force range.
bool WritesForcerange(ActuatorDouble member) {
  return member == &ActuatorSettings::force_limit || member == &ActuatorSettings::no_load_speed ||
         member == &ActuatorSettings::derating_from;
}

Result<WorldScalar> ActuatorScalar(const mjModel& model, int row, int id) {
  const ActuatorDouble member = ActuatorSettingKinds()[row].member;
  const bool feeds_back_position =
      model.actuator_biastype[id] != mjBIAS_NONE && model.actuator_biasprm[mjNBIAS * id + 1] != 0.0;
  // Scaling a servo's command moves its target instead of weakening it.
  if ((member == &ActuatorSettings::strength || member == &ActuatorSettings::temperature_effect) &&
      feeds_back_position) {
    return InvalidInput(
        "is a position servo; to weaken it, scale actuator_kp and actuator_kd by the same factor");
  }
  const int joint = model.actuator_trnid[2 * id];
  const bool on_joint = (model.actuator_trntype[id] == mjTRN_JOINT ||
                         model.actuator_trntype[id] == mjTRN_JOINTINPARENT) &&
                        IsScalarJoint(model, joint);
  if (member == &ActuatorSettings::no_load_speed && !on_joint)
    return InvalidInput("does not act on a hinge or slide joint, so it has no speed");
  const mjtNum* range = model.actuator_forcerange + 2 * id;
  if (WritesForcerange(member) && model.actuator_forcelimited[id] != 0 && range[0] != -range[1]) {
    return InvalidInput("has a force range that is not symmetric about 0");
  }
  return WorldScalar{Slot::kActuatorSetting, ModelField::kBodyMass, id, row};
}

Result<WorldScalar> JointScalar(const mjModel& model, int row, int id) {
  if (!IsScalarJoint(model, id))
    return InvalidInput("is a ball or free joint; hinge and slide joints are supported");
  return WorldScalar{Slot::kJointSetting, ModelField::kBodyMass, id, row, model.jnt_dofadr[id]};
}

Result<WorldScalar> ChannelScalar(const mjModel& model, int row, int id) {
  const auto member = ChannelSettingKinds()[row].member;
  const bool crosses =
      member == &ChannelSettings::cross_next || member == &ChannelSettings::cross_previous;
  if (crosses && Channels(model)[id].next < 0)
    return InvalidInput("is a joint's channel and has no other axes; sensors have x, y and z");
  return WorldScalar{Slot::kChannelSetting, ModelField::kBodyMass, id, row};
}

bool WritesGravity(double WorldSettings::*member) {
  return member == &WorldSettings::gravity || member == &WorldSettings::slope ||
         member == &WorldSettings::slope_direction;
}

Result<WorldScalar> WorldSettingScalar(const mjModel& model, int row) {
  const bool along_z =
      model.opt.gravity[0] == 0.0 && model.opt.gravity[1] == 0.0 && model.opt.gravity[2] <= 0.0;
  if (WritesGravity(WorldSettingKinds()[row].member) && !along_z)
    return InvalidInput("needs a model whose gravity points along -z");
  return WorldScalar{Slot::kWorldSetting, ModelField::kGravity, 0, row};
}

// Gravity from its magnitude and the slope of the ground.
void StoreGravity(const WorldSettings& world, mjtNum* gravity) {
  const double across = world.gravity * std::sin(world.slope);
  gravity[0] = 0.0 + across * std::cos(world.slope_direction);
  gravity[1] = 0.0 + across * std::sin(world.slope_direction);
  gravity[2] = 0.0 - world.gravity * std::cos(world.slope);
}

}  // namespace

Result<WorldScalar> FindScalar(const mjModel& model, const std::string& kind, int id) {
  if (const int row = RowNamed(kFieldKinds, kind); row >= 0)
    return FieldScalar(model, kFieldKinds[row], id);
  if (const int row = RowNamed(ActuatorSettingKinds(), kind); row >= 0)
    return ActuatorScalar(model, row, id);
  if (const int row = RowNamed(JointSettingKinds(), kind); row >= 0)
    return JointScalar(model, row, id);
  if (const int row = RowNamed(ChannelSettingKinds(), kind); row >= 0)
    return ChannelScalar(model, row, id);
  if (const int row = RowNamed(WorldSettingKinds(), kind); row >= 0)
    return WorldSettingScalar(model, row);
  if (kind == "link_length") {
    if (mju_norm3(model.body_pos + 3 * id) == 0.0)
      return InvalidInput("lies where its parent lies, so it has no length to change");
    return WorldScalar{Slot::kLinkLength, ModelField::kBodyPos, id, 0};
  }
  if (kind == "body_mass" || kind == "body_inertia")
    return BodyScalar(model, kind == "body_mass", id);
  if (kind == "actuator_kp") return GainScalar(model, Slot::kServoKp, id);
  if (kind == "actuator_kd") return GainScalar(model, Slot::kServoKd, id);
  if (kind == "motor_resistance") return GainScalar(model, Slot::kResistance, id);
  if (kind == "motor_constant") return GainScalar(model, Slot::kMotorConstant, id);
  if (kind == "joint_zero_offset") {
    if (!IsScalarJoint(model, id))
      return InvalidInput("is a ball or free joint; hinge and slide joints are supported");
    int channel = 0;  // two channels per scalar joint, position first
    for (int j = 0; j < id; ++j) channel += IsScalarJoint(model, j) ? 2 : 0;
    return WorldScalar{Slot::kChannelSetting, ModelField::kBodyMass, channel, 0};
  }
  return InvalidInput("cannot be written: kind '" + kind + "' has no effect on a model");
}

WorldStore::WorldStore(const mjModel& model)
    : joints(model.njnt), channels(ChannelNames(model).size()), world(NominalWorld(model)) {
  for (int u = 0; u < model.nu; ++u) actuators.push_back(NominalActuator(model, u));
}

double Read(const WorldScalar& s, const WorldValues& values) {
  const auto gain = [&] { return RowAt(values, ModelField::kActuatorGain, mjNGAIN * s.index); };
  const auto bias = [&] { return RowAt(values, ModelField::kActuatorBias, mjNBIAS * s.index); };
  switch (s.slot) {
    case Slot::kField:
      return *RowAt(values, s.field, s.index);
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
    case Slot::kLinkLength:
      return mju_norm3(RowAt(values, ModelField::kBodyPos, 3 * s.index));
    case Slot::kActuatorSetting:
      return values.actuators[s.index].*ActuatorSettingKinds()[s.member].member;
    case Slot::kJointSetting:
      return values.joints[s.index].*JointSettingKinds()[s.member].member;
    case Slot::kChannelSetting:
      return values.channels[s.index].*ChannelSettingKinds()[s.member].member;
    case Slot::kWorldSetting:
      return values.world->*WorldSettingKinds()[s.member].member;
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
    case Slot::kLinkLength: {
      mjtNum* position = RowAt(values, ModelField::kBodyPos, 3 * s.index);
      const double factor = value / mju_norm3(position);
      for (int axis = 0; axis < 3; ++axis) position[axis] *= factor;
      break;
    }
    case Slot::kActuatorSetting: {
      const ActuatorDouble member = ActuatorSettingKinds()[s.member].member;
      values.actuators[s.index].*member = value;
      if (member == &ActuatorSettings::force_limit && value < kUnlimitedForce) {
        mjtNum* range = RowAt(values, ModelField::kActuatorForcerange, 2 * s.index);
        range[0] = -value;
        range[1] = value;
      }
      break;
    }
    case Slot::kJointSetting:
      values.joints[s.index].*JointSettingKinds()[s.member].member = value;
      break;
    case Slot::kChannelSetting:
      values.channels[s.index].*ChannelSettingKinds()[s.member].member = value;
      break;
    case Slot::kWorldSetting: {
      const auto member = WorldSettingKinds()[s.member].member;
      values.world->*member = value;
      if (WritesGravity(member)) StoreGravity(*values.world, RowAt(values, ModelField::kGravity));
      break;
    }
  }
}

std::vector<std::pair<ModelField, int>> EntriesOf(const WorldScalar& s) {
  std::vector<std::pair<ModelField, int>> entries;
  switch (s.slot) {
    case Slot::kField:
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
    case Slot::kLinkLength:
      for (int axis = 0; axis < 3; ++axis)
        entries.push_back({ModelField::kBodyPos, 3 * s.index + axis});
      break;
    case Slot::kActuatorSetting:
      if (WritesForcerange(ActuatorSettingKinds()[s.member].member))
        entries = {{ModelField::kActuatorForcerange, 2 * s.index},
                   {ModelField::kActuatorForcerange, 2 * s.index + 1}};
      break;
    case Slot::kJointSetting:
      entries = {{ModelField::kDofFrictionloss, s.dof}};
      break;
    case Slot::kWorldSetting:
      if (WritesGravity(WorldSettingKinds()[s.member].member)) {
        for (int axis = 0; axis < 3; ++axis) entries.push_back({ModelField::kGravity, axis});
      }
      break;
    case Slot::kChannelSetting:
      break;
  }
  return entries;
}

}  // namespace realward
