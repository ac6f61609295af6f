// The training runner: environments + learner + normalisers + checkpoints + learning curve.
#ifndef REALWARD_TRAIN_TRAINER_H_
#define REALWARD_TRAIN_TRAINER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/policy.h"
#include "spec/gap.h"
#include "spec/loop.h"
#include "spec/task.h"

namespace realward {

// One row of the learning curve, after an update. Averages are over the last 100 finished episodes.
struct CurvePoint {
  std::int64_t steps = 0;
  double mean_return = 0.0;
  double success_rate = 0.0;
  std::int64_t episodes = 0;  // finished so far
  std::int64_t diverged = 0;  // of these
  double policy_loss = 0.0;
  double value_loss = 0.0;
  double kl = 0.0;
  double entropy = 0.0;
  double learning_rate = 0.0;
};

struct TrainJob {
  std::string name;  // of the policy
  TaskSpec task;
  GapSpec gap;
  TrainSpec spec;
  std::uint64_t seed = 1;
  int threads = 1;
  std::string folder;  // checkpoints and the curve are kept here
  bool resume = true;  // continue from the newest valid checkpoint in the folder, if there is one
  // Called after each update on the caller's thread.
  std::function<void(const CurvePoint&, std::int64_t total_steps)> progress;
  const std::atomic<bool>* stop = nullptr;  // set: write a checkpoint, return Interrupted
};

struct TrainOutcome {
  PolicyArtifact policy;
  std::vector<CurvePoint> curve;
  std::vector<std::string> notes;  // rejected checkpoints with their reasons, and what was resumed
};

// Trains to the end. The result depends on (task, gap, spec, seed) only: not on threads,
// interruptions or checkpoints. Errors: invalid specs; a full disk (the last good checkpoint
// stays); weights that stopped being finite; Interrupted.
Result<TrainOutcome> Train(const TrainJob& job);

// Curve as CSV text, and back.
std::string CurveToCsv(const std::vector<CurvePoint>& curve);
Result<std::vector<CurvePoint>> CurveFromCsv(const std::string& text);

// The newest checkpoint of a folder that verifies, and why newer ones were rejected.
struct CheckpointChoice {
  std::string path;  // "" when there is none
  std::vector<std::string> rejected;
};
CheckpointChoice FindCheckpoint(const std::string& folder);

}  // namespace realward

#endif  // REALWARD_TRAIN_TRAINER_H_
