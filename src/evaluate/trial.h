// Trials: one episode of one policy under one set of conditions, and which of them count. The same
// record comes from simulation, from the virtual robot and from hardware.
#ifndef REALWARD_EVALUATE_TRIAL_H_
#define REALWARD_EVALUATE_TRIAL_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "evaluate/statistics.h"

namespace realward {

// The conditions of a trial. Two trials are a pair only if all three agree.
struct TrialKey {
  std::uint64_t seed = 0;
  std::string world;  // which world: an index or a hash; empty when there is only one
  std::string
      initial_state;  // which initial state: an index or a hash; empty when the seed decides it
  auto operator<=>(const TrialKey&) const = default;
};

// "seed 543, world w1, initial state 4"; empty parts are left out.
std::string ToString(const TrialKey& key);

enum class TrialEnd {
  kHorizon,     // reached its time limit
  kTerminated,  // a termination condition of the task
  kDiverged,    // the engine reset the world or its state left what is physical: a failure, never a
                // success
  kAborted,     // did not finish, for a reason that is not, or not surely, the policy
  kEmergencyStop,  // did not finish because someone or something stopped the robot: maybe the
                   // policy's doing
};

// "horizon", "terminated", "diverged", "aborted", "emergency_stop".
std::string_view Name(TrialEnd end);

struct TrialRecord {
  std::string policy;
  std::string suite;
  TrialKey key;
  int attempt = 1;  // ≥ 1; a trial that is run again counts on
  TrialEnd end = TrialEnd::kHorizon;
  std::string reason;  // why it ended so, for people: "worker_crash"
  bool success = false;
  std::optional<double> episode_return;   // Σ reward, where a reward is known
  std::optional<double> time_to_success;  // s since the start, for a success
  bool finished() const { return end != TrialEnd::kAborted && end != TrialEnd::kEmergencyStop; }
};

// InvalidInput naming the trial: a success that was aborted or diverged, an attempt below 1, a
// number that is not finite, a name that is empty or not UTF-8.
Status CheckTrial(const TrialRecord& trial);

// Records as a JSON array, one object each. TrialsFromJson reads it back strictly.
Json ToJson(std::span<const TrialRecord> trials);
Result<std::vector<TrialRecord>> TrialsFromJson(const Json& json);

// What became of the planned trials of one policy on one suite.
struct TrialSummary {
  struct Retry {
    TrialKey key;
    int attempt = 0;
  };
  std::string policy;
  std::string suite;
  std::vector<TrialRecord>
      counted;  // finished ones, sorted by key, one each: what every statistic uses
  std::vector<TrialRecord> aborted;  // never finished; the last attempt
  std::vector<TrialKey> not_run;     // planned, but without a record
  std::vector<Retry>
      ignored_retries;  // of finished trials: else a failure could be repeated until it succeeds
  std::vector<Retry> replaced_aborts;     // the finished attempt that replaced an abort
  std::vector<TrialKey> emergency_stops;  // among the aborted
  std::map<std::string, int>
      abort_reasons;  // among the aborted, by reason, or by end where none is given
  std::int64_t planned = 0;
  std::int64_t successes = 0;
  std::int64_t diverged = 0;
  Proportion completed_rate;  // successes / finished
  // The rate over all planned trials, were each one that did not finish a failure (low) or a
  // success (high). [0, 1] when nothing was planned. No sampling error is in it.
  Interval planned_rate_bounds{0.0, 1.0};
};

// Decides which attempts count: of every trial its first finished attempt, by attempt number, never
// by the order of the records. Summaries are sorted by policy, then suite. `planned` adds the keys
// that should have been run, for every policy and suite; trials outside it are an error. Empty:
// what was recorded is what was planned. Errors: those of CheckTrial, and two records of one
// attempt of one trial.
Result<std::vector<TrialSummary>> SummarizeTrials(std::span<const TrialRecord> trials,
                                                  std::span<const TrialKey> planned = {},
                                                  double confidence = 0.95);

}  // namespace realward

#endif  // REALWARD_EVALUATE_TRIAL_H_
