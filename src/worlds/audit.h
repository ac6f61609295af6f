// What a draw really did to a model: the values that were written, the friction that contacts have
// after the engine combined it, the constants that it derived, and what is outside physics.
#ifndef REALWARD_WORLDS_AUDIT_H_
#define REALWARD_WORLDS_AUDIT_H_

#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "worlds/plan.h"

namespace realward {

// A number before and after the draw: "total mass", "inertia seen by joint 'knee'",
// "sliding friction of 'foot' with 'floor'".
struct DerivedValue {
  std::string name;
  std::string unit;
  double nominal = 0.0;
  double drawn = 0.0;
  bool changed() const { return nominal != drawn; }
};

struct WorldAudit {
  std::vector<AppliedValue> values;     // as WorldPlan::Explain
  std::vector<DerivedValue> contacts;   // of geoms whose friction a parameter writes
  std::vector<DerivedValue> derived;    // masses and inertias that follow
  std::vector<std::string> impossible;  // values outside physics, one sentence each
};

// One draw. model: the compiled nominal that the plan was made for.
WorldAudit AuditWorld(const mjModel& model, const WorldPlan& plan, std::span<const double> values);

// Parameters that wrote something no contact or motion can see, over several draws of one plan, one
// sentence each: a friction that another geom always outdoes, a geom that touches nothing, a number
// that stayed what it was.
std::vector<std::string> NoOps(const mjModel& model, const WorldPlan& plan,
                               std::span<const WorldAudit> audits);

// Values of a model that no rigid body has: a moving body without mass, a principal inertia above
// the sum of the other two (with 1e-9 relative slack), a quaternion or number that is not finite.
std::vector<std::string> ImpossibleValues(const mjModel& model);

}  // namespace realward

#endif  // REALWARD_WORLDS_AUDIT_H_
