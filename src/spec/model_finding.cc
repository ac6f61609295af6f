#include "spec/model_finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace realward {

const char* Name(ModelSeverity severity) {
  switch (severity) {
    case ModelSeverity::kNote:
      return "note";
    case ModelSeverity::kWarning:
      return "warning";
    case ModelSeverity::kError:
      return "error";
  }
  return "?";
}

std::string ToText(const ModelFinding& finding, const std::string& file) {
  const std::string place = finding.line > 0 ? fmt::format("{}:{}", file, finding.line) : file;
  const std::string object = finding.object.empty() ? "" : finding.object + ": ";
  return fmt::format("{}: {}: {}{}", place, Name(finding.severity), object, finding.message);
}

std::string ToText(const ModelRepair& repair) {
  return fmt::format("{}: {}: {} -> {}", repair.object, repair.what, repair.before, repair.after);
}

Json ToJson(const ModelFinding& finding) {
  Json json = {{"severity", Name(finding.severity)},
               {"object", finding.object},
               {"message", finding.message}};
  if (finding.line > 0) json["line"] = finding.line;
  return json;
}

Json ToJson(const ModelRepair& repair) {
  return {{"object", repair.object},
          {"what", repair.what},
          {"before", repair.before},
          {"after", repair.after}};
}

bool HasErrors(const std::vector<ModelFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const ModelFinding& finding) {
    return finding.severity == ModelSeverity::kError;
  });
}

}  // namespace realward
