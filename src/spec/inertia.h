// Which inertia tensors a rigid body can have, and the nearest one that it can.
#ifndef REALWARD_SPEC_INERTIA_H_
#define REALWARD_SPEC_INERTIA_H_

#include <array>
#include <optional>
#include <string>

namespace realward {

// kg·m² about the centre of mass: xx, yy, zz, xy, xz, yz.
using InertiaTensor = std::array<double, 6>;

// The three principal moments, largest first.
std::array<double, 3> PrincipalMoments(const InertiaTensor& inertia);

// How far the largest moment is above the sum of the other two, relative to it: > 0 breaks the
// triangle inequality. Infinite when a moment is negative.
double TriangleExcess(const InertiaTensor& inertia);

// The tensor whose matrix of second moments of mass, ½ tr(I)·1 − I, is the nearest one without
// negative eigenvalues (Wensing, Kim, Slotine, "Linear Matrix Inequalities for Physically
// Consistent Inertial Parameter Identification", 2018, section III). Eigenvectors stay, and the
// triangle inequality holds with a margin of 1e-9. Nothing when the trace is not positive.
std::optional<InertiaTensor> NearestPhysical(const InertiaTensor& inertia);

// A sphere-like tensor: moment·1.
InertiaTensor Isotropic(double moment);

// "0.1 0.2 0.3 0 0 0 kg m^2".
std::string InertiaText(const InertiaTensor& inertia);

}  // namespace realward

#endif  // REALWARD_SPEC_INERTIA_H_
