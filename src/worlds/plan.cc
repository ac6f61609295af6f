#include "worlds/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "worlds/draw.h"

namespace realward {
namespace {

int At(ModelField field) { return static_cast<int>(field); }

// How a kind that writes one number per target maps to a model field: number of entries per target
// and which of them.
struct FieldMap {
  const char* kind;
  ModelField field;
  int stride;
  int component;
};
constexpr FieldMap kFieldMaps[] = {
    {"body_com_x", ModelField::kBodyIpos, 3, 0},
    {"body_com_y", ModelField::kBodyIpos, 3, 1},
    {"body_com_z", ModelField::kBodyIpos, 3, 2},
    {"joint_damping", ModelField::kDofDamping, 1, 0},
    {"joint_frictionloss", ModelField::kDofFrictionloss, 1, 0},
    {"joint_armature", ModelField::kDofArmature, 1, 0},
    {"joint_stiffness", ModelField::kJntStiffness, 1, 0},
    {"joint_springref", ModelField::kQposSpring, 1, 0},
    {"geom_friction", ModelField::kGeomFriction, 3, 0},
    {"geom_friction_torsion", ModelField::kGeomFriction, 3, 1},
    {"geom_friction_roll", ModelField::kGeomFriction, 3, 2},
};

bool IsScalarJoint(const mjModel& model, int joint) {
  return model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE;
}

bool FeedsSetConst(ModelField field) {
  switch (field) {
    case ModelField::kBodyMass:
    case ModelField::kBodyInertia:
    case ModelField::kBodyIpos:
    case ModelField::kDofArmature:
    case ModelField::kQposSpring:
      return true;
    default:
      return false;
  }
}

double Operate(Operation operation, double before, double value) {
  switch (operation) {
    case Operation::kSet:
      return value;
    case Operation::kScale:
      return before * value;
    case Operation::kAdd:
      return before + value;
  }
  return value;
}

std::vector<std::string> TargetNames(const mjModel& model, TargetKind target) {
  switch (target) {
    case TargetKind::kBody:
      return ObjectNames(model, mjOBJ_BODY);
    case TargetKind::kJoint:
      return ObjectNames(model, mjOBJ_JOINT);
    case TargetKind::kGeom:
      return ObjectNames(model, mjOBJ_GEOM);
    case TargetKind::kActuator:
      return ObjectNames(model, mjOBJ_ACTUATOR);
    case TargetKind::kChannel:
      return ChannelNames(model);
    case TargetKind::kWorld:
      return {"world"};
  }
  return {};
}

// "file:line: parameter 'x'"
std::string Where(const GapSpec& spec, const GapParameter& parameter) {
  const std::string file = spec.file.empty() ? "gap spec " + spec.name : spec.file;
  return parameter.line > 0
             ? fmt::format("{}:{}: parameter '{}'", file, parameter.line, parameter.name)
             : fmt::format("{}: parameter '{}'", file, parameter.name);
}

// The motor's resistance and torque constant behind an affine actuator: torque = k (u − k ω) / R,
// so gain = k / R and the velocity bias is −k² / R.
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

}  // namespace

const char* FieldName(ModelField field) {
  static constexpr const char* kNames[kModelFieldCount] = {
      "body_mass",        "body_inertia", "body_ipos",        "dof_damping",
      "dof_frictionloss", "dof_armature", "jnt_stiffness",    "qpos_spring",
      "geom_friction",    "opt.gravity",  "actuator_gainprm", "actuator_biasprm"};
  return kNames[At(field)];
}

FieldRows RowsOf(mjModel& m) {
  return {m.body_mass,        m.body_inertia, m.body_ipos,        m.dof_damping,
          m.dof_frictionloss, m.dof_armature, m.jnt_stiffness,    m.qpos_spring,
          m.geom_friction,    m.opt.gravity,  m.actuator_gainprm, m.actuator_biasprm};
}

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

Result<WorldPlan> WorldPlan::Make(const mjModel& model, const GapSpec& spec) {
  WorldPlan plan;
  plan.spec_ = spec;
  plan.parameter_count_ = spec.parameters.size();
  plan.actuator_count_ = model.nu;
  plan.channel_names_ = ChannelNames(model);
  plan.model_ = std::shared_ptr<const mjModel>(CopyModel(model).release(), ModelDeleter{});
  std::string errors;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const Status status = plan.AddTargets(model, spec.parameters[i], static_cast<int>(i));
    if (!status.ok()) errors += (errors.empty() ? "" : "\n") + status.error().message;
  }
  if (!errors.empty()) return InvalidInput(errors);
  RW_TRY(plan.CheckRanges(model));
  for (ModelField field : plan.touched_) plan.needs_set_const_ |= FeedsSetConst(field);
  return plan;
}

Status WorldPlan::AddTargets(const mjModel& model, const GapParameter& parameter, int index) {
  const GapKind* kind = FindGapKind(parameter.kind);
  RW_CHECK(kind != nullptr);  // the spec's reader refuses unknown kinds
  const std::vector<std::string> names = TargetNames(model, kind->target);
  std::vector<std::string> patterns = parameter.targets;
  if (kind->target == TargetKind::kWorld) patterns = {"world"};
  std::set<int> matched;  // a target that is named twice is written once
  for (const std::string& pattern : patterns) {
    const std::size_t before = matched.size();
    for (std::size_t id = 0; id < names.size(); ++id) {
      if (GlobMatch(pattern, names[id])) matched.insert(static_cast<int>(id));
    }
    const bool is_glob = pattern.find_first_of("*?") != std::string::npos;
    const bool known = std::find(names.begin(), names.end(), pattern) != names.end();
    if (matched.size() == before && !known) {
      const std::string what = NameOf(kind->target);
      if (is_glob) {
        return InvalidInput(fmt::format("{}: target '{}' matches no {}; there are: {}",
                                        Where(spec_, parameter), pattern, what,
                                        JoinChoices(names)));
      }
      return InvalidInput(
          fmt::format("{}: {}", Where(spec_, parameter), UnknownName(what, pattern, names)));
    }
  }
  if (matched.empty()) {
    return InvalidInput(
        fmt::format("{}: no target; valid: {}", Where(spec_, parameter), JoinChoices(names)));
  }
  for (int id : matched) {
    Write write;
    write.parameter = index;
    write.operation = parameter.operation;
    write.index = id;
    write.target = names[id];
    RW_TRY(AddWrite(model, parameter, write));
  }
  return {};
}

Status WorldPlan::AddWrite(const mjModel& model, const GapParameter& parameter, Write write) {
  const std::string& kind = parameter.kind;
  const auto refuse = [&](const std::string& why) {
    return InvalidInput(
        fmt::format("{}: target '{}' {}", Where(spec_, parameter), write.target, why));
  };
  const int id = write.index;
  const GapKind* gap_kind = FindGapKind(kind);
  int joint_dof = 0;
  int joint_qpos = 0;
  if (gap_kind->target == TargetKind::kJoint) {
    if (!IsScalarJoint(model, id))
      return refuse("is a ball or free joint; hinge and slide joints are supported");
    joint_dof = model.jnt_dofadr[id];
    joint_qpos = model.jnt_qposadr[id];
  }
  for (const FieldMap& map : kFieldMaps) {
    if (kind != map.kind) continue;
    write.field = map.field;
    int row = id;
    if (map.field == ModelField::kDofDamping || map.field == ModelField::kDofFrictionloss ||
        map.field == ModelField::kDofArmature) {
      row = joint_dof;
    } else if (map.field == ModelField::kQposSpring) {
      row = joint_qpos;
    }
    write.index = row * map.stride + map.component;
    Touch(model, write.field, write.index);
    writes_.push_back(write);
    return {};
  }
  if (kind == "body_mass" || kind == "body_inertia") {
    if (model.body_mass[id] == 0.0 && model.body_inertia[3 * id] == 0.0) {
      return refuse("has no mass, so the parameter has no effect");
    }
    write.slot = kind == "body_mass" ? Slot::kMass : Slot::kInertia;
    if (write.slot == Slot::kInertia && write.operation != Operation::kScale) {
      return refuse("can only be scaled: one number cannot set or add three principal inertias");
    }
    if (write.slot == Slot::kMass) Touch(model, ModelField::kBodyMass, id);
    for (int axis = 0; axis < 3; ++axis) Touch(model, ModelField::kBodyInertia, 3 * id + axis);
  } else if (kind == "gravity") {
    write.slot = Slot::kField;
    write.field = ModelField::kGravity;
    write.index = 2;
    if (model.opt.gravity[0] != 0.0 || model.opt.gravity[1] != 0.0) {
      return refuse("needs a model whose gravity points along z");
    }
    Touch(model, ModelField::kGravity, 2);
  } else if (kind == "actuator_kp" || kind == "actuator_kd" || kind == "motor_resistance" ||
             kind == "motor_constant") {
    const mjtNum* gain = model.actuator_gainprm + mjNGAIN * id;
    const mjtNum* bias = model.actuator_biasprm + mjNBIAS * id;
    const bool affine =
        model.actuator_gaintype[id] == mjGAIN_FIXED && model.actuator_biastype[id] == mjBIAS_AFFINE;
    const bool servo = affine && gain[0] != 0.0 && bias[1] == -gain[0];
    const bool motor = affine && gain[0] > 0.0 && bias[1] == 0.0 && bias[2] < 0.0;
    if (kind[0] == 'a' && !servo)
      return refuse("is no position servo (fixed gain kp with bias 0 −kp −kd)");
    if (kind[0] == 'm' && !motor)
      return refuse("is no DC motor (fixed gain k/R with bias 0 0 −k²/R)");
    write.slot = kind == "actuator_kp"        ? Slot::kServoKp
                 : kind == "actuator_kd"      ? Slot::kServoKd
                 : kind == "motor_resistance" ? Slot::kResistance
                                              : Slot::kMotorConstant;
    Touch(model, ModelField::kActuatorGain, mjNGAIN * id);
    Touch(model, ModelField::kActuatorBias, mjNBIAS * id + 1);
    Touch(model, ModelField::kActuatorBias, mjNBIAS * id + 2);
  } else if (kind == "actuator_delay" || kind == "actuator_strength" || kind == "actuator_offset" ||
             kind == "actuator_deadband") {
    write.slot = Slot::kActuatorSetting;
    write.member = kind == "actuator_delay"      ? 0
                   : kind == "actuator_strength" ? 1
                   : kind == "actuator_offset"   ? 2
                                                 : 3;
  } else if (kind == "sensor_offset" || kind == "sensor_noise" || kind == "sensor_quantization") {
    write.slot = Slot::kChannelSetting;
    write.member = kind == "sensor_offset" ? 0 : kind == "sensor_noise" ? 1 : 2;
  } else if (kind == "joint_zero_offset") {
    write.slot = Slot::kChannelSetting;
    const std::string channel = write.target + ".position";
    write.index = static_cast<int>(
        std::find(channel_names_.begin(), channel_names_.end(), channel) - channel_names_.begin());
  } else {
    return refuse("cannot be written: kind '" + kind + "' has no effect on a model");
  }
  writes_.push_back(write);
  return {};
}

void WorldPlan::Touch(const mjModel& model, ModelField field, int index) {
  if (std::find(touched_.begin(), touched_.end(), field) == touched_.end())
    touched_.push_back(field);
  for (const Entry& entry : entries_) {
    if (entry.field == field && entry.index == index) return;
  }
  const FieldRows rows = RowsOf(const_cast<mjModel&>(model));
  entries_.push_back({field, index, rows[At(field)][index]});
}

// Evaluates every parameter at both ends of its distribution, on the nominal that the parameters
// before it leave at their centre, and refuses values outside the kind's physical limits.
Status WorldPlan::CheckRanges(const mjModel& model) const {
  ModelPtr copy = CopyModel(model);
  const FieldRows rows = RowsOf(*copy);
  std::vector<ActuatorSettings> actuators(actuator_count_);
  std::vector<ChannelSettings> channels(channel_names_.size());
  RestoreNominal(rows, actuators, channels);
  std::string errors;
  for (const Write& write : writes_) {
    const GapParameter& parameter = spec_.parameters[write.parameter];
    const GapKind& kind = *FindGapKind(parameter.kind);
    const double nominal = Read(write, rows, actuators, channels);
    const auto complain = [&](const std::string& what) {
      errors += fmt::format("{}{}: target '{}' {}", errors.empty() ? "" : "\n",
                            Where(spec_, parameter), write.target, what);
    };
    if (write.operation == Operation::kScale && nominal == 0.0) {
      complain("has the nominal 0, and scaling it changes nothing; use the operation set or add");
    }
    if (write.slot != Slot::kInertia) {
      const double a = Operate(write.operation, nominal, Quantile(parameter.distribution, 1e-9));
      const double b =
          Operate(write.operation, nominal, Quantile(parameter.distribution, 1 - 1e-9));
      if (std::min(a, b) < kind.lowest || std::max(a, b) > kind.highest) {
        complain(fmt::format(
            "could become {:.6g} … {:.6g} (nominal {:.6g}); valid for {}: {:.6g} … {:.6g}",
            std::min(a, b), std::max(a, b), nominal, kind.name, kind.lowest, kind.highest));
      }
    }
    Store(write, Operate(write.operation, nominal, Centre(parameter.distribution)), rows, actuators,
          channels);
  }
  if (!errors.empty()) return InvalidInput(errors);
  return {};
}

void WorldPlan::RestoreNominal(const FieldRows& rows, std::span<ActuatorSettings> actuators,
                               std::span<ChannelSettings> channels) const {
  for (const Entry& entry : entries_) rows[At(entry.field)][entry.index] = entry.nominal;
  std::fill(actuators.begin(), actuators.end(), ActuatorSettings{});
  std::fill(channels.begin(), channels.end(), ChannelSettings{});
}

double WorldPlan::Read(const Write& write, const FieldRows& rows,
                       std::span<const ActuatorSettings> actuators,
                       std::span<const ChannelSettings> channels) const {
  const auto gain = [&] { return rows[At(ModelField::kActuatorGain)] + mjNGAIN * write.index; };
  const auto bias = [&] { return rows[At(ModelField::kActuatorBias)] + mjNBIAS * write.index; };
  switch (write.slot) {
    case Slot::kField:
      return write.field == ModelField::kGravity ? -rows[At(write.field)][write.index]
                                                 : rows[At(write.field)][write.index];
    case Slot::kMass:
      return rows[At(ModelField::kBodyMass)][write.index];
    case Slot::kInertia:
      return 1.0;
    case Slot::kResistance:
      return MotorOf(gain(), bias()).resistance;
    case Slot::kMotorConstant:
      return MotorOf(gain(), bias()).constant;
    case Slot::kServoKp:
      return gain()[0];
    case Slot::kServoKd:
      return -bias()[2];
    case Slot::kActuatorSetting: {
      const ActuatorSettings& s = actuators[write.index];
      return write.member == 0   ? s.delay
             : write.member == 1 ? s.strength
             : write.member == 2 ? s.offset
                                 : s.deadband;
    }
    case Slot::kChannelSetting: {
      const ChannelSettings& s = channels[write.index];
      return write.member == 0 ? s.offset : write.member == 1 ? s.noise : s.quantization;
    }
  }
  return 0.0;
}

void WorldPlan::Store(const Write& write, double value, const FieldRows& rows,
                      std::span<ActuatorSettings> actuators,
                      std::span<ChannelSettings> channels) const {
  const auto gain = [&] { return rows[At(ModelField::kActuatorGain)] + mjNGAIN * write.index; };
  const auto bias = [&] { return rows[At(ModelField::kActuatorBias)] + mjNBIAS * write.index; };
  mjtNum* inertia = rows[At(ModelField::kBodyInertia)];
  switch (write.slot) {
    case Slot::kField:
      rows[At(write.field)][write.index] = write.field == ModelField::kGravity ? -value : value;
      break;
    case Slot::kMass: {
      // Density is what varies: inertia follows mass.
      mjtNum& mass = rows[At(ModelField::kBodyMass)][write.index];
      for (int axis = 0; axis < 3; ++axis) inertia[3 * write.index + axis] *= value / mass;
      mass = value;
      break;
    }
    case Slot::kInertia:
      for (int axis = 0; axis < 3; ++axis) inertia[3 * write.index + axis] *= value;
      break;
    case Slot::kResistance:
      SetMotor({MotorOf(gain(), bias()).constant, value}, gain(), bias());
      break;
    case Slot::kMotorConstant:
      SetMotor({value, MotorOf(gain(), bias()).resistance}, gain(), bias());
      break;
    case Slot::kServoKp:
      gain()[0] = value;
      bias()[1] = -value;
      break;
    case Slot::kServoKd:
      bias()[2] = -value;
      break;
    case Slot::kActuatorSetting: {
      ActuatorSettings& s = actuators[write.index];
      (write.member == 0   ? s.delay
       : write.member == 1 ? s.strength
       : write.member == 2 ? s.offset
                           : s.deadband) = value;
      break;
    }
    case Slot::kChannelSetting: {
      ChannelSettings& s = channels[write.index];
      (write.member == 0 ? s.offset : write.member == 1 ? s.noise : s.quantization) = value;
      break;
    }
  }
}

void WorldPlan::Apply(std::span<const double> values, const FieldRows& rows,
                      std::span<ActuatorSettings> actuators,
                      std::span<ChannelSettings> channels) const {
  RestoreNominal(rows, actuators, channels);
  for (const Write& write : writes_) {
    const double before = Read(write, rows, actuators, channels);
    Store(write, Operate(write.operation, before, values[write.parameter]), rows, actuators,
          channels);
  }
}

std::vector<AppliedValue> WorldPlan::Explain(std::span<const double> values) const {
  ModelPtr copy = CopyModel(*model_);
  const FieldRows rows = RowsOf(*copy);
  std::vector<ActuatorSettings> actuators(actuator_count_);
  std::vector<ChannelSettings> channels(channel_names_.size());
  RestoreNominal(rows, actuators, channels);
  std::vector<AppliedValue> applied;
  for (const Write& write : writes_) {
    const double before = Read(write, rows, actuators, channels);
    Store(write, Operate(write.operation, before, values[write.parameter]), rows, actuators,
          channels);
    // The inertia scale reads as 1 whatever it was; what it became is the factor.
    const double after = write.slot == Slot::kInertia ? values[write.parameter]
                                                      : Read(write, rows, actuators, channels);
    applied.push_back({spec_.parameters[write.parameter].name, write.target, before,
                       values[write.parameter], after});
  }
  return applied;
}

}  // namespace realward
