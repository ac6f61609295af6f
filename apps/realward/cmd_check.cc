// realward check FILE… : validates models, tasks, gap specs, loops, policies, mappings and logs,
// and says what it would do with them.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/mujoco.h"
#include "base/policy.h"
#include "gaps.h"
#include "logs/mapping.h"
#include "logs/prepare.h"
#include "sim/environments.h"
#include "spec/gap.h"
#include "spec/loop.h"
#include "spec/model_import.h"
#include "spec/task.h"
#include "verbs.h"
#include "worlds/plan.h"

namespace realward {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string task, mapping;
};

struct Checked {
  std::string kind;
  std::string says;
};

Result<Checked> CheckModel(const std::string& path) {
  RW_ASSIGN(const ModelImport import, InspectModel(path));
  std::string findings;
  for (const ModelFinding& finding : import.findings) findings += "\n" + ToText(finding, path);
  if (import.model == nullptr)
    return InvalidInput(fmt::format("model {} cannot be used:{}", path, findings));
  for (const ModelRepair& repair : import.repairs) findings += "\n" + ToText(repair);
  const mjModel& model = *import.model;
  return Checked{
      "model", fmt::format("{} bodies, {} joints, {} actuators, time step {} s{}", model.nbody - 1,
                           model.njnt, model.nu, model.opt.timestep, findings)};
}

Result<Checked> CheckTask(const std::string& path) {
  RW_ASSIGN(const TaskSpec task, LoadTask(path));
  RW_ASSIGN(const auto env, Environments::Make(task, GapSpec{}, {}));
  std::string says = fmt::format(
      "'{}': {} observations, {} actions, {:.6g} Hz, {:.6g} s an episode", task.name,
      env->observation_size(), env->action_size(), 1.0 / task.control_period, task.horizon);
  for (const std::string& note : task.notes) says += "\n  note: " + note;
  return Checked{"task", says};
}

Result<Checked> CheckGap(const std::string& path, const Options& options) {
  RW_ASSIGN(const GapSpec gap, LoadGap(path));
  std::string says = fmt::format("'{}': {} parameters", gap.name, gap.parameters.size());
  if (options.task.empty())
    return Checked{"gap spec", says + " (give --task to check its targets against a model)"};
  RW_ASSIGN(const TaskSpec task, LoadTask(options.task));
  RW_ASSIGN(const ModelPtr model, ImportModel(task.model_path));
  RW_TRY(WorldPlan::Make(*model, gap));
  return Checked{"gap spec", says + fmt::format(", all targets found in {}", task.model_path)};
}

Result<Checked> CheckLoop(const std::string& path) {
  RW_ASSIGN(const LoopSpec loop, LoadLoop(path));
  RW_TRY(CheckTask(loop.task_path));
  return Checked{
      "loop", fmt::format("'{}': {} policies, {} suites, {} steps each, logs {}, robot {}",
                          loop.name, loop.policies.size(), loop.suites.size(), loop.train.steps,
                          loop.logs.fit.empty()
                              ? "none"
                              : fmt::format("{}", loop.logs.fit.size() + loop.logs.validate.size()),
                          loop.robot ? loop.robot->name : "none")};
}

Result<Checked> CheckCsv(const std::string& path, const Options& options) {
  if (options.mapping.empty())
    return InvalidInput(path + ": a log needs --mapping, the file that says what its columns are");
  RW_ASSIGN(const Mapping mapping, LoadMapping(options.mapping));
  RW_ASSIGN(const Log log, ReadLog(path, mapping));
  std::string says = fmt::format("{} samples, {} channels, {} commands", log.samples(),
                                 log.channels.size(), log.actuators.size());
  const std::vector<Finding> findings = CheckLog(log, CheckOptionsOf(mapping));
  for (const Finding& finding : findings) says += "\n  " + ToText(finding);
  const Result<PreparedLog> prepared = PrepareLog(log, CheckOptionsOf(mapping));
  if (!prepared.ok()) return Error{prepared.error().kind, path + ": " + prepared.error().message};
  return Checked{"log", says};
}

// What a YAML file is, by its first key.
std::string FirstKey(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#' || line.starts_with("---")) continue;
    return line.substr(begin, line.find(':') - begin);
  }
  return "";
}

Result<Checked> CheckYaml(const std::string& path, const Options& options) {
  RW_ASSIGN(const std::string text, ReadFile(path));
  const std::string key = FirstKey(text);
  if (key == "task") return CheckTask(path);
  if (key == "gap") return CheckGap(path, options);
  if (key == "loop") return CheckLoop(path);
  if (key == "mapping") {
    RW_ASSIGN(const Mapping mapping, LoadMapping(path));
    return Checked{"mapping", fmt::format("'{}': {} channels, {} commands", mapping.name,
                                          mapping.channels.size(), mapping.commands.size())};
  }
  return InvalidInput(fmt::format(
      "{}: the first key is '{}'; a file begins with task:, gap:, loop: or mapping:", path, key));
}

Result<Checked> CheckOne(const std::string& path, const Options& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".yaml" || extension == ".yml") return CheckYaml(path, options);
  if (extension == ".xml" || extension == ".urdf" || extension == ".mjcf") return CheckModel(path);
  if (extension == ".csv") return CheckCsv(path, options);
  if (extension == ".json") {
    RW_ASSIGN(const PolicyArtifact policy, LoadPolicy(path));
    return Checked{"policy", fmt::format("'{}': {} inputs, {} actions, hash {}", policy.name,
                                         policy.network.observation_size(),
                                         policy.network.action_size(), HashOf(policy))};
  }
  return InvalidInput(
      fmt::format("{}: the ending '{}' is not known; valid: .yaml, .xml, .urdf, .csv or .json",
                  path, extension));
}

int Run(const Context& context, const Options& options) {
  Json results = Json::array();
  std::string text, errors;
  for (const std::string& path : options.files) {
    const Result<Checked> checked = CheckOne(path, options);
    if (checked.ok()) {
      results.push_back({{"file", path}, {"kind", checked->kind}, {"says", checked->says}});
      text += fmt::format("{}: {} {}\n", path, checked->kind, checked->says);
    } else if (checked.error().kind == ErrorKind::kEnvironment) {
      return Report(context, checked.error());
    } else {
      errors += (errors.empty() ? "" : "\n") + checked.error().message;
    }
  }
  if (!errors.empty()) return Report(context, InvalidInput(errors));
  return Answer(context, {{"files", results}}, text);
}

}  // namespace

void AddCheck(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("check", "Validates files and says what it would do with them");
  verb->add_option("files", options->files,
                   "Models, tasks, gap specs, loops, mappings, logs, policies")
      ->required();
  verb->add_option("--task", options->task, "Task whose model a gap spec is checked against");
  verb->add_option("--mapping", options->mapping, "Mapping of the columns of a log");
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
