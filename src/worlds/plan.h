// A gap spec resolved against a compiled model: which model fields and which actuator and sensor
// settings each parameter writes, starting from the compiled nominal at every draw.
#ifndef REALWARD_WORLDS_PLAN_H_
#define REALWARD_WORLDS_PLAN_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/result.h"
#include "spec/gap.h"
#include "worlds/model_field.h"
#include "worlds/world_scalar.h"

namespace realward {

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
  // Errors, all in one message, name the parameter, the target or value and the nearest valid
  // names: an unknown target, a glob that matches nothing the kind can act on, a scale of a zero
  // nominal, an actuator without the gains that a parameter needs, draws that can leave the
  // physical limits when they act on this model (whatever the other parameters draw). A glob takes
  // only targets that the kind can act on ("*" of body_mass leaves the world out); a full name must
  // be one. A target that is named twice is written once.
  static Result<WorldPlan> Make(const mjModel& model, const GapSpec& spec);

  // Makes a model able to take the draws without changing what it does: an actuator whose force a
  // parameter limits gets a range that no force reaches. To be called once on every model whose
  // rows are given to Apply, before it is copied or batched.
  void Prepare(mjModel& model) const;

  // Sets the touched entries of the world's rows and all its settings to the nominal, then applies
  // the values (one per parameter, in order; operating conditions first, because drift depends on
  // them). strength in [0, 1] goes that part of the way from the nominal to the draw, for
  // curricula: 0 is the nominal bit for bit. Allocates nothing. Thread-safe for different
  // destinations.
  void Apply(std::span<const double> values, const WorldValues& world, double strength = 1.0) const;

  // The same on private copies, with a record of every step: for audits and tests.
  std::vector<AppliedValue> Explain(std::span<const double> values) const;

  // Settings before any parameter acts, and whether any parameter of these kinds exists, so that a
  // simulation can leave out what no world has.
  const WorldStore& nominal() const { return *nominal_; }
  bool Uses(Slot slot) const;
  bool Uses(double ActuatorSettings::*member) const;
  bool Uses(double ChannelSettings::*member) const;
  bool Uses(double WorldSettings::*member) const;

  // Fields that some parameter writes.
  const std::vector<ModelField>& touched_fields() const { return touched_; }
  // Whether mj_setConst must run after Apply.
  bool needs_set_const() const { return needs_set_const_; }
  std::size_t parameter_count() const { return spec_.parameters.size(); }
  const GapSpec& spec() const { return spec_; }

 private:
  struct Write {
    int parameter = 0;
    Operation operation = Operation::kSet;
    WorldScalar scalar;
    std::string target;
  };
  struct Entry {  // a touched entry and its nominal
    ModelField field;
    int index;
    double nominal;
  };

  Status AddTargets(const mjModel& model, int parameter);
  Status CheckConflicts() const;
  Status CheckRanges(const mjModel& model) const;
  void Touch(const mjModel& model, ModelField field, int index);
  void RestoreNominal(const WorldValues& world) const;
  double Amount(const Write& write, double drawn, const WorldSettings& world) const;
  void ApplyOne(const Write& write, std::span<const double> values, const WorldValues& world,
                double strength) const;

  GapSpec spec_;
  std::vector<Write> writes_;  // in parameter order
  std::vector<Entry> entries_;
  std::vector<ModelField> touched_;
  std::shared_ptr<const WorldStore> nominal_;
  bool needs_set_const_ = false;
  std::shared_ptr<const mjModel> model_;  // nominal copy, for Explain
};

}  // namespace realward

#endif  // REALWARD_WORLDS_PLAN_H_
