// What is wrong or noteworthy in a robot model, and what was done about it. A repair is only ever
// made on request, and each one is listed with the value before and after.
#ifndef REALWARD_SPEC_MODEL_FINDING_H_
#define REALWARD_SPEC_MODEL_FINDING_H_

#include <string>
#include <vector>

#include "base/hash.h"

namespace realward {

enum class ModelSeverity {
  kNote,     // something was decided that the file leaves open
  kWarning,  // the model can be used, and is probably not what was meant
  kError,    // the model cannot be used
};

struct ModelFinding {
  ModelSeverity severity = ModelSeverity::kNote;
  std::string object;   // "joint 'elbow'", "link 'base'", "actuator 'm1'"; empty: the whole model
  std::string message;  // what, with the value, and what would be valid
  int line = 0;         // of the file, from 1; 0 when it is not known
};

// A value that the imported model has and the file has not.
struct ModelRepair {
  std::string object;
  std::string what;    // "mass", "inertia", "mesh file", "actuator"
  std::string before;  // "none" when the file has no such value
  std::string after;
};

const char* Name(ModelSeverity severity);

// One line: "robot.urdf:12: error: joint 'elbow': …".
std::string ToText(const ModelFinding& finding, const std::string& file);
std::string ToText(const ModelRepair& repair);
Json ToJson(const ModelFinding& finding);
Json ToJson(const ModelRepair& repair);

bool HasErrors(const std::vector<ModelFinding>& findings);

}  // namespace realward

#endif  // REALWARD_SPEC_MODEL_FINDING_H_
