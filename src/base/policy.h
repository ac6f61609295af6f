// A trained policy as it is deployed: contract, observation normaliser and network, forward only.
// Needs no learning library, allocates nothing per step.
#ifndef REALWARD_BASE_POLICY_H_
#define REALWARD_BASE_POLICY_H_

#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

// One dense layer, y = x W + b. Weights are stored input-major (in × out) so that the inner loop
// runs over outputs.
struct DenseLayer {
  int in = 0;
  int out = 0;
  std::vector<float> weights;  // in × out
  std::vector<float> bias;     // out
};

// tanh between layers, linear at the end. Observations are normalised as clip((x − mean) / std,
// ±clip).
struct PolicyNetwork {
  std::vector<float> observation_mean;
  std::vector<float> observation_std;  // > 0
  float observation_clip = 10.0f;
  std::vector<DenseLayer> layers;

  int observation_size() const { return layers.empty() ? 0 : layers.front().in; }
  int action_size() const { return layers.empty() ? 0 : layers.back().out; }
};

// Mean action for one observation; not clipped. observation.size() == observation_size(),
// action.size() == action_size(). Thread-safe. Widths up to kMaxLayerWidth.
inline constexpr int kMaxLayerWidth = 1024;
void PolicyForward(const PolicyNetwork& network, std::span<const float> observation,
                   std::span<float> action);

// Sizes agree, widths are in range and every number is finite; the error says which is not.
Status CheckNetwork(const PolicyNetwork& network);

struct PolicyArtifact {
  std::string name;
  Json contract;    // what the policy may be connected to: task terms, channels, actions, rate,
                    // history
  Json provenance;  // parents' hashes, training settings, seed, versions
  PolicyNetwork network;
  std::vector<float> action_std;  // exploration at the end of training; not used at deployment
};

Json ToJson(const PolicyArtifact& artifact);
Result<PolicyArtifact> PolicyFromJson(const Json& json);

// The artifact's identity: SHA-256 of its canonical JSON.
std::string HashOf(const PolicyArtifact& artifact);

Status SavePolicy(const std::string& path, const PolicyArtifact& artifact);
Result<PolicyArtifact> LoadPolicy(const std::string& path);

}  // namespace realward

#endif  // REALWARD_BASE_POLICY_H_
