#include "peers.h"

#include <cmath>
#include <thread>

#include "base/hash.h"
#include "base/random.h"

namespace realward::bench {

Result<PlainLoop> PlainLoop::Make(const std::string& task_path, int threads) {
  PlainLoop loop;
  RW_ASSIGN(const TaskSpec task, LoadTask(task_path));
  RW_ASSIGN(ModelPtr model, LoadModel(task.model_path));
  loop.substeps_ = static_cast<int>(std::lround(task.control_period / model->opt.timestep));
  for (int t = 0; t < threads; ++t)
    loop.data_.emplace_back(mj_makeData(model.get()), mj_deleteData);
  loop.model_ = std::shared_ptr<mjModel>(model.release(), mj_deleteModel);
  return loop;
}

std::string PlainLoop::Run(int control_steps, std::uint64_t round) {
  const int share = control_steps / static_cast<int>(data_.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < data_.size(); ++t) {
    threads.emplace_back([&, t] {
      const mjModel* m = model_.get();
      mjData* d = data_[t].get();
      Stream stream({1, Purpose::kTest, static_cast<std::uint32_t>(t), 0, round, 0});
      for (int s = 0; s < share; ++s) {
        for (int u = 0; u < m->nu; ++u) d->ctrl[u] = stream.Uniform(-1.0, 1.0);
        for (int k = 0; k < substeps_; ++k) mj_step(m, d);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Sha256 hash;
  for (const auto& d : data_) hash.UpdateValues(std::span<const mjtNum>(d->qpos, model_->nq));
  return hash.Hex();
}

namespace {
void ActRandomly(const void*, const StreamId& id, std::span<const float>, std::span<float> action) {
  Stream stream(id);
  for (float& a : action) a = static_cast<float>(stream.Uniform(-1.0, 1.0));
}
}  // namespace

Result<BatchedWorlds> BatchedWorlds::Make(const std::string& task_path, const std::string& gap_path,
                                          int worlds, int threads) {
  BatchedWorlds batched;
  RW_ASSIGN(const TaskSpec task, LoadTask(task_path));
  RW_ASSIGN(const GapSpec gap, LoadGap(gap_path));
  EnvironmentOptions options;
  options.worlds = worlds;
  options.threads = threads;
  options.fresh_units = true;
  RW_ASSIGN(batched.env_, Environments::Make(task, gap, options));
  return batched;
}

std::string BatchedWorlds::Run(int control_steps) {
  for (int s = 0; s < control_steps / env_->worlds(); ++s) env_->Step(&ActRandomly, nullptr);
  return env_->StateHash();
}

}  // namespace realward::bench
