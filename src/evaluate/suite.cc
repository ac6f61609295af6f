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

std::vector<TrialRecord> ToTrials(const std::string& policy, const std::string& suite,
                                  const std::vector<EpisodeSummary>& episodes) {
  std::vector<TrialRecord> records;
  for (const EpisodeSummary& e : episodes) {
    TrialRecord record;
    record.policy = policy;
    record.suite = suite;
    record.key = {static_cast<std::uint64_t>(e.world), std::to_string(e.unit),
                  std::to_string(e.episode)};
    record.end = e.end == EpisodeEnd::kTerminated ? TrialEnd::kTerminated
                 : e.end == EpisodeEnd::kDiverged ? TrialEnd::kDiverged
                                                  : TrialEnd::kHorizon;
    record.success = e.success;
    record.episode_return = e.episode_return;
    if (e.success) record.time_to_success = e.settle_time;
    records.push_back(record);
  }
  return records;
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
