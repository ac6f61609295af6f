// realward fit TASK --gap PRIOR --mapping MAPPING LOG… --validate LOG… : logs → parameters with
// uncertainty → gap spec.
#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "base/file.h"
#include "base/mujoco.h"
#include "fit/posterior.h"
#include "fit/report.h"
#include "gaps.h"
#include "logs/prepare.h"
#include "progress.h"
#include "spec/model_import.h"
#include "spec/task.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string task, gap, mapping, out = "posterior.yaml";
  std::vector<std::string> logs, validate;
  FitSpec fit;
  bool ignore_velocities = false;
};

Result<std::vector<Log>> ReadLogs(const std::vector<std::string>& paths, const Mapping& mapping) {
  std::vector<Log> logs;
  for (const std::string& path : paths) {
    RW_ASSIGN(Log log, ReadLog(path, mapping));
    log.name = std::filesystem::path(path).filename().string();
    RW_ASSIGN(PreparedLog prepared, PrepareLog(log, CheckOptionsOf(mapping)));
    for (const Finding& repair : prepared.repairs)
      fmt::print(stderr, "{}: {}\n", log.name, ToText(repair));
    logs.push_back(std::move(prepared.log));
  }
  return logs;
}

Result<FitReport> Work(const Context& context, const Options& options, GapSpec& posterior) {
  RW_ASSIGN(const TaskSpec task, LoadTask(options.task));
  RW_ASSIGN(const ModelPtr model, ImportModel(task.model_path));
  RW_ASSIGN(const GapSpec prior, LoadGap(options.gap));
  RW_ASSIGN(const Mapping mapping, LoadMapping(options.mapping));
  RW_ASSIGN(const std::vector<Log> logs, ReadLogs(options.logs, mapping));
  RW_ASSIGN(const std::vector<Log> validate, ReadLogs(options.validate, mapping));
  FitInput input;
  input.identify.model = model.get();
  input.identify.gap = prior;
  input.identify.options = options.fit;
  if (options.ignore_velocities)
    input.identify.options.velocity_noise = std::numeric_limits<double>::infinity();
  input.identify.logs = logs;
  input.identify.seed = context.seed;
  input.identify.threads = context.threads;
  input.model = {std::filesystem::path(task.model_path).filename().string(), task.model_hash};
  input.validation = validate;
  Progress progress("fit");
  RW_ASSIGN(FitReport report, Fit(input, *context.stop, [&](const FitProgress& p) {
              progress.Update((p.start + std::min(1.0, p.iteration / 30.0)) / p.starts,
                              fmt::format("cost {:.4g}", p.cost));
            }));
  progress.Finish("done");
  posterior = PosteriorGap(report, prior, prior.name + "-posterior");
  return report;
}

int Run(const Context& context, const Options& options) {
  GapSpec posterior;
  const Result<FitReport> report = Work(context, options, posterior);
  if (!report.ok()) return Report(context, report.error());
  const Status written = WriteFileAtomic(options.out, ToYaml(posterior));
  if (!written.ok()) return Report(context, written.error());
  return Answer(context, {{"fit", ToJson(*report)}, {"posterior", options.out}},
                ToText(*report) + fmt::format("\nposterior gap spec: {}\n", options.out));
}

}  // namespace

void AddFit(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "fit", "Fits gap parameters to logs by multiple shooting; writes the posterior");
  verb->add_option("task", options->task, "Task file")->required();
  verb->add_option("logs", options->logs, "Recordings to fit")->required();
  verb->add_option("--gap", options->gap, "Gap spec whose parameters with bounds are fitted")
      ->required();
  verb->add_option("--mapping", options->mapping, "Which column is what, in which unit")
      ->required();
  verb->add_option("--validate", options->validate, "Recordings that the fit does not see");
  verb->add_option("--out", options->out, "Where the posterior gap spec goes");
  verb->add_option("--segment", options->fit.segment, "Length of a shooting segment, s")
      ->check(CLI::PositiveNumber);
  verb->add_option("--window", options->fit.validation_window, "Windows of the validation, s");
  verb->add_option("--starts", options->fit.starts, "Starts from random points")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--ignore-velocities", options->ignore_velocities, "Leave logged velocities out");
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
