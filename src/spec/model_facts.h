// What spec files say about a model is checked against these facts of the compiled one.
#ifndef REALWARD_SPEC_MODEL_FACTS_H_
#define REALWARD_SPEC_MODEL_FACTS_H_

#include <string>
#include <vector>

#include "base/mujoco.h"

namespace realward {

enum class JointType { kUnknown, kHinge, kSlide, kOther };

struct JointFacts {
  std::string name;
  JointType type = JointType::kUnknown;  // kOther: ball or free
  bool limited = false;
  double low = 0.0;  // rad or m, when limited
  double high = 0.0;
  double rest = 0.0;  // position in the model's reference pose, rad or m
};

struct ActuatorFacts {
  std::string name;
  bool limited = false;  // has a ctrlrange
  double low = 0.0;
  double high = 0.0;
  // Of a position servo whose joint is limited: the joint's range as targets.
  bool has_joint_range = false;
  double joint_low = 0.0;
  double joint_high = 0.0;
};

struct ModelFacts {
  double timestep = 0.0;  // s
  std::vector<JointFacts> joints;
  std::vector<ActuatorFacts> actuators;
  // Named ones that measure a vector of a moving frame: accelerometer, gyro, velocimeter, force,
  // torque.
  std::vector<std::string> sensors;
  std::vector<std::string> keyframes;
};

ModelFacts FactsOf(const mjModel& model);

// nullptr when there is none of that name.
const JointFacts* FindJoint(const ModelFacts& facts, const std::string& name);
const ActuatorFacts* FindActuator(const ModelFacts& facts, const std::string& name);
std::vector<std::string> JointNames(const ModelFacts& facts);
std::vector<std::string> ActuatorNames(const ModelFacts& facts);

// Dimensions (base/units.h) of a joint's position and velocity; both choices when the type is not
// known.
std::vector<std::string> PositionDimensions(JointType type);
std::vector<std::string> VelocityDimensions(JointType type);

}  // namespace realward

#endif  // REALWARD_SPEC_MODEL_FACTS_H_
