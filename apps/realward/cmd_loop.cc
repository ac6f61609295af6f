// realward loop FILE: the main job.
#include <fmt/format.h>

#include <memory>

#include "gaps.h"
#include "jobs/loop.h"
#include "jobs/report_json.h"
#include "progress.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string file, out;
};

int Run(const Context& context, const Options& options) {
  Result<LoopSpec> loop = LoadLoop(options.file);
  if (!loop.ok()) return Report(context, loop.error());
  if (context.seed_given) loop->seed = context.seed;
  LoopOptions run;
  run.threads = context.threads;
  run.output = options.out;
  run.program = context.program;
  run.places = {DatasetDescriptionFolders(), DatasetMirrorFolders()};
  run.stop = context.stop;
  std::unique_ptr<Progress> bar;
  std::string current;
  run.progress = [&](const std::string& stage, double share, const std::string& detail) {
    if (stage != current) {
      bar = std::make_unique<Progress>(stage);
      current = stage;
    }
    if (share >= 1.0 &&
        (detail == "done" || detail == "cached" || stage == "logs" || stage == "report")) {
      bar->Finish(detail);
      bar.reset();
      current.clear();
    } else {
      bar->Update(share, detail);
    }
  };
  const Result<LoopOutcome> outcome = RunLoop(*loop, run);
  bar.reset();
  if (!outcome.ok()) return Report(context, outcome.error());
  Json object = ReportJson(outcome->report);
  object["report"] = outcome->report_path;
  object["answer"] = outcome->answer;
  Answer(context, object,
         fmt::format("\n{}report: {}\n", ReportTable(outcome->report), outcome->report_path));
  return outcome->answer ? 0 : ExitStatus(ErrorKind::kRefused);
}

}  // namespace

void AddLoop(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("loop", "Runs the whole loop from one file; finished stages are kept");
  verb->add_option("file", options->file, "Loop file")->required();
  verb->add_option("--out", options->out, "Folder of the run; default: run/ beside the file");
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
