// The friction that a contact really has: MuJoCo combines the friction of the two geoms.
#ifndef REALWARD_WORLDS_CONTACT_FRICTION_H_
#define REALWARD_WORLDS_CONTACT_FRICTION_H_

#include <array>
#include <vector>

#include "base/mujoco.h"

namespace realward {

// Whether the engine looks for contacts between two geoms: their types and affinities match, they
// are on bodies that can move against each other, and the pair is not excluded. Explicit pairs
// (<pair>) have a friction of their own and are not counted.
bool CanTouch(const mjModel& model, int a, int b);

// Sliding, torsional and rolling friction of their contact: of the geom with the higher priority,
// or the larger of each.
std::array<double, 3> CombinedFriction(const mjModel& model, int a, int b);

// The geoms that can touch one, in id order.
std::vector<int> TouchableBy(const mjModel& model, int geom);

}  // namespace realward

#endif  // REALWARD_WORLDS_CONTACT_FRICTION_H_
