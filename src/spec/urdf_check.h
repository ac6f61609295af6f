// What a URDF says that cannot be meant, beside its masses (urdf_mass.h). All of it, in one go.
#ifndef REALWARD_SPEC_URDF_CHECK_H_
#define REALWARD_SPEC_URDF_CHECK_H_

#include <vector>

#include "spec/model_finding.h"
#include "spec/urdf_text.h"

namespace realward {

// A range that looks like degrees where radians belong: a bound beyond two turns, or beyond one
// turn when both bounds are whole numbers.
bool LooksLikeDegrees(double low, double high);

// Names, tree, joints, limits, mimics and meshes. In the order of the file.
std::vector<ModelFinding> CheckUrdf(const UrdfModel& urdf);

// For each joint whether it has a mimic that can be kept: the target exists and does not lead back,
// and both have one degree of freedom. What cannot be kept is an ordinary joint.
std::vector<bool> UsableMimics(const UrdfModel& urdf);

}  // namespace realward

#endif  // REALWARD_SPEC_URDF_CHECK_H_
