// Masses of a URDF: which moving links have none, which inertias no body can have, and how they are
// filled in when that is asked for.
#ifndef REALWARD_SPEC_URDF_MASS_H_
#define REALWARD_SPEC_URDF_MASS_H_

#include <vector>

#include "spec/model_finding.h"
#include "spec/urdf_text.h"

namespace realward {

// Filled-in masses add this much of the moving mass, all together.
constexpr double kFilledMassShare = 5e-4;
// An inertia that breaks the triangle inequality by no more than this (relative) is a matter of
// printed digits, and is rounded back.
constexpr double kRoundedInertia = 1e-6;

// Indices of the links that a joint moves and that have no mass and inertia, neither of their own
// nor of what is welded to them. Links without a joint above them do not move.
std::vector<int> LinksWithoutMass(const UrdfModel& urdf);

// An error for each link without mass, each mass that is negative and each inertia that no body
// can have.
std::vector<ModelFinding> CheckMasses(const UrdfModel& urdf);

// Gives each link without mass an equal share of kFilledMassShare of the moving mass, at its
// origin, with the mean radius of gyration of the links that have mass; and each impossible inertia
// the nearest possible one. `rounding_only`: only inertias within kRoundedInertia. What cannot be
// filled in stays for CheckMasses to report.
std::vector<ModelRepair> FillMasses(UrdfModel& urdf, bool rounding_only);

}  // namespace realward

#endif  // REALWARD_SPEC_URDF_MASS_H_
