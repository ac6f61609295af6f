#include "sim/actuator_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "spec/yaml_tree.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxWeightBytes = 64u << 20;
constexpr std::size_t kMaxDimensions = 8;

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;  // row-major
};

std::string ShapeText(const std::vector<std::size_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// What is wrong with the nested lists; empty when nothing is.
std::string Flatten(const Json& json, std::size_t depth, Tensor& tensor) {
  if (!json.is_array()) {
    if (!json.is_number()) return fmt::format("holds {}, which is no number", json.type_name());
    if (depth != tensor.shape.size()) return "is ragged: some entries are lists and some numbers";
    const double value = json.get<double>();
    if (!std::isfinite(value)) return "holds a number that is not finite";
    tensor.values.push_back(value);
    return "";
  }
  if (depth == kMaxDimensions) return fmt::format("has more than {} dimensions", kMaxDimensions);
  if (depth == tensor.shape.size()) {
    if (!tensor.values.empty()) return "is ragged: some entries are lists and some numbers";
    tensor.shape.push_back(json.size());
  }
  if (json.empty()) return "has an empty list";
  if (json.size() != tensor.shape[depth]) {
    return fmt::format("is ragged: lists of {} and of {} entries at depth {}", tensor.shape[depth],
                       json.size(), depth + 1);
  }
  for (const Json& item : json) {
    if (std::string wrong = Flatten(item, depth + 1, tensor); !wrong.empty()) return wrong;
  }
  return "";
}

// The tensors of a weights file. Takes them out by name, and collects what is wrong.
class TensorReader {
 public:
  TensorReader(const Json& json, std::string file) : file_(std::move(file)) {
    for (const auto& [name, value] : json.items()) {
      names_.push_back(name);
      Tensor tensor;
      const std::string wrong = Flatten(value, 0, tensor);
      if (!wrong.empty()) Fail(name, wrong);
      tensors_[name] = std::move(tensor);
      if (!wrong.empty()) broken_.insert(name);
    }
  }

  // The values, or zeros after an error. `loose`: dimensions of 1 in front do not count.
  std::vector<double> Take(const std::string& name, const std::vector<std::size_t>& shape,
                           bool loose = false) {
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      const auto nearest = NearestNames(name, names_);
      Fail(name, fmt::format("is missing; {} is needed. Nearest: {}", ShapeText(shape),
                             JoinChoices(nearest)));
      return std::vector<double>(count);
    }
    used_.insert(name);
    if (broken_.contains(name)) return std::vector<double>(count);
    std::vector<std::size_t> has = found->second.shape;
    if (loose) {
      while (has.size() > shape.size() && has.front() == 1) has.erase(has.begin());
    }
    if (has != shape) {
      Fail(name, fmt::format("has the shape {}, but {} is needed", ShapeText(found->second.shape),
                             ShapeText(shape)));
      return std::vector<double>(count);
    }
    return found->second.values;
  }

  Status Finish() {
    for (const std::string& name : names_) {
      if (used_.contains(name) || broken_.contains(name)) continue;
      Fail(name, fmt::format("of shape {} is not used by the description",
                             ShapeText(tensors_[name].shape)));
    }
    if (problems_.empty()) return {};
    return InvalidInput(fmt::format("{}", fmt::join(problems_, "\n")));
  }

 private:
  void Fail(const std::string& name, const std::string& what) {
    problems_.push_back(fmt::format("{}: tensor {} {}", file_, Quoted(name), what));
  }

  std::string file_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::string> names_;
  std::set<std::string> used_, broken_;
  std::vector<std::string> problems_;
};

// rows × columns → columns × rows.
std::vector<double> Transposed(const std::vector<double>& values, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  }
  return result;
}

void TakeDense(TensorReader& tensors, const std::string& prefix, NetworkLayer& layer) {
  const auto in = static_cast<std::size_t>(layer.in);
  const auto out = static_cast<std::size_t>(layer.out);
  layer.weights = Transposed(tensors.Take(prefix + ".weight", {out, in}), out);
  layer.bias = tensors.Take(prefix + ".bias", {out});
}

void TakeLstm(TensorReader& tensors, const std::string& prefix, int index, NetworkLayer& layer) {
  const auto in = static_cast<std::size_t>(layer.in);
  const auto out = static_cast<std::size_t>(layer.out);
  const auto name = [&](const char* part) { return fmt::format("{}.{}_l{}", prefix, part, index); };
  layer.weights = Transposed(tensors.Take(name("weight_ih"), {4 * out, in}), 4 * out);
  const auto recurrent = Transposed(tensors.Take(name("weight_hh"), {4 * out, out}), 4 * out);
  layer.weights.insert(layer.weights.end(), recurrent.begin(), recurrent.end());
  layer.bias = tensors.Take(name("bias_ih"), {4 * out});
  const auto second = tensors.Take(name("bias_hh"), {4 * out});
  for (std::size_t i = 0; i < second.size(); ++i) layer.bias[i] += second[i];
}

// JSON whose keys are unique. Python writes NaN and Infinity, which are no JSON.
Result<Json> ParseWeights(const std::string& text, const std::string& name) {
  std::set<std::string> seen;
  std::string twice;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::key || depth != 1) return true;
    if (!seen.insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
    return true;
  };
  try {
    Json json = Json::parse(text, look);
    if (!json.is_object()) {
      return InvalidInput(fmt::format("{}: needs one object, tensor name → nested lists, has {}",
                                      name, json.type_name()));
    }
    if (!twice.empty()) {
      return InvalidInput(fmt::format("{}: tensor {} stands twice", name, Quoted(twice)));
    }
    return json;
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte, text.size());
    const std::size_t end = text.rfind('"', at);
    const std::size_t begin =
        end == std::string::npos || end == 0 ? std::string::npos : text.rfind('"', end - 1);
    const std::string where =
        begin == std::string::npos
            ? ""
            : fmt::format(" in tensor {}", Quoted(text.substr(begin + 1, end - begin - 1)));
    return InvalidInput(
        fmt::format("{}: is not JSON at byte {}{}. NaN and Infinity are no numbers here: weights "
                    "must be finite",
                    name, error.byte, where));
  } catch (const Json::exception& error) {  // a number beyond the range of a double
    return InvalidInput(fmt::format("{}: is not readable: {}", name, error.what()));
  }
}

// The path of the weights file.
Result<std::string> FindWeights(const ActuatorDescription& description, const std::string& path,
                                std::span<const std::string> data_folders) {
  std::vector<std::string> tried;
  if (description.dataset.empty()) {
    tried.push_back(description.weights_file);
  } else {
    for (const std::string& folder : data_folders) {
      tried.push_back((fs::path(folder) / description.dataset / description.weights_file).string());
    }
  }
  std::error_code code;
  for (const std::string& file : tried) {
    if (fs::is_regular_file(file, code)) return file;
  }
  if (description.dataset.empty()) {
    return EnvironmentError(fmt::format("{}: there is no weights file {}", path, tried.front()));
  }
  return EnvironmentError(
      fmt::format("{}: the weights {} of data set {} are in none of the data folders; not at: {}",
                  path, description.weights_file, description.dataset, JoinChoices(tried)));
}

}  // namespace

Result<ActuatorNetwork> NetworkFromWeights(const ActuatorDescription& description,
                                           const std::string& json, const std::string& name) {
  RW_ASSIGN(const Json parsed, ParseWeights(json, name));
  ActuatorNetwork network = description.network;
  TensorReader tensors(parsed, name);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    NetworkLayer& layer = network.layers[l];
    const std::string& prefix = description.layer_tensors[l];
    if (layer.kind == NetworkLayerKind::kDense) {
      TakeDense(tensors, prefix, layer);
    } else {
      TakeLstm(tensors, prefix, description.lstm_indices[l], layer);
    }
  }
  if (!description.input_scale_tensor.empty()) {
    const auto scales = tensors.Take(description.input_scale_tensor, {network.inputs.size()}, true);
    for (std::size_t i = 0; i < scales.size(); ++i) network.inputs[i].scale *= scales[i];
  }
  if (!description.torque_scale_tensor.empty()) {
    network.torque_scale *= tensors.Take(description.torque_scale_tensor, {1}, true)[0];
  }
  RW_TRY(tensors.Finish());
  if (const Status status = CheckActuatorNetwork(network); !status.ok()) {
    return InvalidInput(fmt::format("{}: {}", name, status.error().message));
  }
  return network;
}

Result<ActuatorNetwork> LoadActuatorNetwork(const std::string& path,
                                            std::span<const std::string> data_folders) {
  RW_ASSIGN(const ActuatorDescription description, LoadActuatorDescription(path));
  RW_ASSIGN(const std::string file, FindWeights(description, path, data_folders));
  std::error_code code;
  if (const auto size = fs::file_size(file, code); !code && size > kMaxWeightBytes) {
    return InvalidInput(
        fmt::format("{} has {} bytes; at most {} are read", file, size, kMaxWeightBytes));
  }
  RW_ASSIGN(const std::string text, ReadFile(file));
  if (!description.sha256.empty()) {
    const std::string hash = HashBytes(text);
    if (hash != description.sha256) {
      return Refused(fmt::format("{}: found {}, but {} expects {}; the file is not used", file,
                                 hash, path, description.sha256));
    }
  }
  return NetworkFromWeights(description, text, file);
}

}  // namespace realward
