// The main job: logs → fit → train → evaluate → robot → report, from one file. Every stage is
// cached by the hash of its inputs, so a loop continues where it stopped and repeats nothing.
#ifndef REALWARD_JOBS_LOOP_H_
#define REALWARD_JOBS_LOOP_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "jobs/cache.h"
#include "jobs/html_report.h"
#include "jobs/loop_logs.h"
#include "spec/loop.h"
#include "spec/task.h"

namespace realward {

struct LoopOptions {
  int threads = 1;
  std::string output;    // folder of the run; empty: "run" beside the loop file
  std::string program;   // path of `realward`, to start the virtual robot
  DatasetPlaces places;  // where data sets may lie
  const std::atomic<bool>* stop = nullptr;
  // Told when a stage begins (share 0), goes on, and ends (share 1; "cached" when it was there
  // already).
  std::function<void(const std::string& stage, double share, const std::string& detail)> progress;
};

// What a run ended with.
struct LoopOutcome {
  LoopReport report;
  std::string report_path;  // the page; report.json with the same numbers lies beside it
  bool answer = true;       // false: success was asked for and the best policy misses it
};

// Errors: what is wrong with the inputs (everything is read and checked before the first stage
// starts), the environment, Interrupted. Finished stages are kept in every case. The report's bytes
// depend on the inputs only: not on threads, interruptions or time.
Result<LoopOutcome> RunLoop(const LoopSpec& loop, const LoopOptions& options);

}  // namespace realward

#endif  // REALWARD_JOBS_LOOP_H_
