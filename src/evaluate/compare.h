// Two policies on the same trials. Pairs are made by key (suite, seed, world, initial state), never
// by the order of records; what has no partner is left out and listed.
#ifndef REALWARD_EVALUATE_COMPARE_H_
#define REALWARD_EVALUATE_COMPARE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "evaluate/bootstrap.h"
#include "evaluate/statistics.h"
#include "evaluate/trial.h"

namespace realward {

enum class ExclusionReason {
  kOnlyA,  // B has no trial of this seed
  kOnlyB,
  kWorldDiffers,         // both have the seed, but in different worlds
  kInitialStateDiffers,  // both have seed and world, but not the initial state
  kAborted,              // both were tried, and at least one never finished
};

// "only A", "only B", "world differs", "initial state differs", "aborted".
std::string_view Name(ExclusionReason reason);

struct Exclusion {
  std::string suite;
  std::uint64_t seed = 0;
  std::optional<TrialKey> a;  // A's trial, if it has one
  std::optional<TrialKey> b;
  ExclusionReason reason = ExclusionReason::kOnlyA;
};

enum class Verdict { kABetter, kBBetter, kNotShown };

// "A better", "B better", "not shown". Not shown is not "equal": the trials do not tell the two
// apart.
std::string_view Name(Verdict verdict);

struct CompareOptions {
  double alpha = 0.05;  // intervals have the confidence 1 − alpha
  int resamples = 9999;
};

struct Comparison {
  std::string policy_a;
  std::string policy_b;
  PairedTable table;
  std::vector<Exclusion> excluded;  // sorted by suite, then seed
  RateDifference success;           // rate of A − rate of B over the pairs
  double p_value = 1.0;
  std::string test = "exact McNemar, two-sided";    // what the verdict rests on
  std::string interval_method = "Newcombe paired";  // of `success`
  MeanEstimate return_difference;  // A − B, over the pairs where both have a return
  double alpha = 0.05;
  Verdict verdict = Verdict::kNotShown;
  // The verdict were every aborted trial a failure of its policy. Where it differs, aborts decide.
  double p_value_aborts_fail = 1.0;
  Verdict verdict_aborts_fail = Verdict::kNotShown;
};

// Each span holds the trials of one policy, on one or more suites, with all attempts (see
// SummarizeTrials). Errors: those of SummarizeTrials; no trial on a side; several policies on a
// side; the same policy on both.
Result<Comparison> ComparePolicies(std::span<const TrialRecord> a, std::span<const TrialRecord> b,
                                   const CompareOptions& options, Stream& random);

Json ToJson(const RateDifference& difference);
Json ToJson(const Comparison& comparison);

}  // namespace realward

#endif  // REALWARD_EVALUATE_COMPARE_H_
