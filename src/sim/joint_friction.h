// Friction of a servo's gear beyond Coulomb and viscous friction: models M2 to M6 of Duclusaud et
// al., "Extended Friction Models for the Physics Simulation of Servo Actuators" (ICRA 2025,
// arXiv 2410.08650), section III. M1 is the engine's own friction loss and damping.
#ifndef REALWARD_SIM_JOINT_FRICTION_H_
#define REALWARD_SIM_JOINT_FRICTION_H_

#include "worlds/settings.h"

namespace realward {

// The largest friction force (N·m or N, ≥ 0) without its viscous part:
//   Kc + |Km τm − Ke τe| + s(v) (Kcs + |Kms τm − Kes τe| + Q),   s(v) = exp(−|v / vs|^α)
// with Kc = coulomb, τm = motor (+ (1 − efficiency) |τm|), τe = external: the force of everything
// else at the joint (gravity, inertia, contacts). Q acts only when τm and τe pull apart: the
// smaller of the two squared, times its coefficient, so that a load can hold itself. M2: stribeck.
// M3: load_motor = load_external. M4: both. M5: the two differ. M6: the quadratic terms.
double JointFriction(const JointSettings& settings, double coulomb, double motor, double external,
                     double velocity);

}  // namespace realward

#endif  // REALWARD_SIM_JOINT_FRICTION_H_
