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
#include "worlds/channel.h"
#include "worlds/model_field.h"
#include "worlds/settings.h"

namespace realward {

// Where one world keeps its values. A span or pointer may be empty when no parameter needs it.
struct WorldValues {
  FieldRows rows{};
  std::span<ActuatorSettings> actuators = {};  // nu
  std::span<JointSettings> joints = {};        // njnt
  std::span<ChannelSettings> channels = {};    // in the order of ChannelNames
  WorldSettings* world = nullptr;
};

// Settings of one world, at the model's nominal when made.
struct WorldStore {
  explicit WorldStore(const mjModel& model);
  WorldValues On(const FieldRows& rows) { return {rows, actuators, joints, channels, &world}; }

  std::vector<ActuatorSettings> actuators;
  std::vector<JointSettings> joints;
  std::vector<ChannelSettings> channels;
  WorldSettings world;
};

// The force range of an actuator that has none, while a parameter limits it: no force reaches it.
inline constexpr double kUnlimitedForce = 1e30;

// What kind of number it is.
enum class Slot {
  kField,            // one entry of a model field
  kMass,             // kg; inertia follows (density is what varies)
  kInertia,          // kg·m², the largest principal one; the others keep their ratio
  kResistance,       // Ω, of an affine actuator with torque = k (u − k ω) / R
  kMotorConstant,    // N·m/A, of the same
  kServoKp,          // of a position servo; the bias follows
  kServoKd,          // of a position servo, positive is damping
  kLinkLength,       // m, the magnitude of a body's position
  kActuatorSetting,  // a member of ActuatorSettings
  kJointSetting,     // a member of JointSettings
  kChannelSetting,   // a member of ChannelSettings
  kWorldSetting,     // a member of WorldSettings; gravity follows its slope
};

struct WorldScalar {
  Slot slot = Slot::kField;
  ModelField field = ModelField::kBodyMass;  // of kField
  int index = 0;   // flat index in the field; or the body, actuator, joint or channel
  int member = 0;  // which setting
  int dof = 0;     // of a joint setting: the row of its friction

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
