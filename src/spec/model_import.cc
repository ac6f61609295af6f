#include "spec/model_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <sstream>

#include "base/check.h"
#include "spec/mesh_path.h"
#include "spec/safe_xml.h"
#include "spec/urdf_check.h"
#include "spec/urdf_mass.h"
#include "spec/urdf_text.h"

namespace realward {
namespace {

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The document as the engine shall read it: no mimic that cannot be kept, meshes by their own path.
std::string TextForEngine(XmlFile& file, const UrdfModel& urdf) {
  pugi::xml_node robot = file.document().child("robot");
  const std::vector<bool> usable = UsableMimics(urdf);
  std::size_t joint = 0;
  for (pugi::xml_node node : robot.children("joint")) {
    if (joint < usable.size() && !usable[joint]) node.remove_child("mimic");
    ++joint;
  }
  std::size_t link = 0;
  for (pugi::xml_node node : robot.children("link")) {
    if (link >= urdf.links.size()) break;
    const auto& meshes = urdf.links[link++].meshes;
    for (pugi::xml_node shape : node.children()) {
      pugi::xml_node used = shape.child("geometry").child("mesh");
      if (!used) continue;
      const auto found = std::find_if(meshes.begin(), meshes.end(), [&](const UrdfMesh& m) {
        return m.file == used.attribute("filename").value();
      });
      if (found != meshes.end() && !found->place.path.empty())
        used.attribute("filename").set_value(found->place.path.c_str());
    }
  }
  std::ostringstream text;
  file.document().save(text);
  return text.str();
}

void WriteMasses(const UrdfModel& urdf, mjSpec* spec) {
  for (const UrdfLink& link : urdf.links) {
    mjsBody* body = mjs_findBody(spec, link.name.c_str());
    if (body == nullptr || !link.inertial || !link.inertial->mass || !link.inertial->inertia)
      continue;
    body->explicitinertial = 1;
    body->mass = *link.inertial->mass;
    std::copy(link.inertial->inertia->begin(), link.inertial->inertia->end(), body->fullinertia);
    std::copy(link.inertial->origin.xyz.begin(), link.inertial->origin.xyz.end(), body->ipos);
  }
}

// A URDF has no actuators; a policy needs some.
void AddMotors(const UrdfModel& urdf, mjSpec* spec, std::vector<ModelRepair>& repairs) {
  if (mjs_firstElement(spec, mjOBJ_ACTUATOR) != nullptr) return;
  const std::vector<bool> follows = UsableMimics(urdf);
  for (std::size_t j = 0; j < urdf.joints.size(); ++j) {
    const UrdfJoint& joint = urdf.joints[j];
    if (!HasOneDegree(joint.type) || follows[j]) continue;
    const auto effort = joint.limit ? joint.limit->effort : std::nullopt;
    if (effort && *effort <= 0.0) continue;  // found already: it cannot be driven
    mjsActuator* motor = mjs_addActuator(spec, nullptr);
    mjs_setName(motor->element, joint.name.c_str());
    mjs_setToMotor(motor);
    motor->trntype = mjTRN_JOINT;
    mjs_setString(motor->target, joint.name.c_str());
    const char* unit = IsRotation(joint.type) ? "N*m" : "N";
    std::string after = fmt::format("a motor, unlimited ({})", unit);
    if (effort) {
      motor->ctrllimited = mjLIMITED_TRUE;
      motor->ctrlrange[0] = -*effort;
      motor->ctrlrange[1] = *effort;
      after = fmt::format("a motor of ±{:.6g} {}", *effort, unit);
    }
    repairs.push_back({fmt::format("joint '{}'", joint.name), "actuator", "none", after});
  }
}

Result<ModelImport> Compiled(SpecPtr spec, const std::string& path, ModelImport import,
                             const ImportOptions& options) {
  if (options.edit != nullptr) options.edit(spec.get());
  RW_ASSIGN(import.model, CompileSpec(spec.get(), "model " + path));
  for (ModelFinding& finding : CheckCompiled(*import.model))
    import.findings.push_back(std::move(finding));
  return import;
}

Result<ModelImport> InspectUrdf(XmlFile file, const std::string& path,
                                const ImportOptions& options) {
  ModelImport import;
  RW_ASSIGN(UrdfModel urdf, ReadUrdf(file, path, options.packages));
  import.repairs = FillMasses(urdf, !options.fill_masses);
  const bool filled = !import.repairs.empty();
  import.findings = CheckUrdf(urdf);
  for (ModelFinding& finding : CheckMasses(urdf)) import.findings.push_back(std::move(finding));
  std::stable_sort(import.findings.begin(), import.findings.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  if (HasErrors(import.findings)) return import;
  std::array<char, 1024> error{};
  const std::string text = TextForEngine(file, urdf);
  SpecPtr spec(mj_parseXMLString(text.c_str(), nullptr, error.data(), error.size()));
  if (!spec)
    return InvalidInput(fmt::format("model {} cannot be read: {}", path, Trimmed(error.data())));
  spec->compiler.fusestatic = 0;
  spec->strippath = 0;
  if (filled) WriteMasses(urdf, spec.get());
  AddMotors(urdf, spec.get(), import.repairs);
  return Compiled(std::move(spec), path, std::move(import), options);
}

Result<ModelImport> InspectMjcf(const std::string& path, const ImportOptions& options) {
  std::array<char, 1024> error{};
  SpecPtr spec(mj_parseXML(path.c_str(), nullptr, error.data(), error.size()));
  if (!spec)
    return InvalidInput(fmt::format("model {} cannot be read: {}", path, Trimmed(error.data())));
  return Compiled(std::move(spec), path, {}, options);
}

bool IsServo(const mjModel& m, int actuator) {
  return m.actuator_biastype[actuator] == mjBIAS_AFFINE &&
         m.actuator_biasprm[mjNBIAS * actuator + 1] != 0.0;
}

}  // namespace

std::vector<ModelFinding> CheckCompiled(const mjModel& model) {
  std::vector<ModelFinding> findings;
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  for (int j = 0; j < model.njnt; ++j) {
    if (model.jnt_type[j] != mjJNT_HINGE || !model.jnt_limited[j]) continue;
    const mjtNum* range = model.jnt_range + 2 * j;
    if (LooksLikeDegrees(range[0], range[1]))
      findings.push_back(
          {ModelSeverity::kWarning, fmt::format("joint '{}'", joints[j]),
           fmt::format("its range {:.6g} to {:.6g} rad looks like degrees", range[0], range[1])});
  }
  const std::vector<std::string> actuators = ObjectNames(model, mjOBJ_ACTUATOR);
  for (int u = 0; u < model.nu; ++u) {
    if (model.actuator_trntype[u] != mjTRN_JOINT || !model.actuator_ctrllimited[u]) continue;
    const int j = model.actuator_trnid[2 * u];
    if (model.jnt_type[j] != mjJNT_HINGE || !model.jnt_limited[j] || !IsServo(model, u)) continue;
    const mjtNum* range = model.jnt_range + 2 * j;
    const mjtNum* control = model.actuator_ctrlrange + 2 * u;
    const double gear = std::abs(model.actuator_gear[6 * u]);
    const double ratio = (control[1] - control[0]) / (gear * (range[1] - range[0]));
    // 180/π = 57.3; half and twice that still cannot be meant.
    if (ratio < 0.5 * 180.0 / std::numbers::pi || ratio > 2.0 * 180.0 / std::numbers::pi) continue;
    findings.push_back(
        {ModelSeverity::kWarning, fmt::format("actuator '{}'", actuators[u]),
         fmt::format(
             "its control range {:.6g} to {:.6g} is {:.1f} times as wide as the range {:.6g} "
             "to {:.6g} rad of joint '{}': it looks like degrees; ctrlrange is in rad",
             control[0], control[1], ratio, range[0], range[1], joints[j])});
  }
  return findings;
}

Result<ModelImport> InspectModel(const std::string& path, const ImportOptions& options) {
  RW_ASSIGN(XmlFile file, XmlFile::Load(path));
  const std::string root = file.document().document_element().name();
  if (root == "robot") return InspectUrdf(std::move(file), path, options);
  if (root == "mujoco") return InspectMjcf(path, options);
  return InvalidInput(fmt::format(
      "model {}: its root element is <{:.60}>; valid: <mujoco> (MJCF) or <robot> (URDF)", path,
      root));
}

Result<ModelPtr> ImportModel(const std::string& path, const ImportOptions& options) {
  RW_ASSIGN(ModelImport import, InspectModel(path, options));
  if (import.model != nullptr) return std::move(import.model);
  std::string message = fmt::format("model {} cannot be used:", path);
  for (const ModelFinding& finding : import.findings) {
    if (finding.severity == ModelSeverity::kError) message += "\n" + ToText(finding, path);
  }
  return InvalidInput(message);
}

}  // namespace realward
