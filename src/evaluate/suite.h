// Suites: one policy in many worlds, one episode each.
#ifndef REALWARD_EVALUATE_SUITE_H_
#define REALWARD_EVALUATE_SUITE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/policy.h"
#include "evaluate/trial.h"
#include "sim/environments.h"
#include "spec/gap.h"
#include "spec/task.h"

namespace realward {

struct SuiteOptions {
  int worlds = 200;
  int threads = 1;
  std::uint64_t seed =
      1;  // worlds and start states; equal seeds make suites comparable world by world
  const std::atomic<bool>* stop = nullptr;
};

// Runs the policy (mean action) for one episode in each of `worlds` worlds: world w is unit w, so
// two policies meet the same worlds and start states. Results are in world order and do not depend
// on threads. Errors: Refused if the policy's contract does not fit the task; what
// Environments::Make refuses; Interrupted.
Result<std::vector<EpisodeSummary>> RunSuite(const PolicyArtifact& policy, const TaskSpec& task,
                                             const GapSpec& gap, const SuiteOptions& options);

// The episodes as trials of `policy` on `suite`; a trial's key is its world, so that policies pair
// up.
std::vector<TrialRecord> ToTrials(const std::string& policy, const std::string& suite,
                                  const std::vector<EpisodeSummary>& episodes);

// How a policy's results move when the parameters of `gap` act alone and together.
struct GapDecomposition {
  std::vector<std::string> parameters;
  std::vector<EpisodeSummary> nominal;             // no parameter acts
  std::vector<EpisodeSummary> together;            // all act
  std::vector<std::vector<EpisodeSummary>> alone;  // one acts
};
// All runs share worlds and start states: a parameter's draw is the same alone and together
// (without its correlation with others).
Result<GapDecomposition> DecomposeGap(const PolicyArtifact& policy, const TaskSpec& task,
                                      const GapSpec& gap, const SuiteOptions& options);

}  // namespace realward

#endif  // REALWARD_EVALUATE_SUITE_H_
