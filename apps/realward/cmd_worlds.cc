// realward worlds TASK --gap FILE… : what a gap spec really does to the model, world by world.
#include <fmt/format.h>

#include "base/mujoco.h"
#include "gaps.h"
#include "spec/task.h"
#include "verbs.h"
#include "worlds/draw.h"
#include "worlds/plan.h"

namespace realward {
namespace {

struct Options {
  std::string task;
  std::vector<std::string> gaps;
  int units = 5;
};

int Run(const Context& context, const Options& options) {
  const Result<TaskSpec> task = LoadTask(options.task);
  if (!task.ok()) return Report(context, task.error());
  const Result<GapSpec> gap = LoadGaps(options.gaps);
  if (!gap.ok()) return Report(context, gap.error());
  const Result<ModelPtr> model = LoadModel(task->model_path);
  if (!model.ok()) return Report(context, model.error());
  const Result<WorldPlan> plan = WorldPlan::Make(**model, *gap);
  if (!plan.ok()) return Report(context, plan.error());
  const Drawer drawer(*gap);
  std::vector<double> values(drawer.size());
  Json worlds = Json::array();
  std::string text = fmt::format("{:>5}  {:<28} {:<20} {:>12} {:>12} {:>12}\n", "unit", "parameter",
                                 "target", "nominal", "drawn", "effective");
  for (int unit = 0; unit < options.units; ++unit) {
    drawer.Draw(
        {context.seed, static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(unit), 0},
        values);
    for (const AppliedValue& v : plan->Explain(values)) {
      worlds.push_back({{"unit", unit},
                        {"parameter", v.parameter},
                        {"target", v.target},
                        {"nominal", v.nominal},
                        {"drawn", v.drawn},
                        {"effective", v.effective}});
      text += fmt::format("{:>5}  {:<28} {:<20} {:>12.6g} {:>12.6g} {:>12.6g}\n", unit, v.parameter,
                          v.target, v.nominal, v.drawn, v.effective);
    }
  }
  return Answer(context, {{"gap", ToJson(*gap)}, {"seed", context.seed}, {"values", worlds}}, text);
}

}  // namespace

void AddWorlds(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "worlds", "Samples a gap spec and prints nominal, drawn and effective values");
  verb->add_option("task", options->task, "Task file")->required();
  verb->add_option("--gap", options->gaps, "Gap specs, composed in order")->required();
  verb->add_option("--units", options->units, "How many units to draw")
      ->check(CLI::Range(1, 100000));
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
