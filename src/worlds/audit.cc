#include "worlds/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "worlds/contact_friction.h"

namespace realward {
namespace {

constexpr double kSlack = 1e-9;

struct FrictionKind {
  const char* kind;
  const char* name;
  int component;
};
constexpr FrictionKind kFrictionKinds[] = {
    {"geom_friction", "sliding", 0},
    {"geom_friction_torsion", "torsional", 1},
    {"geom_friction_roll", "rolling", 2},
};

// The component of friction that a parameter writes; null for another kind.
const FrictionKind* FrictionOf(const GapParameter& parameter) {
  for (const FrictionKind& kind : kFrictionKinds) {
    if (parameter.kind == kind.kind) return &kind;
  }
  return nullptr;
}

const GapParameter& ParameterNamed(const GapSpec& spec, const std::string& name) {
  return *std::find_if(spec.parameters.begin(), spec.parameters.end(),
                       [&](const GapParameter& p) { return p.name == name; });
}

int GeomNamed(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<DerivedValue> Contacts(const mjModel& nominal, const mjModel& drawn,
                                   const GapSpec& spec, const std::vector<AppliedValue>& values) {
  const std::vector<std::string> names = ObjectNames(nominal, mjOBJ_GEOM);
  std::vector<DerivedValue> contacts;
  std::set<std::string> seen;
  for (const AppliedValue& value : values) {
    const FrictionKind* kind = FrictionOf(ParameterNamed(spec, value.parameter));
    if (kind == nullptr) continue;
    const int geom = GeomNamed(names, value.target);
    for (int other : TouchableBy(nominal, geom)) {
      const std::string name =
          fmt::format("{} friction of '{}' with '{}'", kind->name, names[std::min(geom, other)],
                      names[std::max(geom, other)]);
      if (!seen.insert(name).second) continue;
      contacts.push_back({name, kind->component == 0 ? "" : "m",
                          CombinedFriction(nominal, geom, other)[kind->component],
                          CombinedFriction(drawn, geom, other)[kind->component]});
    }
  }
  return contacts;
}

std::vector<DerivedValue> Derived(const mjModel& nominal, const mjModel& drawn) {
  std::vector<DerivedValue> derived = {
      {"total mass", "kg", nominal.body_subtreemass[0], drawn.body_subtreemass[0]}};
  const std::vector<std::string> joints = ObjectNames(nominal, mjOBJ_JOINT);
  for (int j = 0; j < nominal.njnt; ++j) {
    const bool is_hinge = nominal.jnt_type[j] == mjJNT_HINGE;
    if (!is_hinge && nominal.jnt_type[j] != mjJNT_SLIDE) continue;
    const int dof = nominal.jnt_dofadr[j];
    derived.push_back({fmt::format("inertia seen by joint '{}'", joints[j]),
                       is_hinge ? "kg*m^2" : "kg", nominal.dof_M0[dof], drawn.dof_M0[dof]});
  }
  std::erase_if(derived, [](const DerivedValue& value) { return !value.changed(); });
  return derived;
}

}  // namespace

std::vector<std::string> ImpossibleValues(const mjModel& m) {
  std::vector<std::string> found;
  const std::vector<std::string> bodies = ObjectNames(m, mjOBJ_BODY);
  for (int b = 1; b < m.nbody; ++b) {
    const double mass = m.body_mass[b];
    if (!(mass >= 0.0) || !std::isfinite(mass))
      found.push_back(fmt::format("body '{}' has a mass of {:.6g} kg", bodies[b], mass));
    double inertia[3] = {m.body_inertia[3 * b], m.body_inertia[3 * b + 1],
                         m.body_inertia[3 * b + 2]};
    std::sort(inertia, inertia + 3);
    if (!(inertia[0] >= 0.0) || inertia[2] > (inertia[0] + inertia[1]) * (1.0 + kSlack)) {
      found.push_back(fmt::format(
          "body '{}' has principal inertias {:.6g}, {:.6g}, {:.6g} kg*m^2; no rigid body has one "
          "above the sum of the others",
          bodies[b], inertia[0], inertia[1], inertia[2]));
    }
  }
  return found;
}

WorldAudit AuditWorld(const mjModel& model, const WorldPlan& plan, std::span<const double> values) {
  ModelPtr drawn = CopyModel(model);
  plan.Prepare(*drawn);
  WorldStore store = plan.nominal();
  plan.Apply(values, store.On(RowsOf(*drawn)));
  const DataPtr data = MakeData(*drawn);
  mj_setConst(drawn.get(), data.get());
  WorldAudit audit;
  audit.values = plan.Explain(values);
  audit.contacts = Contacts(model, *drawn, plan.spec(), audit.values);
  audit.derived = Derived(model, *drawn);
  audit.impossible = ImpossibleValues(*drawn);
  return audit;
}

std::vector<std::string> NoOps(const mjModel& model, const WorldPlan& plan,
                               std::span<const WorldAudit> audits) {
  const std::vector<std::string> geoms = ObjectNames(model, mjOBJ_GEOM);
  std::map<std::string, bool> moved;          // parameter → some value changed
  std::map<std::string, bool> contact_moved;  // contact → some draw changed it
  for (const WorldAudit& audit : audits) {
    for (const AppliedValue& v : audit.values) moved[v.parameter] |= v.effective != v.nominal;
    for (const DerivedValue& c : audit.contacts) contact_moved[c.name] |= c.changed();
  }
  std::vector<std::string> found;
  for (const GapParameter& parameter : plan.spec().parameters) {
    if (!moved[parameter.name]) {
      found.push_back(
          fmt::format("parameter '{}' changes nothing in {} draws", parameter.name, audits.size()));
      continue;
    }
    const FrictionKind* kind = FrictionOf(parameter);
    if (kind == nullptr || audits.empty()) continue;
    bool any_touches = false, any_moves = false;
    for (const AppliedValue& v : audits.front().values) {
      if (v.parameter != parameter.name) continue;
      const int geom = GeomNamed(geoms, v.target);
      for (int other : TouchableBy(model, geom)) {
        any_touches = true;
        any_moves |=
            contact_moved[fmt::format("{} friction of '{}' with '{}'", kind->name,
                                      geoms[std::min(geom, other)], geoms[std::max(geom, other)])];
      }
    }
    if (!any_touches) {
      found.push_back(
          fmt::format("parameter '{}' changes the friction of geoms that can touch "
                      "nothing",
                      parameter.name));
    } else if (!any_moves) {
      found.push_back(
          fmt::format("parameter '{}' changes friction that no contact has: the other "
                      "geom's is larger, or has priority, in all {} draws",
                      parameter.name, audits.size()));
    }
  }
  return found;
}

}  // namespace realward
