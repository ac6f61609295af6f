// Proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347) on LibTorch: clipped
// surrogate (equation 7), squared value loss, entropy bonus, Adam, gradient-norm clipping; the
// learning rate adapts to the measured KL divergence (Schulman et al., section 4, applied to the
// step size), is annealed, or constant.
//
// The learner computes; it reads no files, draws nothing, logs nothing. Its result does not depend
// on the thread count: a minibatch is cut into a fixed number of shards whose gradients are added
// in shard order.
#ifndef REALWARD_TRAIN_PPO_H_
#define REALWARD_TRAIN_PPO_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/policy.h"
#include "base/record.h"
#include "base/view.h"
#include "spec/loop.h"

namespace realward {

// One rollout, flattened to samples. Observations are normalised already.
struct PpoBatch {
  MatrixView<const float> observations;  // samples × observation size
  MatrixView<const float> actions;       // samples × action size, before clipping to [−1, 1]
  std::span<const float> advantages;
  std::span<const float> returns;
};

struct PpoStats {
  double policy_loss = 0.0;
  double value_loss = 0.0;
  double entropy = 0.0;
  double kl = 0.0;  // mean over minibatches of KL(old ‖ new)
  double clip_fraction = 0.0;
  double gradient_norm = 0.0;  // before clipping, mean
  double learning_rate = 0.0;  // after the update
  bool finite = true;  // false: a loss or weight is NaN or infinite; the networks are then unusable
};

class PpoLearner {
 public:
  // Weights are drawn from (seed, kPolicyInit): orthogonal, gain √2 inside, 0.01 for the action and
  // 1 for the value head (Andrychowicz et al. 2021, arXiv 2006.05990, recommend a small last policy
  // layer).
  PpoLearner(int observation_size, int action_size, const TrainSpec& spec, std::uint64_t seed,
             int threads);
  ~PpoLearner();

  // Values of observations (rows × observation size), in reward-scaled units.
  void Values(MatrixView<const float> observations, std::span<float> values) const;
  // Epochs × minibatches of updates. `progress` in [0, 1) is the share of the budget that is used
  // (for the annealed rate). `update` addresses the shuffling stream.
  PpoStats Update(const PpoBatch& batch, double progress, std::uint64_t update);

  // The policy's layers and standard deviation, for acting (the normaliser is the caller's).
  std::vector<DenseLayer> PolicyLayers() const;
  std::vector<float> ActionStd() const;

  // Weights, optimiser moments and learning rate: what a bit-exact resume needs.
  void Save(Record& record) const;
  Status Load(const Record& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace realward

#endif  // REALWARD_TRAIN_PPO_H_
