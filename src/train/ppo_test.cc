#include "train/ppo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "base/random.h"

namespace realward {
namespace {

TrainSpec SmallSpec() {
  TrainSpec spec;
  spec.hidden = {16, 16};
  spec.epochs = 4;
  spec.minibatches = 4;
  spec.learning_rate = 3e-3;
  spec.schedule = "constant";
  return spec;
}

// One rollout of a contextual bandit: reward −(a − ½ o)², one step an episode.
struct Bandit {
  Matrix<float> observations, actions;
  std::vector<float> advantages, returns;

  Bandit(const PpoLearner& learner, std::size_t samples, std::uint64_t round)
      : observations(samples, 2), actions(samples, 1), advantages(samples), returns(samples) {
    PolicyNetwork network{{0, 0}, {1, 1}, 10.0f, learner.PolicyLayers()};
    const float std = learner.ActionStd()[0];
    Stream stream({5, Purpose::kTest, 0, 0, round, 0});
    for (std::size_t i = 0; i < samples; ++i) {
      for (float& x : observations.row(i)) x = static_cast<float>(stream.Uniform(-1.0, 1.0));
      PolicyForward(network, observations.row(i), actions.row(i));
      actions(i, 0) += std * static_cast<float>(stream.Normal());
      const float error = actions(i, 0) - 0.5f * observations(i, 0);
      returns[i] = -error * error;
    }
    std::vector<float> values(samples);
    learner.Values(observations.view(), values);
    for (std::size_t i = 0; i < samples; ++i) advantages[i] = returns[i] - values[i];
  }
  PpoBatch batch() const { return {observations.view(), actions.view(), advantages, returns}; }
  double MeanReturn() const {
    double sum = 0.0;
    for (float r : returns) sum += r / static_cast<double>(returns.size());
    return sum;
  }
};

std::string StateHash(const PpoLearner& learner) {
  Record record;
  learner.Save(record);
  return HashBytes(EncodeRecord(record));
}

TEST(Ppo, LearnsABandit) {
  PpoLearner learner(2, 1, SmallSpec(), 1, 2);
  const double before = Bandit(learner, 1024, 0).MeanReturn();
  for (std::uint64_t u = 0; u < 40; ++u) {
    const Bandit bandit(learner, 1024, u);
    ASSERT_TRUE(learner.Update(bandit.batch(), 0.0, u).finite);
  }
  EXPECT_LT(before, -0.3);
  EXPECT_GT(Bandit(learner, 1024, 100).MeanReturn(), -0.1);
}

TEST(Ppo, TheResultDoesNotDependOnThreads) {
  std::vector<std::string> states;
  for (int threads : {1, 2, 3}) {
    PpoLearner learner(2, 1, SmallSpec(), 1, threads);
    for (std::uint64_t u = 0; u < 3; ++u) learner.Update(Bandit(learner, 500, u).batch(), 0.0, u);
    states.push_back(StateHash(learner));
  }
  EXPECT_EQ(states[0], states[1]);
  EXPECT_EQ(states[0], states[2]);
}

TEST(Ppo, ALoadedStateContinuesBitForBit) {
  PpoLearner learner(2, 1, SmallSpec(), 1, 1), copy(2, 1, SmallSpec(), 1, 1);
  learner.Update(Bandit(learner, 256, 0).batch(), 0.0, 0);
  Record record;
  learner.Save(record);
  ASSERT_TRUE(copy.Load(record).ok());
  const Bandit next(learner, 256, 1);
  learner.Update(next.batch(), 0.0, 1);
  copy.Update(next.batch(), 0.0, 1);
  EXPECT_EQ(StateHash(learner), StateHash(copy));
}

TEST(Ppo, SchedulesMoveTheRate) {
  TrainSpec spec = SmallSpec();
  spec.schedule = "linear";
  PpoLearner linear(2, 1, spec, 1, 1);
  EXPECT_NEAR(linear.Update(Bandit(linear, 256, 0).batch(), 0.25, 0).learning_rate,
              0.75 * spec.learning_rate, 1e-12);
  spec.schedule = "adaptive";
  spec.target_kl = 1e-9;  // always exceeded: the rate falls
  PpoLearner falls(2, 1, spec, 1, 1);
  EXPECT_LT(falls.Update(Bandit(falls, 256, 0).batch(), 0.0, 0).learning_rate, spec.learning_rate);
  spec.target_kl = 1e9;  // never reached: the rate rises
  PpoLearner rises(2, 1, spec, 1, 1);
  EXPECT_GT(rises.Update(Bandit(rises, 256, 0).batch(), 0.0, 0).learning_rate, spec.learning_rate);
}

TEST(Ppo, InitialLayersAreOrthogonal) {
  const PpoLearner learner(5, 2, SmallSpec(), 3, 1);
  const DenseLayer layer = learner.PolicyLayers()[1];  // 16 × 16, gain √2
  for (int a = 0; a < 16; ++a) {
    for (int b = 0; b < 16; ++b) {
      double dot = 0.0;
      for (int i = 0; i < 16; ++i) dot += layer.weights[i * 16 + a] * layer.weights[i * 16 + b];
      EXPECT_NEAR(dot, a == b ? 2.0 : 0.0, 1e-5);
    }
  }
}

TEST(Ppo, NumbersThatAreNotFiniteAreReported) {
  PpoLearner learner(2, 1, SmallSpec(), 1, 1);
  Bandit bandit(learner, 256, 0);
  bandit.returns[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(learner.Update(bandit.batch(), 0.0, 0).finite);
}

// With one epoch and one minibatch the first step's gradient norm is that of the value loss alone
// when all advantages are equal (standardised to zero): ‖∂/∂b (1/n) Σ (v − r)²‖ grows linearly with
// the error.
TEST(Ppo, TheValueLossIsTheMeanSquaredError) {
  TrainSpec spec = SmallSpec();
  spec.epochs = 1;
  spec.minibatches = 1;
  PpoLearner learner(2, 1, spec, 1, 1);
  Bandit bandit(learner, 300, 0);
  std::vector<float> values(300);
  learner.Values(bandit.observations.view(), values);
  double expected = 0.0;
  for (std::size_t i = 0; i < 300; ++i)
    expected += std::pow(values[i] - bandit.returns[i], 2) / 300.0;
  const PpoStats stats = learner.Update(bandit.batch(), 0.0, 0);
  EXPECT_NEAR(stats.value_loss, expected, 1e-5 * expected);
  EXPECT_NEAR(stats.policy_loss, 0.0, 1e-5);  // ratio 1, standardised advantages sum to 0
  EXPECT_NEAR(stats.kl, 0.0, 1e-6);
  EXPECT_EQ(stats.clip_fraction, 0.0);
}

}  // namespace
}  // namespace realward
