// The fields of a compiled model that differ between worlds, and where one world's values lie.
#ifndef REALWARD_WORLDS_MODEL_FIELD_H_
#define REALWARD_WORLDS_MODEL_FIELD_H_

#include <array>

#include "base/mujoco.h"

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
  kActuatorForcerange,
  kBodyPos,
  kGeomSolref,
  kGeomSolimp,
  kGeomMargin,
};
inline constexpr int kModelFieldCount = 17;

// MuJoCo's name of a field, as mjb_expand takes it.
const char* FieldName(ModelField field);

// One pointer per field to that world's row of values (all rows of the field); null for fields that
// the plan does not write.
using FieldRows = std::array<mjtNum*, kModelFieldCount>;

// Rows that point into a model of one's own.
FieldRows RowsOf(mjModel& model);

// Whether the engine derives constants from the field, so that mj_setConst must run after a write
// (MJSETCONST_ARRAYS in MuJoCo's mjxmacro.h).
bool FeedsSetConst(ModelField field);

}  // namespace realward

#endif  // REALWARD_WORLDS_MODEL_FIELD_H_
