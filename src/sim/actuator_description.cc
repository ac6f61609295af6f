#include "sim/actuator_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "spec/yaml_reader.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

constexpr Named<ErrorSign> kErrorSigns[] = {
    {ErrorSign::kTargetMinusPosition, "target - position"},
    {ErrorSign::kPositionMinusTarget, "position - target"},
};
constexpr Named<NetworkSignal> kSignals[] = {
    {NetworkSignal::kPositionError, "position_error"},
    {NetworkSignal::kVelocity, "velocity"},
};
constexpr Named<Activation> kActivations[] = {
    {Activation::kNone, "none"}, {Activation::kSoftsign, "softsign"}, {Activation::kTanh, "tanh"},
    {Activation::kRelu, "relu"}, {Activation::kElu, "elu"},
};
constexpr Named<NetworkLayerKind> kLayerKinds[] = {
    {NetworkLayerKind::kDense, "dense"},
    {NetworkLayerKind::kLstm, "lstm"},
};

// The units of a file are those of a hinge or those of a slide.
class UnitReader {
 public:
  // The unit's factor into SI; 1 after an error.
  double Read(YamlMap& map, const std::string& of_hinge, const std::string& of_slide) {
    const std::string text = map.Text("unit");
    if (text.empty()) return 1.0;
    const YamlValue place = *map.Optional("unit");
    const auto unit = ParseUnit(text);
    if (!unit.ok() || (unit->dimension != of_hinge && unit->dimension != of_slide)) {
      place.Fail(fmt::format("{} does not fit; valid: {} of a hinge, {} of a slide", Quoted(text),
                             fmt::join(UnitNames(of_hinge), ", "),
                             fmt::join(UnitNames(of_slide), ", ")));
      return 1.0;
    }
    const bool rotary = unit->dimension == of_hinge;
    if (!rotary_) {
      rotary_ = rotary;
      first_ = text;
    } else if (*rotary_ != rotary) {
      place.Fail(fmt::format("{} is of a {}, but {} is of a {}", Quoted(text), Joint(rotary),
                             Quoted(first_), Joint(*rotary_)));
    }
    return unit->factor;
  }
  bool rotary() const { return rotary_.value_or(true); }

 private:
  static const char* Joint(bool rotary) { return rotary ? "hinge" : "slide"; }
  std::optional<bool> rotary_;
  std::string first_;
};

void CheckHash(const YamlValue& place, const std::string& text) {
  if (text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos) return;
  place.Fail(fmt::format("{} is not 64 lower-case hexadecimal digits", Quoted(text)));
}

// A relative path that stays inside the folder it is joined to.
bool StaysInside(const std::string& name) {
  const fs::path path(name);
  return !path.is_absolute() && path.has_filename() &&
         std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

void ReadWeightsPlace(const YamlValue& value, const std::string& path,
                      ActuatorDescription& description) {
  YamlMap map(value);
  description.dataset = map.Text("dataset", "");
  const bool in_dataset = map.Has("dataset");
  description.weights_file = map.Text("file");
  if (in_dataset) {
    description.sha256 = map.Text("sha256");
  } else {
    description.sha256 = map.Text("sha256", "");
    description.weights_file = PathBeside(path, description.weights_file);
  }
  if (!description.sha256.empty()) CheckHash(*map.Optional("sha256"), description.sha256);
  if (!in_dataset) return;
  for (const char* key : {"dataset", "file"}) {
    const std::string name = map.Text(key, "");
    if (name.empty() || StaysInside(name)) continue;
    map.Optional(key)->Fail(
        fmt::format("{} must be a relative path without '..' or '.'", Quoted(name)));
  }
}

// The lag in periods.
int ReadLag(const YamlValue& item, double period) {
  const auto lag = item.Number(NonNegative({"time"}));
  if (!lag || period <= 0.0) return 0;
  const double periods = std::round(lag->value / period);
  if (std::abs(lag->value / period - periods) > 1e-6) {
    item.Fail(fmt::format("{} s is no whole multiple of the period of {} s", lag->value, period));
    return 0;
  }
  if (periods > kMaxNetworkLag) {
    item.Fail(fmt::format("{} s are {} periods; at most {} are kept", lag->value, periods,
                          kMaxNetworkLag));
    return 0;
  }
  return static_cast<int>(periods);
}

void ReadInput(const YamlValue& item, UnitReader& units, ActuatorDescription& description) {
  YamlMap map(item);
  NetworkInput input;
  const auto signal = map.Choice<NetworkSignal>("signal", kSignals);
  if (!signal) {
    map.Abandon();
    return;
  }
  input.signal = *signal;
  const double factor = input.signal == NetworkSignal::kPositionError
                            ? units.Read(map, "angle", "length")
                            : units.Read(map, "angular_velocity", "velocity");
  if (const auto scale = map.Optional("scale")) {
    if (!description.input_scale_tensor.empty()) {
      scale->Fail("the scales are in the tensor that 'input_scale_tensor' names; give one of both");
    }
    input.scale = map.Number("scale", AnyNumber(), 1.0);
    if (input.scale == 0.0) scale->Fail("a scale of 0 leaves the signal out");
  }
  input.scale /= factor;
  const std::vector<YamlValue> lags = map.Items("lags", false);
  if (map.Has("lags") && lags.empty()) map.Fail("'lags' names no time");
  if (!map.Has("lags")) description.network.inputs.push_back(input);
  for (const YamlValue& lag : lags) {
    input.lag = ReadLag(lag, description.network.period);
    description.network.inputs.push_back(input);
  }
}

void ReadLayer(const YamlValue& item, ActuatorDescription& description) {
  ActuatorNetwork& network = description.network;
  YamlMap map(item);
  NetworkLayer layer;
  const auto kind = map.Choice<NetworkLayerKind>("kind", kLayerKinds);
  if (!kind) {
    map.Abandon();
    return;
  }
  layer.kind = *kind;
  layer.in =
      network.layers.empty() ? static_cast<int>(network.inputs.size()) : network.layers.back().out;
  layer.out = static_cast<int>(map.Whole("width", 1, kMaxNetworkWidth));
  description.layer_tensors.push_back(map.Text("tensors"));
  int index = 0;
  if (layer.kind == NetworkLayerKind::kLstm) {
    index = static_cast<int>(map.Whole("index", 0, kMaxNetworkLayers, 0));
  } else {
    layer.activation = map.Choice<Activation>("activation", kActivations, Activation::kNone)
                           .value_or(Activation::kNone);
  }
  description.lstm_indices.push_back(index);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    if (description.layer_tensors[l] != description.layer_tensors.back() ||
        description.lstm_indices[l] != index || network.layers[l].kind != layer.kind) {
      continue;
    }
    item.Fail(fmt::format("has the tensors of layers[{}]; each layer has its own", l));
  }
  network.layers.push_back(std::move(layer));
}

void ReadTorque(const YamlValue& value, UnitReader& units, ActuatorDescription& description) {
  YamlMap map(value);
  const double factor = units.Read(map, "torque", "force");
  description.torque_scale_tensor = map.Text("scale_tensor", "");
  const double scale = map.Number("scale", AnyNumber(), 1.0);
  if (const auto place = map.Optional("scale")) {
    if (!description.torque_scale_tensor.empty()) {
      place->Fail("the scale is in the tensor that 'scale_tensor' names; give one of both");
    }
    if (scale == 0.0) place->Fail("a scale of 0 leaves no torque");
  }
  description.network.torque_scale = scale * factor;
}

void ReadDescription(YamlMap& map, const std::string& path, ActuatorDescription& description) {
  ActuatorNetwork& network = description.network;
  UnitReader units;
  network.name = map.Text("actuator_network");
  if (const auto weights = map.Required("weights")) ReadWeightsPlace(*weights, path, description);
  network.period = map.Number("period", Positive({"time"}));
  network.error_sign = map.Choice<ErrorSign>("error", kErrorSigns).value_or(network.error_sign);
  description.input_scale_tensor = map.Text("input_scale_tensor", "");
  const auto inputs = map.Items("inputs", true);
  for (const YamlValue& item : inputs) ReadInput(item, units, description);
  const auto layers = map.Items("layers", true);
  for (const YamlValue& item : layers) ReadLayer(item, description);
  if (const auto torque = map.Required("torque")) ReadTorque(*torque, units, description);
  network.rotary = units.rotary();
  if (map.Has("inputs") && network.inputs.size() > kMaxNetworkWidth) {
    map.Optional("inputs")->Fail(
        fmt::format("{} inputs; at most {} are read", network.inputs.size(), kMaxNetworkWidth));
  }
  if (map.Has("inputs") && inputs.empty()) map.Optional("inputs")->Fail("needs at least one input");
  if (!map.Has("layers")) return;
  const YamlValue place = *map.Optional("layers");
  if (layers.empty() || layers.size() > kMaxNetworkLayers) {
    place.Fail(fmt::format("{} layers; valid: 1 to {}", layers.size(), kMaxNetworkLayers));
  } else if (!network.layers.empty() && (network.layers.back().out != 1 ||
                                         network.layers.back().kind != NetworkLayerKind::kDense)) {
    place.Fail("the last layer must be dense with width 1: it gives the torque");
  }
}

}  // namespace

Result<ActuatorDescription> LoadActuatorDescription(const std::string& path) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Load(path));
  ActuatorDescription description;
  {
    YamlMap map(document.root());
    ReadDescription(map, path, description);
  }
  RW_TRY(document.status());
  return description;
}

}  // namespace realward
