// One physical number of a world that a gap parameter can write: where it is stored, what else must
// follow it, and how it is read back.
#ifndef REALWARD_WORLDS_WORLD_SCALAR_H_
#define REALWARD_WORLDS_WORLD_SCALAR_H_

#include <compare>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mujoco.h"
#include "base/result.h"
#include "worlds/model_field.h"

namespace realward {

// The command path of one actuator. Order: clip to the range → delay → dead band → strength →
// offset.
struct ActuatorSettings {
  double delay = 0.0;     // s, continuous
  double strength = 1.0;  // scales the command's effect
  double offset = 0.0;    // added to the command, actuator unit
  double deadband = 0.0;  // |command| below this acts as 0, and the rest is shifted; actuator unit
};

// The measurement of one channel: quantise(true + offset + noise · N(0, 1)).
struct ChannelSettings {
  double offset = 0.0;        // channel unit
  double noise = 0.0;         // standard deviation per control step
  double quantization = 0.0;  // step, 0 = none
};

// Names of the measured channels of a model: "<joint>.position" and "<joint>.velocity" for every
// hinge and slide joint, in joint order.
std::vector<std::string> ChannelNames(const mjModel& model);

// Where one world keeps its values.
struct WorldValues {
  FieldRows rows{};
  std::span<ActuatorSettings> actuators = {};  // nu
  std::span<ChannelSettings> channels = {};    // in the order of ChannelNames
};

// What kind of number it is.
enum class Slot {
  kField,            // one entry of a model field
  kGravity,          // magnitude, along −z
  kMass,             // kg; inertia follows (density is what varies)
  kInertia,          // kg·m², the largest principal one; the others keep their ratio
  kResistance,       // Ω, of an affine actuator with torque = k (u − k ω) / R
  kMotorConstant,    // N·m/A, of the same
  kServoKp,          // of a position servo; the bias follows
  kServoKd,          // of a position servo, positive is damping
  kActuatorSetting,  // a member of ActuatorSettings
  kChannelSetting,   // a member of ChannelSettings
};

struct WorldScalar {
  Slot slot = Slot::kField;
  ModelField field = ModelField::kBodyMass;  // of kField
  int index = 0;   // flat index in the field; or the body, actuator or channel
  int member = 0;  // which setting

  auto operator<=>(const WorldScalar&) const = default;
};

// What a parameter of `kind` (a GapKind name) writes on target `id` (of the kind's target type).
// The error's message completes "target 'x' ": why the kind cannot act on it.
Result<WorldScalar> FindScalar(const mjModel& model, const std::string& kind, int id);

// The number, SI.
double Read(const WorldScalar& scalar, const WorldValues& values);

// Writes the number and what follows from it. A written mass or inertia must be above 0 and the one
// before too; so must a motor's numbers.
void Store(const WorldScalar& scalar, double value, const WorldValues& values);

// Every (field, flat index) that Store writes.
std::vector<std::pair<ModelField, int>> EntriesOf(const WorldScalar& scalar);

}  // namespace realward

#endif  // REALWARD_WORLDS_WORLD_SCALAR_H_
