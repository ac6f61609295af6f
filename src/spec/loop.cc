#include "spec/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <set>

#include "base/text.h"
#include "spec/yaml_reader.h"

namespace realward {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000;

// Reads paths beside the loop file, and checks that they are there.
class PathReader {
 public:
  explicit PathReader(std::string file) : file_(std::move(file)) {}

  std::string Read(const YamlValue& place) const {
    const auto text = place.Text();
    return text ? Check(place, *text) : "";
  }
  std::string Check(const YamlValue& place, const std::string& text) const {
    const std::string path = PathBeside(file_, text);
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
      place.Fail(fmt::format("there is no file {}", path));
    } else if (std::filesystem::is_directory(path, code)) {
      place.Fail(fmt::format("{} is a folder, not a file", path));
    }
    return path;
  }

 private:
  std::string file_;
};

// A name that can also name a folder.
std::string ReadName(YamlMap& map, std::set<std::string>& seen, const char* list) {
  const std::string name = map.Text("name");
  if (name.empty()) return name;
  const YamlValue place = *map.Optional("name");
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (!plain || name.front() == '.') {
    place.Fail(fmt::format(
        "{} cannot name a folder; use letters, digits, '-', '_' and '.', not first", Quoted(name)));
  }
  if (!seen.insert(name).second) {
    place.Fail(fmt::format("{} stands twice in {}; names are unique", Quoted(name), list));
  }
  return name;
}

// Gap files, or "fit".
std::vector<std::string> ReadGaps(YamlMap& map, const PathReader& paths, bool has_logs) {
  std::vector<std::string> gaps;
  for (const YamlValue& item : map.Items("gaps", false)) {
    const auto text = item.Text();
    if (!text) continue;
    if (*text != kFittedGap) {
      gaps.push_back(paths.Check(item, *text));
      continue;
    }
    if (!has_logs) item.Fail("'fit' needs key 'logs': without logs nothing is fitted");
    gaps.emplace_back(kFittedGap);
  }
  return gaps;
}

// File names inside the data set as they are; paths made absolute when there is none.
std::vector<LogFile> ReadLogFiles(YamlMap& map, const std::string& key, const PathReader& paths,
                                  bool in_dataset) {
  std::vector<LogFile> files;
  const auto items = map.Items(key, true);
  for (const YamlValue& item : items) {
    if (item.is_map()) {
      YamlMap stretch(item);
      LogFile file;
      const auto place = stretch.Required("file");
      if (place) file.path = in_dataset ? place->Text().value_or("") : paths.Read(*place);
      file.from = stretch.Number("from", NonNegative({"time"}), 0.0);
      file.until = stretch.Number("until", NonNegative({"time"}), 0.0);
      if (file.until != 0.0 && file.until <= file.from) {
        item.Fail(fmt::format("until {} s is not after from {} s", file.until, file.from));
      }
      files.push_back(file);
      continue;
    }
    const auto text = item.Text();
    if (text) files.push_back({in_dataset ? *text : paths.Check(item, *text), 0.0, 0.0});
  }
  const auto place = map.Optional(key);
  if (place && place->is_sequence() && items.empty()) place->Fail("needs at least one log");
  return files;
}

void ReadFallback(YamlMap& map, const PathReader& paths, LogsSpec& logs) {
  const auto value = map.Optional("fallback");
  if (!value) return;
  if (logs.dataset.empty()) {
    value->Fail("is for logs of a 'dataset'; files that are named here are always there");
  }
  YamlMap fallback(*value);
  if (const auto gap = fallback.Required("gap")) logs.fallback_gap_path = paths.Read(*gap);
  logs.fallback_seed = fallback.Seed("seed", logs.fallback_seed);
}

void ReadLogs(const YamlValue& value, const PathReader& paths, LogsSpec& logs) {
  YamlMap map(value);
  if (!value.is_map()) return;
  logs.dataset = map.Text("dataset", "");
  const bool in_dataset = map.Has("dataset");
  // A data set's description maps its columns; plain files need a mapping.
  const auto mapping = in_dataset ? map.Optional("mapping") : map.Required("mapping");
  if (mapping) logs.mapping_path = paths.Read(*mapping);
  logs.fit = ReadLogFiles(map, "fit", paths, in_dataset);
  logs.validate = ReadLogFiles(map, "validate", paths, in_dataset);
  for (const LogFile& file : logs.validate) {
    const auto same = [&](const LogFile& other) { return other.path == file.path; };
    if (std::none_of(logs.fit.begin(), logs.fit.end(), same)) continue;
    map.Optional("validate")
        ->Fail(fmt::format("{} is also in 'fit'; a fit is validated on logs that it never saw",
                           Quoted(file.path)));
  }
  ReadFallback(map, paths, logs);
}

void ReadFit(const YamlValue& value, const PathReader& paths, FitSpec& fit) {
  const std::vector<std::string> position = {"angle", "length"};
  const std::vector<std::string> velocity = {"angular_velocity", "velocity"};
  YamlMap map(value);
  if (const auto gap = map.Required("gap")) fit.gap_path = paths.Read(*gap);
  fit.segment = map.Number("segment", Positive({"time"}), fit.segment);
  fit.position_noise = map.Number("position_noise", NonNegative(position), fit.position_noise);
  fit.velocity_noise = map.Number("velocity_noise", NonNegative(velocity), fit.velocity_noise);
  fit.use_velocities = map.Bool("use_velocities", fit.use_velocities);
  fit.position_defect = map.Number("position_defect", NonNegative(position), fit.position_defect);
  fit.velocity_defect = map.Number("velocity_defect", NonNegative(velocity), fit.velocity_defect);
  fit.huber = map.Number("huber", Positive(), fit.huber);
  fit.starts = static_cast<int>(map.Whole("starts", 1, 1000, fit.starts));
  fit.max_iterations =
      static_cast<int>(map.Whole("max_iterations", 1, kMaxCount, fit.max_iterations));
  fit.validation_window =
      map.Number("validation_window", NonNegative({"time"}), fit.validation_window);
}

void ReadSchedule(YamlMap& map, TrainSpec& train) {
  enum class Schedule { kAdaptive, kLinear, kConstant };
  static constexpr std::array<Named<Schedule>, 3> kNames = {{{Schedule::kAdaptive, "adaptive"},
                                                             {Schedule::kLinear, "linear"},
                                                             {Schedule::kConstant, "constant"}}};
  const auto choice = map.Choice<Schedule>("schedule", std::span<const Named<Schedule>>(kNames),
                                           Schedule::kAdaptive);
  if (choice) train.schedule = NameIn(std::span<const Named<Schedule>>(kNames), *choice);
}

void ReadHidden(YamlMap& map, TrainSpec& train) {
  constexpr std::int64_t kMaxWidth = 8192;
  const auto place = map.Optional("hidden");
  if (!place) return;
  train.hidden.clear();
  for (const YamlValue& item : place->Items()) {
    if (const auto width = item.Whole(1, kMaxWidth))
      train.hidden.push_back(static_cast<int>(*width));
  }
  if (place->is_sequence() && place->node().items.empty()) place->Fail("needs at least one layer");
}

void ReadTrain(const YamlValue& value, TrainSpec& train) {
  YamlMap map(value);
  if (!value.is_map()) return;
  const auto count = [&](const char* key, int fallback) {
    return static_cast<int>(map.Whole(key, 1, kMaxCount, fallback));
  };
  train.steps = map.Whole("steps", 1, std::numeric_limits<std::int64_t>::max() / 2, train.steps);
  train.worlds = count("worlds", train.worlds);
  train.rollout_steps = count("rollout_steps", train.rollout_steps);
  train.epochs = count("epochs", train.epochs);
  train.minibatches = count("minibatches", train.minibatches);
  train.discount = map.Number("discount", Between(0.0, 1.0), train.discount);
  train.gae_lambda = map.Number("gae_lambda", Between(0.0, 1.0), train.gae_lambda);
  train.clip = map.Number("clip", Positive(), train.clip);
  train.value_weight = map.Number("value_weight", NonNegative(), train.value_weight);
  train.entropy_weight = map.Number("entropy_weight", NonNegative(), train.entropy_weight);
  train.learning_rate = map.Number("learning_rate", Positive(), train.learning_rate);
  ReadSchedule(map, train);
  train.target_kl = map.Number("target_kl", Positive(), train.target_kl);
  train.max_gradient_norm = map.Number("max_gradient_norm", Positive(), train.max_gradient_norm);
  train.initial_std = map.Number("initial_std", Positive(), train.initial_std);
  ReadHidden(map, train);
  train.normalise_observations = map.Bool("normalise_observations", train.normalise_observations);
  train.normalise_returns = map.Bool("normalise_returns", train.normalise_returns);
  train.checkpoint_every = count("checkpoint_every", train.checkpoint_every);
  const std::int64_t batch = std::int64_t{train.worlds} * train.rollout_steps;
  if (train.steps < batch) {
    map.Fail(fmt::format("steps {} are less than one update, worlds {} x rollout_steps {}",
                         train.steps, train.worlds, train.rollout_steps));
  }
  if (train.minibatches > batch) {
    map.Fail(fmt::format("minibatches {} are more than the {} steps of an update",
                         train.minibatches, batch));
  }
}

// "unix:/path" or "tcp:host:port".
void CheckEndpoint(const YamlValue& place, const std::string& endpoint) {
  if (endpoint.starts_with("unix:/") && endpoint.size() > 6) return;
  const std::size_t colon = endpoint.rfind(':');
  if (endpoint.starts_with("tcp:") && colon > 4) {
    const std::string port = endpoint.substr(colon + 1);
    const bool digits =
        !port.empty() && port.size() <= 5 &&
        std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits && std::stoi(port) >= 1 && std::stoi(port) <= 65535) return;
  }
  place.Fail(
      fmt::format("{} is no endpoint; valid: unix:/path or tcp:host:port", Quoted(endpoint)));
}

RobotSpec ReadRobot(const YamlValue& value, const PathReader& paths) {
  RobotSpec robot;
  YamlMap map(value);
  if (!value.is_map()) return robot;
  robot.name = map.Text("name");
  const auto gap = map.Optional("gap");
  const auto endpoint = map.Optional("endpoint");
  if (gap.has_value() == endpoint.has_value()) {
    map.Fail("needs either key 'gap' (a virtual robot) or key 'endpoint' (a running one)");
  }
  if (gap) robot.gap_path = paths.Read(*gap);
  if (endpoint) {
    robot.endpoint = endpoint->Text().value_or("");
    if (!robot.endpoint.empty()) CheckEndpoint(*endpoint, robot.endpoint);
  }
  robot.seed = map.Seed("seed", robot.seed);
  robot.trials = static_cast<int>(map.Whole("trials", 1, kMaxCount, robot.trials));
  return robot;
}

void ReadPolicies(YamlMap& map, const PathReader& paths, bool has_logs, LoopSpec& loop) {
  std::set<std::string> seen;
  const auto items = map.Items("policies", true);
  for (const YamlValue& item : items) {
    YamlMap policy(item);
    if (!item.is_map()) continue;
    const std::string name = ReadName(policy, seen, "policies");
    loop.policies.push_back({name, ReadGaps(policy, paths, has_logs)});
  }
  const auto place = map.Optional("policies");
  if (place && place->is_sequence() && items.empty()) place->Fail("needs at least one policy");
  const std::string first = loop.policies.empty() ? "" : loop.policies.front().name;
  loop.baseline = map.Text("baseline", first);
  if (map.Has("baseline") && !seen.contains(loop.baseline)) {
    map.Optional("baseline")
        ->Fail(UnknownName("policy", loop.baseline,
                           std::vector<std::string>(seen.begin(), seen.end())));
  }
}

void ReadSuites(YamlMap& map, const PathReader& paths, bool has_logs, LoopSpec& loop) {
  std::set<std::string> seen;
  const auto items = map.Items("suites", true);
  for (const YamlValue& item : items) {
    YamlMap suite(item);
    if (!item.is_map()) continue;
    SuiteSpec spec;
    spec.name = ReadName(suite, seen, "suites");
    spec.gaps = ReadGaps(suite, paths, has_logs);
    spec.worlds = static_cast<int>(suite.Whole("worlds", 1, kMaxCount, spec.worlds));
    spec.held_out = suite.Bool("held_out", false);
    loop.suites.push_back(std::move(spec));
  }
  const auto place = map.Optional("suites");
  if (place && place->is_sequence() && items.empty()) place->Fail("needs at least one suite");
}

void ReadLoop(YamlMap& map, const PathReader& paths, LoopSpec& loop) {
  loop.name = map.Text("loop");
  if (const auto task = map.Required("task")) loop.task_path = paths.Read(*task);
  loop.seed = map.Seed("seed", loop.seed);
  const auto logs = map.Optional("logs");
  if (logs) ReadLogs(*logs, paths, loop.logs);
  const auto fit = logs ? map.Required("fit") : map.Optional("fit");
  if (fit && logs) ReadFit(*fit, paths, loop.fit);
  if (fit && !logs) fit->Fail("needs key 'logs': without logs there is nothing to fit");
  if (const auto train = map.Optional("train")) ReadTrain(*train, loop.train);
  ReadPolicies(map, paths, logs.has_value(), loop);
  ReadSuites(map, paths, logs.has_value(), loop);
  if (map.Has("wanted_success"))
    loop.wanted_success = map.Number("wanted_success", Between(0.0, 1.0));
  if (const auto robot = map.Optional("robot")) loop.robot = ReadRobot(*robot, paths);
}

}  // namespace

Result<LoopSpec> LoadLoop(const std::string& path) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Load(path));
  LoopSpec loop;
  loop.file = path;
  {
    YamlMap map(document.root());
    ReadLoop(map, PathReader(path), loop);
  }
  RW_TRY(document.status());
  return loop;
}

Json ToJson(const TrainSpec& train) {
  return {{"steps", train.steps},
          {"worlds", train.worlds},
          {"rollout_steps", train.rollout_steps},
          {"epochs", train.epochs},
          {"minibatches", train.minibatches},
          {"discount", train.discount},
          {"gae_lambda", train.gae_lambda},
          {"clip", train.clip},
          {"value_weight", train.value_weight},
          {"entropy_weight", train.entropy_weight},
          {"learning_rate", train.learning_rate},
          {"schedule", train.schedule},
          {"target_kl", train.target_kl},
          {"max_gradient_norm", train.max_gradient_norm},
          {"initial_std", train.initial_std},
          {"hidden", train.hidden},
          {"normalise_observations", train.normalise_observations},
          {"normalise_returns", train.normalise_returns},
          {"checkpoint_every", train.checkpoint_every}};
}

Json ToJson(const FitSpec& fit) {
  return {{"segment", fit.segment},
          {"position_noise", fit.position_noise},
          {"velocity_noise", fit.velocity_noise},
          {"use_velocities", fit.use_velocities},
          {"position_defect", fit.position_defect},
          {"velocity_defect", fit.velocity_defect},
          {"huber", fit.huber},
          {"starts", fit.starts},
          {"max_iterations", fit.max_iterations},
          {"validation_window", fit.validation_window}};
}

}  // namespace realward
