#include "spec/urdf_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <unordered_map>

#include "base/text.h"

namespace realward {
namespace {

using Findings = std::vector<ModelFinding>;
using Index = std::unordered_map<std::string, int>;

template <class T>
Index IndexOf(const std::vector<T>& rows) {
  Index index;
  for (std::size_t i = 0; i < rows.size(); ++i) index.emplace(rows[i].name, static_cast<int>(i));
  return index;
}

// Looking for the nearest names takes long in a file with very many faults.
std::vector<std::string> NearestIn(const std::string& name, const Index& index,
                                   const Findings& so_far) {
  const std::size_t kMostCompared = so_far.size() < 50 ? 2000 : 3;
  std::vector<std::string> names;
  for (const auto& [valid, unused] : index) {
    if (names.size() < kMostCompared && !valid.empty()) names.push_back(valid.substr(0, 60));
  }
  std::sort(names.begin(), names.end());
  return NearestNames(name.substr(0, 60), names);
}

std::string JointName(const UrdfJoint& joint) { return fmt::format("joint '{}'", joint.name); }

void Add(Findings& to, ModelSeverity severity, const UrdfJoint& joint, std::string message,
         int line = 0) {
  to.push_back({severity, JointName(joint), std::move(message), line > 0 ? line : joint.line});
}

template <class T>
void CheckDuplicates(const char* what, const std::vector<T>& rows, Findings& to) {
  std::map<std::string, std::vector<int>> lines;
  for (const T& row : rows) lines[row.name].push_back(row.line);
  for (const auto& [name, at] : lines) {
    if (at.size() < 2) continue;
    std::string others;
    for (std::size_t i = 0; i < std::min<std::size_t>(at.size(), 10); ++i)
      others += fmt::format("{}{}", i == 0 ? "" : ", ", at[i]);
    to.push_back({ModelSeverity::kError, fmt::format("{} '{}'", what, name),
                  fmt::format("the name is there {} times (lines {}); each {} needs its own",
                              at.size(), others, what),
                  at[1]});
  }
}

// Names in joints, and that the links are one tree.
class TreeCheck {
 public:
  TreeCheck(const UrdfModel& urdf, Findings& to) : urdf_(urdf), to_(to) {
    links_ = IndexOf(urdf.links);
    parent_.assign(urdf.links.size(), -1);
    above_.assign(urdf.links.size(), nullptr);
  }
  void Run() {
    for (const UrdfJoint& joint : urdf_.joints) CheckJoint(joint);
    CheckLoops();
    CheckRoots();
  }

 private:
  int Find(const UrdfJoint& joint, const std::string& link, const char* role) {
    const auto found = links_.find(link);
    if (found != links_.end()) return found->second;
    Add(to_, ModelSeverity::kError, joint,
        fmt::format("its {} '{:.60}' is no link; nearest: {}", role, link,
                    JoinChoices(NearestIn(link, links_, to_))));
    return -1;
  }

  void CheckJoint(const UrdfJoint& joint) {
    const int parent = Find(joint, joint.parent, "parent");
    const int child = Find(joint, joint.child, "child");
    if (joint.type == UrdfJointType::kUnknown)
      Add(to_, ModelSeverity::kError, joint,
          fmt::format("its type is '{:.60}'; valid: revolute, continuous, prismatic, fixed, "
                      "floating or planar",
                      joint.type_text));
    if (child < 0) return;
    if (above_[child] != nullptr) {
      Add(to_, ModelSeverity::kError, joint,
          fmt::format("link '{}' hangs on joint '{}' already; a link has one joint above it",
                      joint.child, above_[child]->name));
      return;
    }
    above_[child] = &joint;
    parent_[child] = parent;
    if (joint.type == UrdfJointType::kFloating && joint.parent != "world")
      Add(to_, ModelSeverity::kError, joint,
          fmt::format("a floating joint needs the parent 'world', it has '{}'", joint.parent));
  }

  // Each link is walked up from once: a link of a finished walk leads to a root or to a loop that
  // was reported.
  void CheckLoops() {
    std::vector<int> walk_of(parent_.size(), -1);
    for (int i = 0; i < static_cast<int>(parent_.size()); ++i) {
      int at = i;
      while (at >= 0 && walk_of[at] < 0) {
        walk_of[at] = i;
        at = parent_[at];
      }
      if (at >= 0 && walk_of[at] == i)
        Add(to_, ModelSeverity::kError, *above_[at],
            fmt::format("link '{}' is above and below itself; joints must form a tree",
                        urdf_.links[at].name));
    }
  }

  void CheckRoots() {
    std::vector<std::string> roots;
    int line = 0;
    for (std::size_t i = 0; i < above_.size(); ++i) {
      if (above_[i] != nullptr) continue;
      roots.push_back(urdf_.links[i].name);
      line = urdf_.links[i].line;
    }
    if (roots.size() < 2) return;
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 5); ++i)
      names += fmt::format("{}'{}'", i == 0 ? "" : ", ", roots[i]);
    to_.push_back(
        {ModelSeverity::kWarning, fmt::format("link '{}'", roots.back()),
         fmt::format("{} links have no joint above them ({}{}); each is fixed to the world",
                     roots.size(), names, roots.size() > 5 ? ", ..." : ""),
         line});
  }

  const UrdfModel& urdf_;
  Findings& to_;
  Index links_;
  std::vector<int> parent_;              // of each link, -1: none
  std::vector<const UrdfJoint*> above_;  // the joint whose child it is
};

void CheckAngles(const std::array<double, 3>& rpy, const std::string& object, int line,
                 Findings& to) {
  for (const double angle : rpy) {
    if (std::abs(angle) <= 2.0 * std::numbers::pi + 1e-3) continue;
    to.push_back({ModelSeverity::kWarning, object,
                  fmt::format("its origin has rpy {:.6g} {:.6g} {:.6g}, more than a turn; URDF's "
                              "angles are radians, these look like degrees",
                              rpy[0], rpy[1], rpy[2]),
                  line});
    return;
  }
}

// Lower and upper.
void CheckRange(const UrdfJoint& joint, Findings& to) {
  const UrdfLimit& limit = *joint.limit;
  const double lower = limit.lower.value_or(0.0);
  const double upper = limit.upper.value_or(0.0);
  const char* unit = joint.type == UrdfJointType::kPrismatic ? "m" : "rad";
  if (joint.type == UrdfJointType::kContinuous) return;
  if (!limit.lower && !limit.upper) {
    Add(to, ModelSeverity::kWarning, joint,
        "its limit has no lower and no upper, which means 0 to 0: it is locked at 0", limit.line);
  } else if (lower > upper) {
    Add(to, ModelSeverity::kError, joint,
        fmt::format("its limits are reversed: lower {:.6g} is above upper {:.6g} {}", lower, upper,
                    unit),
        limit.line);
  } else if (lower == upper) {
    Add(to, ModelSeverity::kWarning, joint,
        fmt::format("its range has no width: it is locked at {:.6g} {}; a joint that does not move "
                    "is of type fixed",
                    lower, unit),
        limit.line);
  } else if (joint.type == UrdfJointType::kRevolute && LooksLikeDegrees(lower, upper)) {
    Add(to, ModelSeverity::kWarning, joint,
        fmt::format("its range {:.6g} to {:.6g} rad is {:.3g} turns wide; URDF's angles are "
                    "radians, these look like degrees",
                    lower, upper, (upper - lower) / (2.0 * std::numbers::pi)),
        limit.line);
  } else if (lower > 0.0 || upper < 0.0) {
    Add(to, ModelSeverity::kWarning, joint,
        fmt::format("its range {:.6g} to {:.6g} {} leaves out 0, where the model begins", lower,
                    upper, unit),
        limit.line);
  }
}

void CheckLimits(const UrdfJoint& joint, Findings& to) {
  if (!HasOneDegree(joint.type)) return;
  if (!joint.limit) {
    if (joint.type != UrdfJointType::kContinuous)
      Add(to, ModelSeverity::kWarning, joint,
          fmt::format("a {} joint needs a <limit>; without it position and force are unlimited",
                      joint.type_text));
    return;
  }
  CheckRange(joint, to);
  const UrdfLimit& limit = *joint.limit;
  if (!limit.effort)
    Add(to, ModelSeverity::kWarning, joint, "its limit has no effort: its force is unlimited",
        limit.line);
  else if (*limit.effort < 0.0)
    Add(to, ModelSeverity::kError, joint,
        fmt::format("its effort limit is {:.6g}; an effort limit is positive", *limit.effort),
        limit.line);
  else if (*limit.effort == 0.0)
    Add(to, ModelSeverity::kWarning, joint,
        "its effort limit is 0: it cannot be driven; actuators on it get no force", limit.line);
  if (limit.velocity && *limit.velocity <= 0.0)
    Add(to, ModelSeverity::kWarning, joint,
        fmt::format("its velocity limit is {:.6g}; a joint that moves needs a positive one (the "
                    "simulation does not use it)",
                    *limit.velocity),
        limit.line);
}

void CheckAxis(const UrdfJoint& joint, Findings& to) {
  if (joint.type == UrdfJointType::kFixed || joint.type == UrdfJointType::kFloating) return;
  const double length = std::hypot(joint.axis[0], joint.axis[1], joint.axis[2]);
  if (length < 1e-8)
    Add(to, ModelSeverity::kError, joint,
        fmt::format("its axis is {:.6g} {:.6g} {:.6g}; an axis has a direction", joint.axis[0],
                    joint.axis[1], joint.axis[2]));
}

void CheckDynamics(const UrdfJoint& joint, Findings& to) {
  for (const auto& [name, value] :
       {std::pair{"damping", joint.damping}, std::pair{"friction", joint.friction}}) {
    if (value < 0.0)
      Add(to, ModelSeverity::kError, joint,
          fmt::format("its {} is {:.6g}; it would add energy, and must not be negative", name,
                      value));
  }
}

constexpr std::size_t kLongestChain = 100;

// Why a mimic cannot be kept; empty when it can.
std::string MimicFault(const UrdfModel& urdf, const Index& joints, const UrdfJoint& joint,
                       const Findings& so_far = {}) {
  const std::string& target = joint.mimic->joint;
  if (!HasOneDegree(joint.type)) return fmt::format("a {} joint cannot mimic", joint.type_text);
  std::size_t steps = 0;
  for (const UrdfJoint* at = &joint; at->mimic; ++steps) {
    const auto found = joints.find(at->mimic->joint);
    if (found == joints.end()) {
      if (at != &joint) break;  // reported at that joint, which is an ordinary one then
      return fmt::format("mimics joint '{:.60}', which does not exist; nearest: {}", target,
                         JoinChoices(NearestIn(target, joints, so_far)));
    }
    at = &urdf.joints[found->second];
    if (at == &joint) return fmt::format("mimics joint '{}', which follows it in turn", target);
    if (steps > kLongestChain)
      return fmt::format("mimics joint '{}' at the end of a chain without end", target);
    if (!HasOneDegree(at->type) && steps == 0)
      return fmt::format("mimics joint '{}' of type {}, which has no single position", target,
                         at->type_text);
    if (!HasOneDegree(at->type)) break;
  }
  return "";
}

// A follower that its leader pushes past a limit of its own.
void CheckMimicReach(const UrdfJoint& joint, const UrdfJoint& leader, Findings& to) {
  if (!joint.limit || !joint.limit->lower || !joint.limit->upper || !leader.limit ||
      !leader.limit->lower || !leader.limit->upper || joint.type == UrdfJointType::kContinuous ||
      leader.type == UrdfJointType::kContinuous)
    return;
  const double a = joint.mimic->multiplier * *leader.limit->lower + joint.mimic->offset;
  const double b = joint.mimic->multiplier * *leader.limit->upper + joint.mimic->offset;
  const double low = std::min(a, b), high = std::max(a, b);
  const double slack = 1e-3 * std::max(1e-3, high - low);
  if (low >= *joint.limit->lower - slack && high <= *joint.limit->upper + slack) return;
  Add(to, ModelSeverity::kWarning, joint,
      fmt::format("follows '{}' over {:.6g} to {:.6g}, beyond its own limits {:.6g} to {:.6g}",
                  leader.name, low, high, *joint.limit->lower, *joint.limit->upper),
      joint.mimic->line);
}

void CheckMimic(const UrdfModel& urdf, const Index& joints, const UrdfJoint& joint, Findings& to) {
  if (!joint.mimic) return;
  const std::string fault = MimicFault(urdf, joints, joint, to);
  if (!fault.empty()) {
    Add(to, ModelSeverity::kWarning, joint, fault + "; it is kept as an ordinary joint",
        joint.mimic->line);
    return;
  }
  if (joint.mimic->multiplier == 0.0)
    Add(to, ModelSeverity::kWarning, joint,
        fmt::format("mimics '{}' with the multiplier 0: it stands still", joint.mimic->joint),
        joint.mimic->line);
  CheckMimicReach(joint, urdf.joints[joints.at(joint.mimic->joint)], to);
}

void CheckMeshes(const UrdfLink& link, bool keep_visual, Findings& to) {
  for (const UrdfMesh& mesh : link.meshes) {
    const bool needed = mesh.collision || keep_visual;
    const std::string object = fmt::format("link '{}'", link.name);
    const std::string what =
        fmt::format("{} mesh '{:.200}'", mesh.collision ? "collision" : "visual", mesh.file);
    if (mesh.place.path.empty()) {
      to.push_back({needed ? ModelSeverity::kError : ModelSeverity::kNote, object,
                    fmt::format("its {}: {}{}", what, mesh.place.error,
                                needed ? "" : " (not needed: visual shapes are left out)"),
                    mesh.line});
      continue;
    }
    std::string ending = mesh.place.path.substr(mesh.place.path.find_last_of('.') + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (needed && ending != "stl" && ending != "obj" && ending != "msh")
      to.push_back(
          {ModelSeverity::kError, object,
           fmt::format("its {} is a .{:.20} file; valid: .stl, .obj or .msh", what, ending),
           mesh.line});
  }
}

}  // namespace

bool LooksLikeDegrees(double low, double high) {
  const double most = std::max(std::abs(low), std::abs(high));
  const bool whole = low == std::round(low) && high == std::round(high);
  return most > (whole ? 2.0 : 4.0) * std::numbers::pi + 0.1;
}

std::vector<ModelFinding> CheckUrdf(const UrdfModel& urdf) {
  Findings to;
  CheckDuplicates("link", urdf.links, to);
  CheckDuplicates("joint", urdf.joints, to);
  TreeCheck(urdf, to).Run();
  for (const UrdfLink& link : urdf.links) {
    CheckMeshes(link, urdf.compiler.keep_visual, to);
    if (link.inertial)
      CheckAngles(link.inertial->origin.rpy, fmt::format("link '{}'", link.name),
                  link.inertial->line, to);
  }
  const Index joints = IndexOf(urdf.joints);
  for (const UrdfJoint& joint : urdf.joints) {
    CheckAngles(joint.origin.rpy, JointName(joint), joint.line, to);
    CheckAxis(joint, to);
    CheckLimits(joint, to);
    CheckDynamics(joint, to);
    CheckMimic(urdf, joints, joint, to);
  }
  return to;
}

std::vector<bool> UsableMimics(const UrdfModel& urdf) {
  const Index joints = IndexOf(urdf.joints);
  std::vector<bool> usable;
  for (const UrdfJoint& joint : urdf.joints)
    usable.push_back(joint.mimic && MimicFault(urdf, joints, joint).empty());
  return usable;
}

}  // namespace realward
