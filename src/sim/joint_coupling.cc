#include "sim/joint_coupling.h"

#include <algorithm>

namespace realward {
namespace {

bool IsScalar(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
}

}  // namespace

std::vector<JointCoupling> JointCouplings(const mjModel& m) {
  std::vector<JointCoupling> found;
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] != mjEQ_JOINT || m.eq_active0[e] == 0) continue;
    JointCoupling c;
    c.follower = m.eq_obj1id[e];
    c.leader = m.eq_obj2id[e];
    if (!IsScalar(m, c.follower) || (c.leader >= 0 && !IsScalar(m, c.leader))) continue;
    c.follower_qpos = m.jnt_qposadr[c.follower];
    c.follower_dof = m.jnt_dofadr[c.follower];
    c.follower_reference = m.qpos0[c.follower_qpos];
    if (c.leader >= 0) {
      c.leader_qpos = m.jnt_qposadr[c.leader];
      c.leader_dof = m.jnt_dofadr[c.leader];
      c.leader_reference = m.qpos0[c.leader_qpos];
    }
    std::copy_n(m.eq_data + mjNEQDATA * e, 5, c.polynomial.begin());
    found.push_back(c);
  }
  std::vector<JointCoupling> ordered;
  while (!found.empty()) {
    const auto is_free = [&](const JointCoupling& c) {
      return std::none_of(found.begin(), found.end(), [&](const JointCoupling& other) {
        return other.follower == c.leader && &other != &c;
      });
    };
    auto next = std::find_if(found.begin(), found.end(), is_free);
    if (next == found.end()) next = found.begin();
    ordered.push_back(*next);
    found.erase(next);
  }
  return ordered;
}

void FollowLeaders(const std::vector<JointCoupling>& couplings, mjtNum* qpos, mjtNum* qvel) {
  for (const JointCoupling& c : couplings) {
    const double x = c.leader >= 0 ? qpos[c.leader_qpos] - c.leader_reference : 0.0;
    double value = 0.0, slope = 0.0;
    for (int i = 4; i >= 0; --i) {  // Horner's rule, with the derivative
      slope = slope * x + value;
      value = value * x + c.polynomial[i];
    }
    qpos[c.follower_qpos] = c.follower_reference + value;
    qvel[c.follower_dof] = c.leader >= 0 ? slope * qvel[c.leader_dof] : 0.0;
  }
}

std::vector<std::string> IndependentJoints(const mjModel& m) {
  const std::vector<std::string> joints = ObjectNames(m, mjOBJ_JOINT);
  const std::vector<JointCoupling> couplings = JointCouplings(m);
  std::vector<std::string> names;
  for (int j = 0; j < m.njnt; ++j) {
    const bool follows = std::any_of(couplings.begin(), couplings.end(),
                                     [&](const JointCoupling& c) { return c.follower == j; });
    if (IsScalar(m, j) && !follows) names.push_back(joints[j]);
  }
  return names;
}

}  // namespace realward
