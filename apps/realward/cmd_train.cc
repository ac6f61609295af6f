// realward train TASK [--gap FILE…] --out FOLDER
#include <fmt/format.h>

#include "base/file.h"
#include "gaps.h"
#include "progress.h"
#include "train/trainer.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string task, out = "policy", name = "policy";
  std::vector<std::string> gaps;
  TrainSpec spec;
  bool resume = false;
};

int Run(const Context& context, const Options& options) {
  const Result<TaskSpec> task = LoadTask(options.task);
  if (!task.ok()) return Report(context, task.error());
  const Result<GapSpec> gap = LoadGaps(options.gaps);
  if (!gap.ok()) return Report(context, gap.error());
  TrainJob job;
  job.name = options.name;
  job.task = *task;
  job.gap = *gap;
  job.spec = options.spec;
  job.seed = context.seed;
  job.threads = context.threads;
  job.folder = options.out;
  job.resume = options.resume;
  job.stop = context.stop;
  if (!options.resume && !FindCheckpoint(options.out).path.empty()) {
    return Report(context, InvalidInput(fmt::format(
                               "{} holds the checkpoints of an earlier run: continue it with "
                               "--resume, or choose another --out",
                               options.out)));
  }
  Progress progress("train " + options.name);
  job.progress = [&](const CurvePoint& point, std::int64_t total) {
    progress.Update(static_cast<double>(point.steps) / static_cast<double>(total),
                    fmt::format("return {:.1f}  success {:.0f} %", point.mean_return,
                                100 * point.success_rate));
  };
  const Result<TrainOutcome> outcome = Train(job);
  if (!outcome.ok()) return Report(context, outcome.error());
  const CurvePoint& last = outcome->curve.back();
  progress.Finish(
      fmt::format("return {:.1f}  success {:.0f} %", last.mean_return, 100 * last.success_rate));
  const std::string policy_path = options.out + "/policy.json",
                    curve_path = options.out + "/curve.csv";
  Status written = SavePolicy(policy_path, outcome->policy);
  if (written.ok()) written = WriteFileAtomic(curve_path, CurveToCsv(outcome->curve));
  if (!written.ok()) return Report(context, written.error());
  for (const std::string& note : outcome->notes) fmt::print(stderr, "{}\n", note);
  const std::string hash = HashOf(outcome->policy);
  return Answer(context,
                {{"policy", policy_path},
                 {"curve", curve_path},
                 {"hash", hash},
                 {"steps", last.steps},
                 {"return", last.mean_return},
                 {"success_rate", last.success_rate},
                 {"notes", outcome->notes}},
                fmt::format("policy {}\ncurve  {}\nhash   {}\n", policy_path, curve_path, hash));
}

}  // namespace

void AddTrain(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("train", "Trains a policy with PPO");
  verb->add_option("task", options->task, "Task file")->required();
  verb->add_option("--gap", options->gaps, "Gap specs, composed in order; none: the nominal world");
  verb->add_option("--out", options->out, "Folder for the policy, the curve and checkpoints");
  verb->add_option("--name", options->name, "Name of the policy");
  verb->add_option("--steps", options->spec.steps, "Control steps in total")
      ->check(CLI::PositiveNumber);
  verb->add_option("--worlds", options->spec.worlds, "Worlds stepped together")
      ->check(CLI::Range(1, 1000000));
  verb->add_option("--rollout", options->spec.rollout_steps, "Control steps per world and update")
      ->check(CLI::Range(1, 100000));
  verb->add_flag("--resume", options->resume, "Continue from the newest valid checkpoint in --out");
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
