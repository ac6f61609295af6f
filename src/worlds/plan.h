// A gap spec resolved against a compiled model: which model fields and which actuator and sensor
// settings each parameter writes, starting from the compiled nominal at every draw.
#ifndef REALWARD_WORLDS_PLAN_H_
#define REALWARD_WORLDS_PLAN_H_

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/result.h"
#include "spec/gap.h"

namespace realward {

// Model fields that parameters can write.
enum class ModelField {
  kBodyMass,
  kBodyInertia,
  kBodyIpos,
  kDofDamping,
  kDofFrictionloss,
  kDofArmature,
  kJntStiffness,
  kQposSpring,
  kGeomFriction,
  kGravity,
  kActuatorGain,
  kActuatorBias,
};
inline constexpr int kModelFieldCount = 12;

// MuJoCo's name of a field, as mjb_expand takes it.
const char* FieldName(ModelField field);

// One pointer per field to that world's row of values (all rows of the field); null for fields that
// the plan does not write.
using FieldRows = std::array<mjtNum*, kModelFieldCount>;

// Rows that point into a model of one's own.
FieldRows RowsOf(mjModel& model);

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

// What a parameter did in one world.
struct AppliedValue {
  std::string parameter;
  std::string target;
  double nominal = 0.0;    // before this parameter acted
  double drawn = 0.0;      // the draw
  double effective = 0.0;  // after
};

class WorldPlan {
 public:
  // Errors name the parameter, the target or value and the nearest valid names: an unknown target,
  // a glob that matches nothing, a scale of a zero nominal, an actuator without the gains that a
  // parameter needs, a distribution that can leave the physical limits when it acts on this model.
  static Result<WorldPlan> Make(const mjModel& model, const GapSpec& spec);

  // Sets the touched entries of `rows` and all settings to the nominal, then applies the values
  // (one per parameter, in order). Allocates nothing. Thread-safe for different destinations.
  // actuators.size() == nu, channels.size() == number of channels.
  void Apply(std::span<const double> values, const FieldRows& rows,
             std::span<ActuatorSettings> actuators, std::span<ChannelSettings> channels) const;

  // The same on private copies, with a record of every step: for audits and tests.
  std::vector<AppliedValue> Explain(std::span<const double> values) const;

  // Fields that some parameter writes.
  const std::vector<ModelField>& touched_fields() const { return touched_; }
  // Whether mj_setConst must run after Apply.
  bool needs_set_const() const { return needs_set_const_; }
  std::size_t parameter_count() const { return parameter_count_; }
  const GapSpec& spec() const { return spec_; }

 private:
  enum class Slot {
    kField,
    kMass,
    kInertia,
    kResistance,
    kMotorConstant,
    kServoKp,
    kServoKd,
    kActuatorSetting,
    kChannelSetting
  };
  struct Write {
    int parameter = 0;
    Slot slot = Slot::kField;
    Operation operation = Operation::kSet;
    ModelField field = ModelField::kBodyMass;
    int index = 0;   // flat index in the field, or the body, actuator or channel
    int member = 0;  // which setting
    std::string target;
  };
  struct Entry {  // a touched entry and its nominal
    ModelField field;
    int index;
    double nominal;
  };

  Status AddTargets(const mjModel& model, const GapParameter& parameter, int index);
  Status AddWrite(const mjModel& model, const GapParameter& parameter, Write write);
  void Touch(const mjModel& model, ModelField field, int index);
  Status CheckRanges(const mjModel& model) const;
  double Read(const Write& write, const FieldRows& rows,
              std::span<const ActuatorSettings> actuators,
              std::span<const ChannelSettings> channels) const;
  void Store(const Write& write, double value, const FieldRows& rows,
             std::span<ActuatorSettings> actuators, std::span<ChannelSettings> channels) const;
  void RestoreNominal(const FieldRows& rows, std::span<ActuatorSettings> actuators,
                      std::span<ChannelSettings> channels) const;

  GapSpec spec_;
  std::vector<Write> writes_;  // in parameter order
  std::vector<Entry> entries_;
  std::vector<ModelField> touched_;
  std::vector<std::string> channel_names_;
  std::size_t parameter_count_ = 0;
  int actuator_count_ = 0;
  bool needs_set_const_ = false;
  std::shared_ptr<const mjModel> model_;  // nominal copy, for Explain
};

}  // namespace realward

#endif  // REALWARD_WORLDS_PLAN_H_
