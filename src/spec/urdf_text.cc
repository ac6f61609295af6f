#include "spec/urdf_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

namespace realward {
namespace {

constexpr std::size_t kMostErrors = 50;
constexpr std::size_t kMostUrdfParts = 10'000;

constexpr std::pair<const char*, UrdfJointType> kJointTypes[] = {
    {"revolute", UrdfJointType::kRevolute},   {"continuous", UrdfJointType::kContinuous},
    {"prismatic", UrdfJointType::kPrismatic}, {"fixed", UrdfJointType::kFixed},
    {"floating", UrdfJointType::kFloating},   {"planar", UrdfJointType::kPlanar},
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// One finite number at the front of `text`, which it takes away. Does not depend on the locale.
std::optional<double> TakeNumber(std::string_view& text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || !std::isfinite(value)) return std::nullopt;
  text = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (!text.empty() && !IsSpace(text.front())) return std::nullopt;
  return value;
}

bool IsBlank(std::string_view text) {
  for (const char c : text) {
    if (!IsSpace(c)) return false;
  }
  return true;
}

// Reads attributes and collects what is wrong with them.
class UrdfReader {
 public:
  UrdfReader(const XmlFile& file, const std::string& path, const std::vector<std::string>& packages)
      : file_(file), path_(path) {
    search_.folder = std::filesystem::absolute(path).parent_path().string();
    search_.packages = packages;
  }
  Result<UrdfModel> Read();

 private:
  void Fail(const pugi::xml_node& node, const std::string& what) {
    ++failures_;
    if (failures_ <= kMostErrors) {
      errors_ += fmt::format("{}{}:{}: {}{}", errors_.empty() ? "" : "\n", path_,
                             file_.LineOf(node), owner_, what);
    }
  }
  std::string Text(const pugi::xml_node& node, const char* key);
  std::optional<double> Number(const pugi::xml_node& node, const char* key);
  std::optional<double> Required(const pugi::xml_node& node, const char* key);
  std::array<double, 3> Three(const pugi::xml_node& node, const char* key,
                              std::array<double, 3> fallback);
  UrdfPose Pose(const pugi::xml_node& node);
  UrdfInertial Inertial(const pugi::xml_node& node);
  void Meshes(const pugi::xml_node& link, bool collision, UrdfLink& to);
  UrdfLink Link(const pugi::xml_node& node);
  UrdfJoint Joint(const pugi::xml_node& node);
  UrdfCompiler Compiler(const pugi::xml_node& robot);

  const XmlFile& file_;
  std::string path_;
  MeshSearch search_;
  std::string owner_;  // "joint 'a': " while it is read
  std::string errors_;
  std::size_t failures_ = 0;
};

std::string UrdfReader::Text(const pugi::xml_node& node, const char* key) {
  const std::string value = node.attribute(key).value();
  if (value.empty()) Fail(node, fmt::format("<{}> has no '{}'", node.name(), key));
  return value;
}

std::optional<double> UrdfReader::Number(const pugi::xml_node& node, const char* key) {
  const pugi::xml_attribute attribute = node.attribute(key);
  if (!attribute) return std::nullopt;
  std::string_view text = attribute.value();
  const std::optional<double> value = TakeNumber(text);
  if (value && IsBlank(text)) return value;
  Fail(node,
       fmt::format("<{}> {} '{:.60}' is not a finite number{}", node.name(), key, attribute.value(),
                   std::string_view(attribute.value()).find("${") != std::string_view::npos
                       ? "; this is a xacro file: expand it with the xacro program first"
                       : ""));
  return std::nullopt;
}

std::optional<double> UrdfReader::Required(const pugi::xml_node& node, const char* key) {
  if (!node.attribute(key)) Fail(node, fmt::format("<{}> has no '{}'", node.name(), key));
  return Number(node, key);
}

std::array<double, 3> UrdfReader::Three(const pugi::xml_node& node, const char* key,
                                        std::array<double, 3> fallback) {
  const pugi::xml_attribute attribute = node.attribute(key);
  if (!attribute) return fallback;
  std::string_view text = attribute.value();
  std::array<double, 3> values{};
  for (double& value : values) {
    const std::optional<double> read = TakeNumber(text);
    if (!read) {
      Fail(node, fmt::format("<{}> {} '{:.60}' is not three finite numbers", node.name(), key,
                             attribute.value()));
      return fallback;
    }
    value = *read;
  }
  if (!IsBlank(text))
    Fail(node, fmt::format("<{}> {} '{:.60}' has more than three numbers", node.name(), key,
                           attribute.value()));
  return values;
}

UrdfPose UrdfReader::Pose(const pugi::xml_node& node) {
  const pugi::xml_node origin = node.child("origin");
  return {Three(origin, "xyz", {}), Three(origin, "rpy", {})};
}

UrdfInertial UrdfReader::Inertial(const pugi::xml_node& node) {
  UrdfInertial inertial;
  inertial.line = file_.LineOf(node);
  inertial.origin = Pose(node);
  if (const pugi::xml_node mass = node.child("mass")) inertial.mass = Required(mass, "value");
  if (const pugi::xml_node inertia = node.child("inertia")) {
    std::array<double, 6> values{};
    const char* keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int i = 0; i < 6; ++i) {
      const auto read = i < 3 ? Required(inertia, keys[i]) : Number(inertia, keys[i]);
      values[i] = read.value_or(0.0);
    }
    inertial.inertia = values;
  }
  return inertial;
}

void UrdfReader::Meshes(const pugi::xml_node& link, bool collision, UrdfLink& to) {
  for (const pugi::xml_node& shape : link.children(collision ? "collision" : "visual")) {
    if (collision) ++to.collisions;
    const pugi::xml_node node = shape.child("geometry").child("mesh");
    if (!node) continue;
    UrdfMesh mesh;
    mesh.file = Text(node, "filename");
    mesh.collision = collision;
    mesh.line = file_.LineOf(node);
    if (!mesh.file.empty()) mesh.place = FindMesh(mesh.file, search_);
    const auto scale = Three(node, "scale", {1.0, 1.0, 1.0});
    if (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0)
      Fail(node, "<mesh> scale has a zero; a mesh needs three sizes");
    to.meshes.push_back(std::move(mesh));
  }
}

UrdfLink UrdfReader::Link(const pugi::xml_node& node) {
  UrdfLink link;
  owner_.clear();
  link.name = Text(node, "name");
  owner_ = fmt::format("link '{}': ", link.name);
  link.line = file_.LineOf(node);
  if (const pugi::xml_node inertial = node.child("inertial")) link.inertial = Inertial(inertial);
  Meshes(node, false, link);
  Meshes(node, true, link);
  return link;
}

UrdfJoint UrdfReader::Joint(const pugi::xml_node& node) {
  UrdfJoint joint;
  owner_.clear();
  joint.name = Text(node, "name");
  owner_ = fmt::format("joint '{}': ", joint.name);
  joint.line = file_.LineOf(node);
  joint.type_text = Text(node, "type");
  for (const auto& [name, type] : kJointTypes) {
    if (joint.type_text == name) joint.type = type;
  }
  if (!node.child("parent") || !node.child("child")) Fail(node, "needs a <parent> and a <child>");
  if (const auto parent = node.child("parent")) joint.parent = Text(parent, "link");
  if (const auto child = node.child("child")) joint.child = Text(child, "link");
  joint.origin = Pose(node);
  joint.axis = Three(node.child("axis"), "xyz", joint.axis);
  if (const pugi::xml_node limit = node.child("limit")) {
    joint.limit = UrdfLimit{Number(limit, "lower"), Number(limit, "upper"), Number(limit, "effort"),
                            Number(limit, "velocity"), file_.LineOf(limit)};
  }
  if (const pugi::xml_node mimic = node.child("mimic")) {
    joint.mimic = UrdfMimic{Text(mimic, "joint"), Number(mimic, "multiplier").value_or(1.0),
                            Number(mimic, "offset").value_or(0.0), file_.LineOf(mimic)};
  }
  const pugi::xml_node dynamics = node.child("dynamics");
  joint.damping = Number(dynamics, "damping").value_or(0.0);
  joint.friction = Number(dynamics, "friction").value_or(0.0);
  return joint;
}

UrdfCompiler UrdfReader::Compiler(const pugi::xml_node& robot) {
  const pugi::xml_node node = robot.child("mujoco").child("compiler");
  UrdfCompiler compiler;
  const std::string_view inertia = node.attribute("inertiafromgeom").value();
  compiler.inertia_from_geometry = inertia == "true" || inertia == "auto";
  compiler.keep_visual = std::string_view(node.attribute("discardvisual").value()) == "false";
  compiler.strip_path = std::string_view(node.attribute("strippath").value()) == "true";
  compiler.balance_inertia = std::string_view(node.attribute("balanceinertia").value()) == "true";
  compiler.mesh_folder = node.attribute("meshdir").value();
  return compiler;
}

Result<UrdfModel> UrdfReader::Read() {
  const pugi::xml_node robot = file_.document().child("robot");
  if (!robot) {
    return InvalidInput(fmt::format("{}: a URDF begins with <robot>, this file with <{:.60}>",
                                    path_, file_.document().first_child().name()));
  }
  UrdfModel model;
  model.name = robot.attribute("name").value();
  model.compiler = Compiler(robot);
  search_.mesh_folder = model.compiler.mesh_folder;
  search_.strip_path = model.compiler.strip_path;
  for (const pugi::xml_node& node : robot.children()) {
    const std::string_view name = node.name();
    if (name == "link") model.links.push_back(Link(node));
    if (name == "joint") model.joints.push_back(Joint(node));
    owner_.clear();
    if (name.starts_with("xacro:")) {
      Fail(node,
           fmt::format("<{}>: this is a xacro file; expand it with the xacro program first", name));
      break;
    }
  }
  if (model.links.empty()) Fail(robot, "the robot has no links");
  if (model.links.size() > kMostUrdfParts || model.joints.size() > kMostUrdfParts) {
    return InvalidInput(fmt::format("{}: {} links and {} joints; at most {} of each are supported",
                                    path_, model.links.size(), model.joints.size(),
                                    kMostUrdfParts));
  }
  if (failures_ > kMostErrors) errors_ += fmt::format("\nand {} more", failures_ - kMostErrors);
  if (failures_ > 0) return InvalidInput(errors_);
  return model;
}

}  // namespace

Result<UrdfModel> ReadUrdf(const XmlFile& file, const std::string& path,
                           const std::vector<std::string>& packages) {
  return UrdfReader(file, path, packages).Read();
}

Result<UrdfModel> ReadUrdf(const std::string& path, const std::vector<std::string>& packages) {
  RW_ASSIGN(const XmlFile file, XmlFile::Load(path));
  return ReadUrdf(file, path, packages);
}

bool IsRotation(UrdfJointType type) {
  return type == UrdfJointType::kRevolute || type == UrdfJointType::kContinuous;
}
bool HasOneDegree(UrdfJointType type) {
  return IsRotation(type) || type == UrdfJointType::kPrismatic;
}

}  // namespace realward
