#include "train/ppo.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/check.h"
#include "base/random.h"

// OpenBLAS splits large products over its own threads, which changes the order of sums.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace realward {
namespace {

constexpr int kShards = 4;
constexpr double kLowestRate = 1e-5;
constexpr double kHighestRate = 1e-2;
constexpr double kRateStep = 1.5;

torch::Tensor Wrap(MatrixView<const float> view) {
  return torch::from_blob(const_cast<float*>(view.data()),
                          {static_cast<long>(view.rows()), static_cast<long>(view.cols())},
                          torch::kFloat32);
}
torch::Tensor Wrap(std::span<const float> values) {
  return torch::from_blob(const_cast<float*>(values.data()), {static_cast<long>(values.size())},
                          torch::kFloat32);
}

// A row-orthogonal or column-orthogonal matrix (in × out) times gain, by Gram–Schmidt on normal
// draws.
torch::Tensor OrthogonalMatrix(int in, int out, double gain, Stream& stream) {
  const int longer = std::max(in, out), shorter = std::min(in, out);
  std::vector<std::vector<double>> vectors;
  while (static_cast<int>(vectors.size()) < shorter) {
    std::vector<double> v(longer);
    for (double& x : v) x = stream.Normal();
    for (const std::vector<double>& u : vectors) {
      const double dot = std::inner_product(v.begin(), v.end(), u.begin(), 0.0);
      for (int i = 0; i < longer; ++i) v[i] -= dot * u[i];
    }
    const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (norm < 1e-6) continue;  // linearly dependent draw: take another
    for (double& x : v) x /= norm;
    vectors.push_back(std::move(v));
  }
  torch::Tensor matrix = torch::empty({in, out}, torch::kFloat32);
  auto values = matrix.accessor<float, 2>();
  for (int i = 0; i < in; ++i) {
    for (int j = 0; j < out; ++j) {
      values[i][j] = static_cast<float>(gain * (in >= out ? vectors[j][i] : vectors[i][j]));
    }
  }
  return matrix;
}

// Weights (in × out) and biases in turn.
using Parameters = std::vector<torch::Tensor>;

Parameters MakeMlp(const std::vector<int>& sizes, double last_gain, Stream& stream) {
  Parameters parameters;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const double gain = l + 2 == sizes.size() ? last_gain : std::numbers::sqrt2;
    parameters.push_back(
        OrthogonalMatrix(sizes[l], sizes[l + 1], gain, stream).set_requires_grad(true));
    parameters.push_back(torch::zeros({sizes[l + 1]}).set_requires_grad(true));
  }
  return parameters;
}

torch::Tensor Forward(const Parameters& parameters, torch::Tensor x) {
  for (std::size_t l = 0; l < parameters.size(); l += 2) {
    x = torch::addmm(parameters[l + 1], x, parameters[l]);
    if (l + 2 < parameters.size()) x = torch::tanh(x);
  }
  return x;
}

torch::Tensor LogProbability(const torch::Tensor& mean, const torch::Tensor& log_std,
                             const torch::Tensor& action) {
  const torch::Tensor z = (action - mean) * torch::exp(-log_std);
  return (-0.5 * z * z - log_std).sum(1) -
         0.5 * std::log(2.0 * std::numbers::pi) * static_cast<double>(action.size(1));
}

std::span<const float> ValuesOf(const torch::Tensor& t) {
  return {t.data_ptr<float>(), static_cast<std::size_t>(t.numel())};
}
std::span<float> MutableValuesOf(torch::Tensor& t) {
  return {t.data_ptr<float>(), static_cast<std::size_t>(t.numel())};
}

// Adam (Kingma and Ba 2015, algorithm 1). LibTorch's own keeps its moments under memory addresses,
// so that equal states do not have equal bytes in a checkpoint.
class Adam {
 public:
  Adam() = default;
  explicit Adam(const std::vector<torch::Tensor>& parameters) {
    for (const torch::Tensor& p : parameters) {
      first_.push_back(torch::zeros_like(p));
      second_.push_back(torch::zeros_like(p));
    }
  }
  // One step along the parameters' gradients.
  void Step(std::vector<torch::Tensor>& parameters, double rate) {
    const torch::NoGradGuard no_grad;
    ++steps_;
    const double scale = rate / (1.0 - std::pow(kBeta1, steps_));
    const double root = std::sqrt(1.0 - std::pow(kBeta2, steps_));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const torch::Tensor& gradient = parameters[i].grad();
      first_[i].mul_(kBeta1).add_(gradient, 1.0 - kBeta1);
      second_[i].mul_(kBeta2).addcmul_(gradient, gradient, 1.0 - kBeta2);
      parameters[i].addcdiv_(first_[i], second_[i].sqrt().div_(root).add_(kEpsilon), -scale);
    }
  }
  void Save(Record& record) const {
    record.Put("adam.steps", std::span<const std::int64_t>(&steps_, 1));
    for (std::size_t i = 0; i < first_.size(); ++i) {
      record.Put("adam.first." + std::to_string(i), ValuesOf(first_[i]));
      record.Put("adam.second." + std::to_string(i), ValuesOf(second_[i]));
    }
  }
  Status Load(const Record& record) {
    RW_TRY(record.Get("adam.steps", std::span<std::int64_t>(&steps_, 1)));
    for (std::size_t i = 0; i < first_.size(); ++i) {
      RW_TRY(record.Get("adam.first." + std::to_string(i), MutableValuesOf(first_[i])));
      RW_TRY(record.Get("adam.second." + std::to_string(i), MutableValuesOf(second_[i])));
    }
    return {};
  }

 private:
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-5;
  std::vector<torch::Tensor> first_, second_;
  std::int64_t steps_ = 0;
};

// What one shard of one minibatch contributes.
struct ShardResult {
  std::vector<torch::Tensor> gradients;
  double policy_loss = 0.0, value_loss = 0.0, kl = 0.0, clipped = 0.0;
};

}  // namespace

struct PpoLearner::State {
  TrainSpec spec;
  std::uint64_t seed = 0;
  double rate = 0.0;
  Parameters policy, value;
  torch::Tensor log_std;
  std::vector<torch::Tensor> all;  // policy, value, log_std: the optimiser's order
  Adam optimiser;
  std::unique_ptr<Workers> workers;

  ShardResult Shard(const std::vector<torch::Tensor>& sample, double total) const;
  bool Step(const std::vector<ShardResult>& shards, PpoStats& stats);
  void AdaptRate(double kl, double progress);
};

PpoLearner::PpoLearner(int observation_size, int action_size, const TrainSpec& spec,
                       std::uint64_t seed, int threads)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.spec = spec;
  s.seed = seed;
  s.rate = spec.learning_rate;
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  s.workers = std::make_unique<Workers>(threads, [] { at::set_num_threads(1); });
  Stream stream({seed, Purpose::kPolicyInit, 0, 0, 0, 0});
  std::vector<int> sizes = {observation_size};
  sizes.insert(sizes.end(), spec.hidden.begin(), spec.hidden.end());
  sizes.push_back(action_size);
  s.policy = MakeMlp(sizes, 0.01, stream);
  sizes.back() = 1;
  s.value = MakeMlp(sizes, 1.0, stream);
  s.log_std = torch::full({action_size}, std::log(spec.initial_std), torch::kFloat32)
                  .set_requires_grad(true);
  s.all = s.policy;
  s.all.insert(s.all.end(), s.value.begin(), s.value.end());
  s.all.push_back(s.log_std);
  s.optimiser = Adam(s.all);
}

PpoLearner::~PpoLearner() = default;

void PpoLearner::Values(MatrixView<const float> observations, std::span<float> values) const {
  // Fixed chunks: the same products whatever the thread count.
  constexpr std::size_t kRows = 2048;
  const std::size_t chunks = (observations.rows() + kRows - 1) / kRows;
  state_->workers->Run(static_cast<int>(chunks), [&](int chunk) {
    const torch::NoGradGuard no_grad;
    const std::size_t first = static_cast<std::size_t>(chunk) * kRows;
    const std::size_t rows = std::min(kRows, observations.rows() - first);
    const MatrixView<const float> part(observations.data() + first * observations.cols(), rows,
                                       observations.cols());
    const torch::Tensor out = Forward(state_->value, Wrap(part));
    std::copy_n(out.data_ptr<float>(), rows, values.begin() + static_cast<std::ptrdiff_t>(first));
  });
}

// sample: observations, actions, advantages, returns, old log-probabilities, old means, old
// log-std.
ShardResult PpoLearner::State::Shard(const std::vector<torch::Tensor>& sample, double total) const {
  const torch::Tensor mean = Forward(policy, sample[0]);
  const torch::Tensor ratio = torch::exp(LogProbability(mean, log_std, sample[1]) - sample[4]);
  const torch::Tensor clipped = torch::clamp(ratio, 1.0 - spec.clip, 1.0 + spec.clip);
  const torch::Tensor policy_loss =
      -torch::min(ratio * sample[2], clipped * sample[2]).sum() / total;
  const torch::Tensor error = Forward(value, sample[0]).squeeze(1) - sample[3];
  const torch::Tensor value_loss = (error * error).sum() / total;
  const double share = static_cast<double>(sample[0].size(0)) / total;
  const torch::Tensor entropy = log_std.sum() * share;
  const torch::Tensor loss =
      policy_loss + spec.value_weight * value_loss - spec.entropy_weight * entropy;
  ShardResult result;
  result.gradients = torch::autograd::grad({loss}, all, {}, false, false, true);
  {
    const torch::NoGradGuard no_grad;
    result.policy_loss = policy_loss.item<double>();
    result.value_loss = value_loss.item<double>();
    result.clipped = (torch::abs(ratio - 1.0) > spec.clip).sum().item<double>() / total;
    const torch::Tensor d = mean - sample[5];
    const torch::Tensor kl =
        log_std - sample[6] +
        0.5 * (torch::exp(2.0 * (sample[6] - log_std)) + d * d * torch::exp(-2.0 * log_std)) - 0.5;
    result.kl = kl.sum().item<double>() / total;
  }
  return result;
}

// Adds the shards' gradients in order, clips, and takes one optimiser step. False if something is
// not finite.
bool PpoLearner::State::Step(const std::vector<ShardResult>& shards, PpoStats& stats) {
  double square = 0.0;
  for (std::size_t p = 0; p < all.size(); ++p) {
    torch::Tensor sum = torch::zeros_like(all[p]);
    for (const ShardResult& shard : shards) {
      if (shard.gradients[p].defined()) sum += shard.gradients[p];
    }
    square += (sum * sum).sum().item<double>();
    all[p].mutable_grad() = sum;
  }
  const double norm = std::sqrt(square);
  stats.gradient_norm += norm;
  if (!std::isfinite(norm)) return false;
  if (norm > spec.max_gradient_norm) {
    for (torch::Tensor& parameter : all)
      parameter.mutable_grad().mul_(spec.max_gradient_norm / (norm + 1e-6));
  }
  optimiser.Step(all, rate);
  return true;
}

void PpoLearner::State::AdaptRate(double kl, double progress) {
  if (spec.schedule == "adaptive") {
    if (kl > 2.0 * spec.target_kl) rate = std::max(kLowestRate, rate / kRateStep);
    if (kl < 0.5 * spec.target_kl) rate = std::min(kHighestRate, rate * kRateStep);
  } else if (spec.schedule == "linear") {
    rate = spec.learning_rate * (1.0 - progress);
  }
}

PpoStats PpoLearner::Update(const PpoBatch& batch, double progress, std::uint64_t update) {
  State& s = *state_;
  const auto samples = static_cast<std::int64_t>(batch.observations.rows());
  const torch::Tensor observations = Wrap(batch.observations), actions = Wrap(batch.actions);
  const torch::Tensor advantages = Wrap(batch.advantages), returns = Wrap(batch.returns);
  torch::Tensor old_mean = torch::empty({samples, actions.size(1)}),
                old_log_probability = torch::empty({samples});
  const torch::Tensor old_log_std = s.log_std.detach().clone();
  s.workers->Run(kShards, [&](int shard) {
    const torch::NoGradGuard no_grad;
    const std::int64_t from = samples * shard / kShards, to = samples * (shard + 1) / kShards;
    const torch::Tensor mean = Forward(s.policy, observations.slice(0, from, to));
    old_mean.slice(0, from, to).copy_(mean);
    old_log_probability.slice(0, from, to)
        .copy_(LogProbability(mean, old_log_std, actions.slice(0, from, to)));
  });

  PpoStats stats;
  if (s.spec.schedule == "linear") s.AdaptRate(0.0, progress);
  int steps = 0;
  std::vector<std::int64_t> order(samples);
  for (int epoch = 0; epoch < s.spec.epochs && stats.finite; ++epoch) {
    std::iota(order.begin(), order.end(), 0);
    Stream stream({s.seed, Purpose::kShuffle, 0, 0, update, static_cast<std::uint64_t>(epoch)});
    for (std::int64_t i = samples - 1; i > 0; --i) std::swap(order[i], order[stream.Index(i + 1)]);
    for (int m = 0; m < s.spec.minibatches && stats.finite; ++m) {
      const std::int64_t from = samples * m / s.spec.minibatches,
                         to = samples * (m + 1) / s.spec.minibatches;
      const std::int64_t total = to - from;
      const torch::Tensor index = torch::from_blob(order.data() + from, {total}, torch::kInt64);
      // Advantages are standardised per minibatch, as the published implementations do.
      torch::Tensor advantage = advantages.index_select(0, index);
      advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8);
      std::vector<ShardResult> shards(kShards);
      s.workers->Run(kShards, [&](int shard) {
        const std::int64_t a = total * shard / kShards, b = total * (shard + 1) / kShards;
        const torch::Tensor part = index.slice(0, a, b);
        shards[shard] = s.Shard({observations.index_select(0, part), actions.index_select(0, part),
                                 advantage.slice(0, a, b), returns.index_select(0, part),
                                 old_log_probability.index_select(0, part),
                                 old_mean.index_select(0, part), old_log_std},
                                static_cast<double>(total));
      });
      double kl = 0.0;
      for (const ShardResult& shard : shards) {
        stats.policy_loss += shard.policy_loss;
        stats.value_loss += shard.value_loss;
        stats.clip_fraction += shard.clipped;
        kl += shard.kl;
      }
      stats.kl += kl;
      if (s.spec.schedule == "adaptive") s.AdaptRate(kl, progress);
      stats.finite = s.Step(shards, stats);
      ++steps;
    }
  }
  for (double* sum : {&stats.policy_loss, &stats.value_loss, &stats.clip_fraction, &stats.kl,
                      &stats.gradient_norm}) {
    *sum /= std::max(1, steps);
  }
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& parameter : s.all)
    stats.finite = stats.finite && parameter.isfinite().all().item<bool>();
  stats.entropy =
      (s.log_std.sum().item<double>() + 0.5 * static_cast<double>(s.log_std.size(0)) *
                                            std::log(2.0 * std::numbers::pi * std::numbers::e));
  stats.learning_rate = s.rate;
  return stats;
}

std::vector<DenseLayer> PpoLearner::PolicyLayers() const {
  std::vector<DenseLayer> layers;
  for (std::size_t l = 0; l < state_->policy.size(); l += 2) {
    const torch::Tensor w = state_->policy[l].detach().contiguous(),
                        b = state_->policy[l + 1].detach().contiguous();
    DenseLayer layer{static_cast<int>(w.size(0)), static_cast<int>(w.size(1)), {}, {}};
    layer.weights.assign(w.data_ptr<float>(), w.data_ptr<float>() + w.numel());
    layer.bias.assign(b.data_ptr<float>(), b.data_ptr<float>() + b.numel());
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<float> PpoLearner::ActionStd() const {
  const torch::Tensor std = torch::exp(state_->log_std.detach());
  return {std.data_ptr<float>(), std.data_ptr<float>() + std.numel()};
}

void PpoLearner::Save(Record& record) const {
  for (std::size_t p = 0; p < state_->all.size(); ++p) {
    record.Put("ppo.parameter." + std::to_string(p), ValuesOf(state_->all[p]));
  }
  state_->optimiser.Save(record);
  record.Put("ppo.rate", std::span<const double>(&state_->rate, 1));
}

Status PpoLearner::Load(const Record& record) {
  const torch::NoGradGuard no_grad;
  for (std::size_t p = 0; p < state_->all.size(); ++p) {
    torch::Tensor& t = state_->all[p];
    RW_TRY(record.Get("ppo.parameter." + std::to_string(p),
                      std::span<float>(t.data_ptr<float>(), static_cast<std::size_t>(t.numel()))));
  }
  RW_TRY(state_->optimiser.Load(record));
  return record.Get("ppo.rate", std::span<double>(&state_->rate, 1));
}

}  // namespace realward
