#include "worlds/model_field.h"

namespace realward {

const char* FieldName(ModelField field) {
  static constexpr const char* kNames[kModelFieldCount] = {
      "body_mass",           "body_inertia", "body_ipos",        "dof_damping",
      "dof_frictionloss",    "dof_armature", "jnt_stiffness",    "qpos_spring",
      "geom_friction",       "opt.gravity",  "actuator_gainprm", "actuator_biasprm",
      "actuator_forcerange", "body_pos",     "geom_solref",      "geom_solimp",
      "geom_margin"};
  return kNames[static_cast<int>(field)];
}

FieldRows RowsOf(mjModel& m) {
  return {m.body_mass,           m.body_inertia, m.body_ipos,        m.dof_damping,
          m.dof_frictionloss,    m.dof_armature, m.jnt_stiffness,    m.qpos_spring,
          m.geom_friction,       m.opt.gravity,  m.actuator_gainprm, m.actuator_biasprm,
          m.actuator_forcerange, m.body_pos,     m.geom_solref,      m.geom_solimp,
          m.geom_margin};
}

bool FeedsSetConst(ModelField field) {
  switch (field) {
    case ModelField::kBodyMass:
    case ModelField::kBodyInertia:
    case ModelField::kBodyIpos:
    case ModelField::kBodyPos:
    case ModelField::kDofArmature:
    case ModelField::kQposSpring:
      return true;
    default:
      return false;
  }
}

}  // namespace realward
