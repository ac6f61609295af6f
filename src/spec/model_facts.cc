#include "spec/model_facts.h"

#include <algorithm>

namespace realward {
namespace {

JointFacts JointOf(const mjModel& model, int id, const std::string& name) {
  JointFacts joint;
  joint.name = name;
  switch (model.jnt_type[id]) {
    case mjJNT_HINGE:
      joint.type = JointType::kHinge;
      break;
    case mjJNT_SLIDE:
      joint.type = JointType::kSlide;
      break;
    default:
      joint.type = JointType::kOther;
      return joint;
  }
  joint.limited = model.jnt_limited[id] != 0;
  if (joint.limited) {
    joint.low = model.jnt_range[2 * id];
    joint.high = model.jnt_range[2 * id + 1];
  }
  joint.rest = model.qpos0[model.jnt_qposadr[id]];
  return joint;
}

// A position servo's target is gear · position where it holds still.
void TakeJointRange(const mjModel& model, int id, ActuatorFacts& actuator) {
  const mjtNum* gain = model.actuator_gainprm + mjNGAIN * id;
  const mjtNum* bias = model.actuator_biasprm + mjNBIAS * id;
  const bool is_servo = model.actuator_gaintype[id] == mjGAIN_FIXED &&
                        model.actuator_biastype[id] == mjBIAS_AFFINE && gain[0] > 0.0 &&
                        bias[1] == -gain[0];
  const int joint = model.actuator_trnid[2 * id];
  if (!is_servo || model.actuator_trntype[id] != mjTRN_JOINT || model.jnt_limited[joint] == 0)
    return;
  const double gear = model.actuator_gear[6 * id];
  const double a = gear * model.jnt_range[2 * joint], b = gear * model.jnt_range[2 * joint + 1];
  actuator.has_joint_range = true;
  actuator.joint_low = std::min(a, b);
  actuator.joint_high = std::max(a, b);
}

template <class T>
const T* FindNamed(const std::vector<T>& rows, const std::string& name) {
  for (const T& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

template <class T>
std::vector<std::string> NamesOf(const std::vector<T>& rows) {
  std::vector<std::string> names;
  for (const T& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

ModelFacts FactsOf(const mjModel& model) {
  ModelFacts facts;
  facts.timestep = model.opt.timestep;
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  for (int id = 0; id < static_cast<int>(joints.size()); ++id) {
    facts.joints.push_back(JointOf(model, id, joints[static_cast<std::size_t>(id)]));
  }
  const std::vector<std::string> actuators = ObjectNames(model, mjOBJ_ACTUATOR);
  for (int id = 0; id < static_cast<int>(actuators.size()); ++id) {
    ActuatorFacts actuator;
    actuator.name = actuators[static_cast<std::size_t>(id)];
    actuator.limited = model.actuator_ctrllimited[id] != 0;
    actuator.low = model.actuator_ctrlrange[2 * id];
    actuator.high = model.actuator_ctrlrange[2 * id + 1];
    TakeJointRange(model, id, actuator);
    facts.actuators.push_back(actuator);
  }
  facts.keyframes = ObjectNames(model, mjOBJ_KEY);
  for (int id = 0; id < model.nsensor; ++id) {
    const std::string name = model.names + model.name_sensoradr[id];
    const int type = model.sensor_type[id];
    const bool is_vector = type == mjSENS_ACCELEROMETER || type == mjSENS_GYRO ||
                           type == mjSENS_VELOCIMETER || type == mjSENS_FORCE ||
                           type == mjSENS_TORQUE;
    if (is_vector && !name.empty()) facts.sensors.push_back(name);
  }
  return facts;
}

const JointFacts* FindJoint(const ModelFacts& facts, const std::string& name) {
  return FindNamed(facts.joints, name);
}
const ActuatorFacts* FindActuator(const ModelFacts& facts, const std::string& name) {
  return FindNamed(facts.actuators, name);
}
std::vector<std::string> JointNames(const ModelFacts& facts) { return NamesOf(facts.joints); }
std::vector<std::string> ActuatorNames(const ModelFacts& facts) { return NamesOf(facts.actuators); }

std::vector<std::string> PositionDimensions(JointType type) {
  if (type == JointType::kHinge) return {"angle"};
  if (type == JointType::kSlide) return {"length"};
  return {"angle", "length"};
}

std::vector<std::string> VelocityDimensions(JointType type) {
  if (type == JointType::kHinge) return {"angular_velocity"};
  if (type == JointType::kSlide) return {"velocity"};
  return {"angular_velocity", "velocity"};
}

}  // namespace realward
