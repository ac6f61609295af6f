// The main job in one file: logs → fit → train → evaluate (simulated suites and the robot) →
// report.
#ifndef REALWARD_SPEC_LOOP_H_
#define REALWARD_SPEC_LOOP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

// How a policy is trained. See train/ppo.h for what each number means; defaults are the published
// ones of Schulman et al. 2017 where they say one.
struct TrainSpec {
  std::int64_t steps = 1'000'000;  // control steps in total
  int worlds = 256;
  int rollout_steps = 32;  // control steps per world and update
  int epochs = 5;
  int minibatches = 4;
  double discount = 0.99;
  double gae_lambda = 0.95;
  double clip = 0.2;
  double value_weight = 0.5;
  double entropy_weight = 0.0;
  double learning_rate = 3e-4;
  std::string schedule = "adaptive";  // "adaptive" (by KL), "linear" (annealed to 0), "constant"
  double target_kl = 0.01;
  double max_gradient_norm = 0.5;
  double initial_std = 0.6;  // of the Gaussian policy, action units
  std::vector<int> hidden = {64, 64};
  bool normalise_observations = true;
  bool normalise_returns = true;
  int checkpoint_every = 20;  // updates
};

struct FitSpec {
  std::string gap_path;          // gap spec whose parameters with bounds are fitted
  double segment = 0.5;          // s, length of a shooting segment
  double position_noise = 0.0;   // rad or m; 0 = estimated from the data
  double velocity_noise = 0.0;   // rad/s or m/s; 0 = estimated from the data
  bool use_velocities = true;    // false: logged velocities (often filtered and late) are left out
  double position_defect = 0.0;  // allowed jump between segments (process noise), rad or m
  double velocity_defect = 0.0;  // rad/s or m/s
  double huber = 3.0;            // residuals beyond this many sigmas count linearly
  int starts = 1;                // restarts from random points inside the bounds
  int max_iterations = 100;
  double validation_window = 0.0;  // s; windows of the validation besides the whole run; 0 = none
};

// One recording, or a stretch of it.
struct LogFile {
  std::string path;    // a name inside the data set, or a path
  double from = 0.0;   // s, in the log's own time
  double until = 0.0;  // s; 0: to the end
};

struct LogsSpec {
  std::string dataset;       // content/datasets name; empty when paths are plain files
  std::string mapping_path;  // which column is what
  std::vector<LogFile> fit;
  std::vector<LogFile> validate;
  // Used when the data set is not to be had: the virtual robot with this gap spec makes the logs.
  std::string fallback_gap_path;
  std::uint64_t fallback_seed = 7;
};

struct PolicySpec {
  std::string name;
  std::vector<std::string> gaps;  // gap files, or "fit" for the posterior; none = nominal world
};

struct SuiteSpec {
  std::string name;
  std::vector<std::string> gaps;  // as above; composed in order
  int worlds = 200;
  bool held_out = false;  // its worlds lie outside what was trained on: the verdict's evidence
};

struct RobotSpec {
  std::string name;      // for reports
  std::string gap_path;  // hidden world of the virtual robot; "" when endpoint is set
  std::uint64_t seed = 1234;
  std::string endpoint;  // "unix:/path" or "tcp:host:port" of a running robot
  int trials = 100;
};

struct LoopSpec {
  std::string name;
  std::string file;
  std::string task_path;
  std::uint64_t seed = 1;
  LogsSpec logs;
  FitSpec fit;
  TrainSpec train;
  std::vector<PolicySpec> policies;
  std::vector<SuiteSpec> suites;
  std::optional<RobotSpec> robot;
  std::string baseline;  // policy that others are compared with (paired); default: the first
  // Success that is asked for in held-out suites; a loop whose best policy misses it says no (exit
  // status 1).
  std::optional<double> wanted_success;
};

// What stands in a list of gaps for the gap spec that this loop's fit gives.
inline constexpr const char* kFittedGap = "fit";

// Reads a loop file strictly; relative paths are relative to the file and become absolute.
// README.md gives the form. Checked here: the files it names exist, names are unique, and "fit" is
// used only with logs. What those files hold is checked by their own readers. Without logs,
// logs.fit is empty.
Result<LoopSpec> LoadLoop(const std::string& path);

// For the identity of a stage. gap_path is left out: where a gap spec lies is no part of a result,
// and its content has its own hash.
Json ToJson(const TrainSpec& train);
Json ToJson(const FitSpec& fit);

}  // namespace realward

#endif  // REALWARD_SPEC_LOOP_H_
