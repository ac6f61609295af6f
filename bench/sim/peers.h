// The two sides of the comparison "batched simulation against a plain mj_step loop".
#ifndef REALWARD_BENCH_SIM_PEERS_H_
#define REALWARD_BENCH_SIM_PEERS_H_

#include <memory>
#include <string>

#include "base/result.h"
#include "sim/environments.h"

namespace realward::bench {

// mj_step in a loop, one mjData per thread, random controls, as a user would write it.
class PlainLoop {
 public:
  static Result<PlainLoop> Make(const std::string& task_path, int threads);
  // Control steps in total, divided over the threads. Returns a state hash.
  std::string Run(int control_steps, std::uint64_t round);

 private:
  std::shared_ptr<mjModel> model_;
  std::vector<std::shared_ptr<mjData>> data_;
  int substeps_ = 1;
};

// Environments with per-world friction, mass and damping, random actions.
class BatchedWorlds {
 public:
  static Result<BatchedWorlds> Make(const std::string& task_path, const std::string& gap_path,
                                    int worlds, int threads);
  // Rounded down to whole steps of all worlds; returns a state hash.
  std::string Run(int control_steps);

 private:
  std::unique_ptr<Environments> env_;
};

}  // namespace realward::bench

#endif  // REALWARD_BENCH_SIM_PEERS_H_
