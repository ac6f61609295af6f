// Joints that follow others: a URDF's mimic, MJCF's joint equality. The engine couples them softly
// while it steps; a state that is set must fit to begin with.
#ifndef REALWARD_SIM_JOINT_COUPLING_H_
#define REALWARD_SIM_JOINT_COUPLING_H_

#include <array>
#include <string>
#include <vector>

#include "base/mujoco.h"

namespace realward {

// position − reference = Σ polynomial[i] · (leader's position − its reference)^i; rad or m.
struct JointCoupling {
  int follower = 0;  // joint id
  int leader = -1;   // joint id; −1: none, the follower stands at polynomial[0]
  int follower_qpos = 0, follower_dof = 0, leader_qpos = 0, leader_dof = 0;
  double follower_reference = 0.0, leader_reference = 0.0;
  std::array<double, 5> polynomial{};
};

// The equalities between hinges and slides that are active at the start. Leaders come before their
// followers; of joints that lead each other in a circle the order is the model's.
std::vector<JointCoupling> JointCouplings(const mjModel& model);

// Moves the followers, in order, to where their leaders are; velocities too. Thread-safe.
void FollowLeaders(const std::vector<JointCoupling>& couplings, mjtNum* qpos, mjtNum* qvel);

// Names of the hinges and slides that follow no other joint: what a policy can command.
std::vector<std::string> IndependentJoints(const mjModel& model);

}  // namespace realward

#endif  // REALWARD_SIM_JOINT_COUPLING_H_
