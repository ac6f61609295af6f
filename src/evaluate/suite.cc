#include "evaluate/suite.h"

#include <algorithm>

#include "sim/contract.h"

namespace realward {
namespace {

void ActMean(const void* context, const StreamId&, std::span<const float> observation,
             std::span<float> action) {
  PolicyForward(*static_cast<const PolicyNetwork*>(context), observation, action);
}

}  // namespace

Result<std::vector<EpisodeSummary>> RunSuite(const PolicyArtifact& policy, const TaskSpec& task,
                                             const GapSpec& gap, const SuiteOptions& options) {
  RW_TRY(CheckContract(policy.contract, task));
  EnvironmentOptions environment;
  environment.worlds = options.worlds;
  environment.threads = options.threads;
  environment.seed = options.seed;
  environment.auto_reset = false;
  RW_ASSIGN(const auto env, Environments::Make(task, gap, environment));
  if (env->observation_size() != policy.network.observation_size() ||
      env->action_size() != policy.network.action_size()) {
    return Refused("policy '" + policy.name +
                   "' has other observation or action sizes than task '" + task.name + "'");
  }
  std::vector<EpisodeSummary> episodes;
  while (env->running_count() > 0) {
    if (options.stop != nullptr && options.stop->load()) {
      return Interrupted("evaluation of '" + policy.name + "' stopped; nothing was written");
    }
    env->Step(&ActMean, &policy.network);
    episodes.insert(episodes.end(), env->finished().begin(), env->finished().end());
  }
  std::sort(episodes.begin(), episodes.end(),
            [](const EpisodeSummary& a, const EpisodeSummary& b) { return a.world < b.world; });
  return episodes;
}

Result<GapDecomposition> DecomposeGap(const PolicyArtifact& policy, const TaskSpec& task,
                                      const GapSpec& gap, const SuiteOptions& options) {
  GapDecomposition result;
  GapSpec part;
  part.name = "nominal";
  RW_ASSIGN(result.nominal, RunSuite(policy, task, part, options));
  RW_ASSIGN(result.together, RunSuite(policy, task, gap, options));
  for (const GapParameter& parameter : gap.parameters) {
    part.name = "only " + parameter.name;
    part.parameters = {parameter};
    RW_ASSIGN(std::vector<EpisodeSummary> episodes, RunSuite(policy, task, part, options));
    result.parameters.push_back(parameter.name);
    result.alone.push_back(std::move(episodes));
  }
  return result;
}

}  // namespace realward
