// The success rate of a *method*: several training seeds give several policies, and the seeds are
// the sample. Episodes of one policy share its luck; pooling them claims a precision that is not
// there.
#ifndef REALWARD_EVALUATE_REPLICATION_H_
#define REALWARD_EVALUATE_REPLICATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "evaluate/bootstrap.h"
#include "evaluate/statistics.h"

namespace realward {

// One trained policy.
struct SeedResult {
  std::string training_seed;
  std::int64_t successes = 0;
  std::int64_t trials = 0;  // > 0
};

struct MethodEstimate {
  std::string replication = "training seed";  // the unit that mean and intervals are over
  std::int64_t trials = 0;                    // in total; not the sample size
  std::vector<Proportion>
      policies;  // each single policy, in the order given, with its own interval
  MeanState state = MeanState::kNotMeasured;
  std::optional<double> mean;            // of the policies' rates, each weighing the same
  std::optional<double> standard_error;  // over seeds; from two seeds on
  std::optional<Interval>
      t_interval;  // mean ± t · standard error, may leave [0, 1]; if there is spread
  // What to show: t_interval cut to [0, 1]. Without spread between seeds the Wilson interval of the
  // pooled trials, which then is a lower bound of the uncertainty. None with one seed.
  std::optional<Interval> interval;
  std::string interval_method;  // names the above
  MeanEstimate bootstrap;       // whole seeds resampled; too narrow for few seeds, for comparison
  double confidence = 0.95;
};

// Errors: bad counts, a seed without trials, a seed given twice, bad options.
Result<MethodEstimate> MeasureMethod(std::span<const SeedResult> seeds,
                                     const BootstrapOptions& options, Stream& random);

Json ToJson(const Proportion& proportion);
Json ToJson(const MethodEstimate& method);

}  // namespace realward

#endif  // REALWARD_EVALUATE_REPLICATION_H_
