// What an evaluation found: by policy and suite, the gaps between suites, and policies compared. A
// value; its JSON form is deterministic: the same trials in any order, and the same seed, give the
// same bytes.
#ifndef REALWARD_EVALUATE_REPORT_H_
#define REALWARD_EVALUATE_REPORT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "evaluate/bootstrap.h"
#include "evaluate/compare.h"
#include "evaluate/gap_measure.h"
#include "evaluate/statistics.h"
#include "evaluate/trial.h"

namespace realward {

// Which gap: `policy` on `real_suite` against the same policy on `sim_suite`.
struct GapRequest {
  std::string policy;
  std::string real_suite;
  std::string sim_suite;
  // Paired joins trials of equal seed and initial state (worlds differ by nature); those without a
  // partner are left out.
  Pairing pairing = Pairing::kUnpaired;
};

// Which comparison; an empty suite means all of them.
struct CompareRequest {
  std::string policy_a;
  std::string policy_b;
  std::string suite;
};

struct ReportRequest {
  std::uint64_t seed = 0;  // of the bootstraps
  double confidence = 0.95;
  int resamples = 9999;
  // The order of rows; names that are not listed follow in alphabetical order.
  std::vector<std::string> policies;
  std::vector<std::string> suites;
  std::vector<GapRequest> gaps;
  std::vector<CompareRequest> comparisons;
  std::vector<std::string> parents;  // content hashes of what was evaluated
};

// One policy on one suite.
struct SuiteResult {
  TrialSummary trials;                          // with policy, suite and the success rate
  MeanEstimate episode_return;                  // over counted trials that have a return
  std::optional<MeanEstimate> time_to_success;  // s; over successes; none where no trial gives it
};

struct GapResult {
  GapRequest request;
  RateDifference success;     // rate on real − rate on sim; Newcombe, independent samples
  GapMeasure episode_return;  // Δ and GapRatio of the return
};

struct CompareResult {
  std::string suite;  // empty: all
  Comparison comparison;
};

struct EvalReport {
  std::uint64_t seed = 0;
  double confidence = 0.95;
  int resamples = 9999;
  std::string trials_hash;  // of all records, sorted
  std::vector<std::string> parents;
  std::vector<SuiteResult> results;
  std::vector<GapResult> gaps;
  std::vector<CompareResult> comparisons;
};

// Errors: those of SummarizeTrials, MeasureGap and ComparePolicies; a request that names an unknown
// policy or suite.
Result<EvalReport> MakeReport(std::span<const TrialRecord> trials, const ReportRequest& request);

// Without the trial records themselves. HashJson of it is the report's identity.
Json ToJson(const EvalReport& report);

}  // namespace realward

#endif  // REALWARD_EVALUATE_REPORT_H_
