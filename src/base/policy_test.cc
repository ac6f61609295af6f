#include "base/policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

namespace realward {
namespace {

PolicyArtifact Sample() {
  PolicyArtifact artifact;
  artifact.name = "sample";
  artifact.contract = {{"rate", 100}};
  artifact.network.observation_mean = {1.0f, 0.0f};
  artifact.network.observation_std = {2.0f, 0.5f};
  artifact.network.layers = {{2, 3, {0.1f, 0.2f, 0.3f, -0.4f, 0.5f, 0.6f}, {0.0f, 0.1f, -0.1f}},
                             {3, 1, {1.0f, -1.0f, 0.5f}, {0.25f}}};
  artifact.action_std = {0.3f};
  return artifact;
}

TEST(Policy, ForwardMatchesTheFormula) {
  const PolicyArtifact artifact = Sample();
  const float observation[] = {2.0f, 20.0f};  // second entry: 40 normalised, clipped to 10
  float action[1];
  PolicyForward(artifact.network, observation, action);
  const double x0 = 0.5, x1 = 10.0;
  const double h0 = std::tanh(0.1 * x0 - 0.4 * x1), h1 = std::tanh(0.2 * x0 + 0.5 * x1 + 0.1),
               h2 = std::tanh(0.3 * x0 + 0.6 * x1 - 0.1);
  EXPECT_NEAR(action[0], h0 - h1 + 0.5 * h2 + 0.25, 1e-6);
}

TEST(Policy, SavesAndLoadsTheSameIdentity) {
  const std::string path = testing::TempDir() + "/policy_test.json";
  ASSERT_TRUE(SavePolicy(path, Sample()).ok());
  const PolicyArtifact read = *LoadPolicy(path);
  EXPECT_EQ(HashOf(read), HashOf(Sample()));
  EXPECT_EQ(read.network.layers[0].weights, Sample().network.layers[0].weights);
  std::filesystem::remove(path);
}

TEST(Policy, RefusesWhatCannotRun) {
  PolicyArtifact wrong = Sample();
  wrong.network.layers[1].in = 4;
  EXPECT_FALSE(CheckNetwork(wrong.network).ok());
  wrong = Sample();
  wrong.network.layers[0].weights[2] = std::numeric_limits<float>::infinity();
  EXPECT_NE(CheckNetwork(wrong.network).error().message.find("layer 0"), std::string::npos);
  wrong = Sample();
  wrong.network.observation_std[0] = 0.0f;
  EXPECT_FALSE(CheckNetwork(wrong.network).ok());
  Json json = ToJson(Sample());
  json.erase("normaliser");
  EXPECT_NE(PolicyFromJson(json).error().message.find("normaliser"), std::string::npos);
}

}  // namespace
}  // namespace realward
