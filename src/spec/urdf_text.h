// A URDF file as plain values, as it is written: nothing is repaired or judged here but numbers
// that are none and names that are missing. Units are URDF's, which are SI (rad, m, kg, N, N·m).
#ifndef REALWARD_SPEC_URDF_TEXT_H_
#define REALWARD_SPEC_URDF_TEXT_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/mesh_path.h"
#include "spec/safe_xml.h"

namespace realward {

// A frame in its parent: x, y, z in m; roll, pitch, yaw in rad about the fixed axes x, y, z.
struct UrdfPose {
  std::array<double, 3> xyz{};
  std::array<double, 3> rpy{};
};

struct UrdfInertial {
  UrdfPose origin{};                               // of the centre of mass, in the link
  std::optional<double> mass{};                    // kg
  std::optional<std::array<double, 6>> inertia{};  // xx, yy, zz, xy, xz, yz at the centre of mass
  int line = 0;
};

struct UrdfMesh {
  std::string file;  // as written
  MeshPlace place;
  bool collision = false;  // else visual
  int line = 0;
};

struct UrdfLink {
  std::string name;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfMesh> meshes;
  int collisions = 0;  // how many collision shapes
  int line = 0;
};

enum class UrdfJointType {
  kUnknown,
  kRevolute,
  kContinuous,
  kPrismatic,
  kFixed,
  kFloating,
  kPlanar
};

struct UrdfLimit {
  std::optional<double> lower, upper;  // rad or m
  std::optional<double> effort;        // N·m or N
  std::optional<double> velocity;      // rad/s or m/s
  int line = 0;
};

// position = multiplier · (position of `joint`) + offset
struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;  // rad or m
  int line = 0;
};

struct UrdfJoint {
  std::string name;
  UrdfJointType type = UrdfJointType::kUnknown;
  std::string type_text;
  std::string parent, child;
  UrdfPose origin;
  std::array<double, 3> axis{1.0, 0.0, 0.0};
  std::optional<UrdfLimit> limit;
  std::optional<UrdfMimic> mimic;
  double damping = 0.0;   // N·m·s/rad or N·s/m
  double friction = 0.0;  // N·m or N
  int line = 0;
};

// MuJoCo's own element in a URDF, as far as it matters here.
struct UrdfCompiler {
  bool inertia_from_geometry = false;  // inertiafromgeom is true or auto
  bool keep_visual = false;            // discardvisual is false
  bool strip_path = false;
  bool balance_inertia = false;
  std::string mesh_folder;
};

struct UrdfModel {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  UrdfCompiler compiler;
};

// Reads a file. `packages` are where package:// is looked for, before the folders above the file.
// All numbers that are none and names that are missing come in one invalid-input error.
Result<UrdfModel> ReadUrdf(const std::string& path, const std::vector<std::string>& packages = {});
// The same of a file that is parsed already; `path` is where it lies.
Result<UrdfModel> ReadUrdf(const XmlFile& file, const std::string& path,
                           const std::vector<std::string>& packages = {});

bool IsRotation(UrdfJointType type);    // revolute or continuous
bool HasOneDegree(UrdfJointType type);  // revolute, continuous or prismatic

}  // namespace realward

#endif  // REALWARD_SPEC_URDF_TEXT_H_
