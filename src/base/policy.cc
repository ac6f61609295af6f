#include "base/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/file.h"

namespace realward {

void PolicyForward(const PolicyNetwork& network, std::span<const float> observation,
                   std::span<float> action) {
  std::array<float, kMaxLayerWidth> first;
  std::array<float, kMaxLayerWidth> second;
  float* input = first.data();
  float* output = second.data();
  for (std::size_t i = 0; i < observation.size(); ++i) {
    const float z = (observation[i] - network.observation_mean[i]) / network.observation_std[i];
    input[i] = std::clamp(z, -network.observation_clip, network.observation_clip);
  }
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const DenseLayer& layer = network.layers[l];
    std::copy(layer.bias.begin(), layer.bias.end(), output);
    const float* row = layer.weights.data();
    for (int i = 0; i < layer.in; ++i, row += layer.out) {
      const float x = input[i];
      for (int j = 0; j < layer.out; ++j) output[j] += x * row[j];
    }
    if (l + 1 < network.layers.size()) {
      for (int j = 0; j < layer.out; ++j) output[j] = std::tanh(output[j]);
    }
    std::swap(input, output);
  }
  std::copy_n(input, action.size(), action.begin());
}

Status CheckNetwork(const PolicyNetwork& network) {
  if (network.layers.empty()) return InvalidInput("the network has no layers");
  const auto finite = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  };
  const auto inputs = static_cast<std::size_t>(network.observation_size());
  if (network.observation_mean.size() != inputs || network.observation_std.size() != inputs) {
    return InvalidInput(fmt::format("the normaliser has {} entries, the first layer {} inputs",
                                    network.observation_mean.size(), inputs));
  }
  if (!finite(network.observation_mean) || !finite(network.observation_std) ||
      std::any_of(network.observation_std.begin(), network.observation_std.end(),
                  [](float s) { return s <= 0; })) {
    return InvalidInput("the normaliser holds a non-finite value or a spread that is not positive");
  }
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const DenseLayer& layer = network.layers[l];
    const bool chained = l == 0 || network.layers[l - 1].out == layer.in;
    if (layer.in < 1 || layer.out < 1 || layer.in > kMaxLayerWidth || layer.out > kMaxLayerWidth ||
        !chained || layer.weights.size() != static_cast<std::size_t>(layer.in) * layer.out ||
        layer.bias.size() != static_cast<std::size_t>(layer.out)) {
      return InvalidInput(
          fmt::format("layer {} ({} → {}) has sizes that do not fit", l, layer.in, layer.out));
    }
    if (!finite(layer.weights) || !finite(layer.bias)) {
      return InvalidInput(fmt::format("layer {} holds a non-finite weight", l));
    }
  }
  return {};
}

Json ToJson(const PolicyArtifact& artifact) {
  Json layers = Json::array();
  for (const DenseLayer& layer : artifact.network.layers) {
    layers.push_back(
        {{"in", layer.in}, {"out", layer.out}, {"weights", layer.weights}, {"bias", layer.bias}});
  }
  return {{"format", "realward-policy 1"},
          {"name", artifact.name},
          {"contract", artifact.contract},
          {"provenance", artifact.provenance},
          {"normaliser",
           {{"mean", artifact.network.observation_mean},
            {"std", artifact.network.observation_std},
            {"clip", artifact.network.observation_clip}}},
          {"activation", "tanh"},
          {"layers", layers},
          {"action_std", artifact.action_std}};
}

Result<PolicyArtifact> PolicyFromJson(const Json& json) {
  PolicyArtifact artifact;
  try {
    if (json.at("format") != "realward-policy 1") {
      return InvalidInput("unknown policy format " + json.at("format").dump() +
                          "; known: realward-policy 1");
    }
    artifact.name = json.at("name");
    artifact.contract = json.at("contract");
    artifact.provenance = json.at("provenance");
    artifact.network.observation_mean = json.at("normaliser").at("mean").get<std::vector<float>>();
    artifact.network.observation_std = json.at("normaliser").at("std").get<std::vector<float>>();
    artifact.network.observation_clip = json.at("normaliser").at("clip");
    for (const Json& layer : json.at("layers")) {
      artifact.network.layers.push_back({layer.at("in"), layer.at("out"),
                                         layer.at("weights").get<std::vector<float>>(),
                                         layer.at("bias").get<std::vector<float>>()});
    }
    artifact.action_std = json.at("action_std").get<std::vector<float>>();
  } catch (const Json::exception& error) {
    return InvalidInput(fmt::format("policy is not readable: {}", error.what()));
  }
  RW_TRY(CheckNetwork(artifact.network));
  return artifact;
}

std::string HashOf(const PolicyArtifact& artifact) { return HashJson(ToJson(artifact)); }

Status SavePolicy(const std::string& path, const PolicyArtifact& artifact) {
  RW_TRY(CheckNetwork(artifact.network));
  return WriteFileAtomic(path, CanonicalJson(ToJson(artifact)) + "\n");
}

Result<PolicyArtifact> LoadPolicy(const std::string& path) {
  RW_ASSIGN(const std::string text, ReadFile(path));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return InvalidInput(path + " is not JSON");
  Result<PolicyArtifact> artifact = PolicyFromJson(json);
  if (!artifact.ok()) return Error{artifact.error().kind, path + ": " + artifact.error().message};
  return artifact;
}

}  // namespace realward
