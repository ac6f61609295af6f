// The one door by which a robot model comes in: MJCF or URDF, read safely, checked whole, and never
// changed without saying so.
#ifndef REALWARD_SPEC_MODEL_IMPORT_H_
#define REALWARD_SPEC_MODEL_IMPORT_H_

#include <string>
#include <vector>

#include "base/mujoco.h"
#include "spec/model_finding.h"

namespace realward {

struct ModelImport {
  ModelPtr model;  // null when a finding is an error
  std::vector<ModelFinding> findings;
  // What the model has and the file has not. Of a URDF, which has no actuators: a motor for each
  // joint that no other joint drives, of the joint's name, limited to its effort.
  std::vector<ModelRepair> repairs;
};

struct ImportOptions {
  std::vector<std::string> packages = {};  // where package:// is looked for first
  bool fill_masses = false;                // give moving links without mass a little (urdf_mass.h)
  ModelEdit edit = nullptr;                // before it is compiled
};

// Reads, checks and compiles. A URDF keeps every link as a body, welded ones too, so that each
// frame has its name; a mimic that cannot be kept is left out; meshes are where FindMesh finds
// them. Errors: what safe_xml.h refuses, a file of another kind, what the compiler refuses. What a
// check finds is no error here: findings come whole, so that all can be shown.
Result<ModelImport> InspectModel(const std::string& path, const ImportOptions& options = {});

// The model. The error names every finding that is one.
Result<ModelPtr> ImportModel(const std::string& path, const ImportOptions& options = {});

// What a compiled model says that is probably not meant: a servo's control range in degrees, a
// joint range that is one.
std::vector<ModelFinding> CheckCompiled(const mjModel& model);

}  // namespace realward

#endif  // REALWARD_SPEC_MODEL_IMPORT_H_
