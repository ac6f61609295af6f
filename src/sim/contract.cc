#include "sim/contract.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/terms.h"

namespace realward {

Json MakeContract(const TaskSpec& task) {
  const Json json = ToJson(task);
  return {{"task", task.name},
          {"control_period_s", task.control_period},
          {"observations", json.at("observations")},
          {"observation_names", ObservationNames(task.observations, task.actions)},
          {"actions", json.at("actions")}};
}

Status CheckContract(const Json& contract, const TaskSpec& task) {
  const Json wanted = MakeContract(task);
  std::string differences;
  for (const char* key : {"control_period_s", "observations", "actions"}) {
    const Json mine = contract.is_object() && contract.contains(key) ? contract.at(key) : Json();
    if (mine == wanted.at(key)) continue;
    differences +=
        fmt::format("\n  {}: policy {}, task {}", key, mine.dump(), wanted.at(key).dump());
  }
  if (!differences.empty()) {
    return Refused(
        fmt::format("the policy's contract does not fit task '{}':{}", task.name, differences));
  }
  return {};
}

}  // namespace realward
