#include "worlds/contact_friction.h"

#include <algorithm>

namespace realward {

bool CanTouch(const mjModel& m, int a, int b) {
  if (a == b) return false;
  const bool matches = (m.geom_contype[a] & m.geom_conaffinity[b]) != 0 ||
                       (m.geom_contype[b] & m.geom_conaffinity[a]) != 0;
  if (!matches) return false;
  const int body_a = m.geom_bodyid[a], body_b = m.geom_bodyid[b];
  const int weld_a = m.body_weldid[body_a], weld_b = m.body_weldid[body_b];
  if (weld_a == weld_b) return false;
  const bool filters_parent = (m.opt.disableflags & mjDSBL_FILTERPARENT) == 0;
  const int parent_a = m.body_weldid[m.body_parentid[weld_a]];
  const int parent_b = m.body_weldid[m.body_parentid[weld_b]];
  if (filters_parent && weld_a != 0 && weld_b != 0 && (parent_a == weld_b || parent_b == weld_a))
    return false;
  const int low = std::min(body_a, body_b), high = std::max(body_a, body_b);
  return std::none_of(m.exclude_signature, m.exclude_signature + m.nexclude, [&](int signature) {
    return signature == (low << 16) + high || signature == (high << 16) + low;
  });
}

std::array<double, 3> CombinedFriction(const mjModel& m, int a, int b) {
  const mjtNum* fa = m.geom_friction + 3 * a;
  const mjtNum* fb = m.geom_friction + 3 * b;
  if (m.geom_priority[a] > m.geom_priority[b]) return {fa[0], fa[1], fa[2]};
  if (m.geom_priority[a] < m.geom_priority[b]) return {fb[0], fb[1], fb[2]};
  return {std::max(fa[0], fb[0]), std::max(fa[1], fb[1]), std::max(fa[2], fb[2])};
}

std::vector<int> TouchableBy(const mjModel& m, int geom) {
  std::vector<int> others;
  for (int other = 0; other < m.ngeom; ++other) {
    if (CanTouch(m, geom, other)) others.push_back(other);
  }
  return others;
}

}  // namespace realward
