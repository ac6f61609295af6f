#include "jobs/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "base/mujoco.h"
#include "fit/posterior.h"
#include "fit/report.h"
#include "jobs/fit_section.h"
#include "jobs/loop_report.h"
#include "jobs/loop_state.h"
#include "jobs/report_json.h"
#include "jobs/robot_process.h"
#include "sim/environments.h"
#include "spec/model_import.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

// Part of every stage's inputs: a stage whose meaning changes gets another number.
constexpr int kStageVersion = 1;

class LoopRunner {
 public:
  LoopRunner(const LoopSpec& loop, const LoopOptions& options)
      : options_(options),
        output_(options.output.empty() ? (fs::path(loop.file).parent_path() / "run").string()
                                       : options.output),
        cache_(output_ + "/stages") {
    state_.loop = loop;
  }

  Result<LoopOutcome> Run();

 private:
  Status CheckEverything();
  Status Fit();
  Status TrainPolicies();
  Status Evaluate();
  Status Decompose();
  Status TryRobot();
  Result<LoopOutcome> WriteReport();

  Result<GapSpec> GapOf(const std::vector<std::string>& names, const std::string& name) const;
  Result<std::vector<RobotTrial>> RunTrials(const PolicyRun& run) const;
  Result<StageOutput> FitStage(const std::string& folder, const GapSpec& prior);
  Result<StageOutput> TrainStage(const std::string& folder, const PolicySpec& spec,
                                 const GapSpec& gap);
  Json Inputs(Json own) const;
  void Tell(const std::string& stage, double share, const std::string& detail) const {
    if (options_.progress) options_.progress(stage, share, detail);
  }
  void Keep(const StageResult& result) {
    state_.stages.push_back({"stage", result.name, result.hash});
    Tell(result.name, 1.0, result.cached ? "cached" : "done");
  }
  std::uint64_t SuiteSeed(std::size_t suite) const {
    return state_.loop.seed * 1000003 + 17 * (suite + 1);
  }

  const LoopOptions& options_;
  std::string output_;
  StageCache cache_;
  LoopState state_;
  ModelPtr model_;
  std::map<std::string, GapSpec> gap_files_;
  std::atomic<bool> never_{false};
};

Json LoopRunner::Inputs(Json own) const {
  own["version"] = kStageVersion;
  own["mujoco"] = MujocoVersion();
  own["task"] = HashJson(ToJson(state_.task));
  own["seed"] = state_.loop.seed;
  return own;
}

// Composes gap files; "fit" is the posterior.
Result<GapSpec> LoopRunner::GapOf(const std::vector<std::string>& names,
                                  const std::string& name) const {
  std::vector<GapSpec> layers;
  for (const std::string& each : names) {
    if (each == kFittedGap) {
      layers.push_back(*state_.posterior);
    } else {
      layers.push_back(gap_files_.at(each));
    }
  }
  return Compose(layers, name);
}

// Reads every file and resolves every name before anything starts.
Status LoopRunner::CheckEverything() {
  const LoopSpec& loop = state_.loop;
  RW_ASSIGN(state_.task, LoadTask(loop.task_path));
  RW_ASSIGN(model_, ImportModel(state_.task.model_path));
  std::vector<std::string> paths;
  for (const PolicySpec& policy : loop.policies)
    paths.insert(paths.end(), policy.gaps.begin(), policy.gaps.end());
  for (const SuiteSpec& suite : loop.suites)
    paths.insert(paths.end(), suite.gaps.begin(), suite.gaps.end());
  if (!loop.fit.gap_path.empty()) paths.push_back(loop.fit.gap_path);
  if (!loop.logs.fallback_gap_path.empty()) paths.push_back(loop.logs.fallback_gap_path);
  if (loop.robot && !loop.robot->gap_path.empty()) paths.push_back(loop.robot->gap_path);
  std::string errors;
  for (const std::string& path : paths) {
    if (path == kFittedGap || gap_files_.contains(path)) continue;
    const Result<GapSpec> gap = LoadGap(path);
    Status planned;
    if (gap.ok()) {
      gap_files_[path] = *gap;
      // Alone where it can be: a layer that scales what an earlier one sets is planned with it,
      // later.
      const bool scales =
          std::any_of(gap->parameters.begin(), gap->parameters.end(),
                      [](const GapParameter& p) { return p.operation == Operation::kScale; });
      if (!scales) {
        const Result<WorldPlan> plan = WorldPlan::Make(*model_, *gap);
        if (!plan.ok()) planned = plan.error();
      }
    } else {
      planned = gap.error();
    }
    if (!planned.ok()) errors += (errors.empty() ? "" : "\n") + planned.error().message;
  }
  if (!errors.empty()) return InvalidInput(errors);
  // Environments::Make finds what is left: task terms against the model, rates.
  EnvironmentOptions one;
  RW_TRY(Environments::Make(state_.task, GapSpec{}, one));
  return MakeFolders(output_);
}

Result<StageOutput> LoopRunner::FitStage(const std::string& folder, const GapSpec& prior) {
  FitInput input;
  input.identify.model = model_.get();
  input.identify.gap = prior;
  input.identify.options = state_.loop.fit;
  if (!state_.loop.fit.use_velocities) {
    input.identify.options.velocity_noise = std::numeric_limits<double>::infinity();
  }
  input.identify.logs = state_.logs.fit;
  input.identify.seed = state_.loop.seed;
  input.identify.threads = options_.threads;
  input.model = {fs::path(state_.task.model_path).filename().string(), state_.task.model_hash};
  input.validation = state_.logs.validate;
  RW_ASSIGN(
      const FitReport report,
      realward::Fit(
          input, options_.stop != nullptr ? *options_.stop : never_, [&](const FitProgress& p) {
            Tell("fit", (p.start + std::min(1.0, p.iteration / 30.0)) / p.starts,
                 fmt::format("start {} of {}, cost {:.4g}", p.start + 1, p.starts, p.cost));
          }));
  const GapSpec posterior = PosteriorGap(report, prior, "posterior");
  RW_TRY(WriteFileAtomic(folder + "/posterior.json", CanonicalJson(ToJson(posterior))));
  RW_TRY(WriteFileAtomic(folder + "/posterior.yaml", ToYaml(posterior)));
  RW_TRY(WriteFileAtomic(folder + "/fit.json", CanonicalJson(ToJson(report))));
  RW_TRY(WriteFileAtomic(folder + "/section.json",
                         CanonicalJson(ToJson(MakeFitSection(report, *model_)))));
  return StageOutput{Json::object(),
                     {"posterior.json", "posterior.yaml", "fit.json", "section.json"}};
}

Status LoopRunner::Fit() {
  if (state_.loop.logs.fit.empty()) return {};
  Tell("logs", 0.0, "reading");
  const LogSources sources{&state_.loop, &options_.places, &cache_, options_.program};
  RW_ASSIGN(state_.logs, GatherLogs(sources));
  Tell("logs", 1.0, SourceSentence(state_.logs.source));
  const GapSpec& prior = gap_files_.at(state_.loop.fit.gap_path);
  const Json inputs = Inputs({{"logs", state_.logs.identity},
                              {"prior", HashJson(ToJson(prior))},
                              {"fit", ToJson(state_.loop.fit)}});
  RW_ASSIGN(const StageResult result, cache_.Run("fit", inputs, [&](const std::string& folder) {
    return FitStage(folder, prior);
  }));
  Keep(result);
  RW_ASSIGN(const std::string posterior, ReadFile(result.folder + "/posterior.json"));
  RW_ASSIGN(state_.posterior, GapFromJson(Json::parse(posterior)));
  RW_ASSIGN(const std::string section, ReadFile(result.folder + "/section.json"));
  RW_ASSIGN(state_.fit, FitSectionFromJson(Json::parse(section)));
  return {};
}

Result<StageOutput> LoopRunner::TrainStage(const std::string& folder, const PolicySpec& spec,
                                           const GapSpec& gap) {
  TrainJob job;
  job.name = spec.name;
  job.task = state_.task;
  job.gap = gap;
  job.spec = state_.loop.train;
  job.seed = state_.loop.seed;
  job.threads = options_.threads;
  job.folder = folder;
  job.stop = options_.stop;
  job.progress = [&](const CurvePoint& point, std::int64_t total) {
    Tell("train-" + spec.name, static_cast<double>(point.steps) / static_cast<double>(total),
         fmt::format("return {:.1f}  success {:.0f} %", point.mean_return,
                     100.0 * point.success_rate));
  };
  RW_ASSIGN(const TrainOutcome outcome, Train(job));
  RW_TRY(SavePolicy(folder + "/policy.json", outcome.policy));
  RW_TRY(WriteFileAtomic(folder + "/curve.csv", CurveToCsv(outcome.curve)));
  return StageOutput{{{"policy", HashOf(outcome.policy)}}, {"policy.json", "curve.csv"}};
}

Status LoopRunner::TrainPolicies() {
  for (const PolicySpec& spec : state_.loop.policies) {
    RW_ASSIGN(const GapSpec gap, GapOf(spec.gaps, spec.name));
    const Json inputs = Inputs({{"policy", spec.name},
                                {"gap", HashJson(ToJson(gap))},
                                {"train", ToJson(state_.loop.train)}});
    const std::string stage = "train-" + spec.name;
    Tell(stage, 0.0, "");
    RW_ASSIGN(const StageResult result, cache_.Run(stage, inputs, [&](const std::string& folder) {
      return TrainStage(folder, spec, gap);
    }));
    Keep(result);
    PolicyRun run;
    run.name = spec.name;
    run.trained_on = DescribeGaps(spec.gaps);
    RW_ASSIGN(run.policy, LoadPolicy(result.folder + "/policy.json"));
    run.hash = HashOf(run.policy);
    RW_ASSIGN(const std::string curve, ReadFile(result.folder + "/curve.csv"));
    RW_ASSIGN(run.curve, CurveFromCsv(curve));
    state_.policies.push_back(std::move(run));
  }
  return {};
}

Status LoopRunner::Evaluate() {
  for (std::size_t s = 0; s < state_.loop.suites.size(); ++s) {
    const SuiteSpec& suite = state_.loop.suites[s];
    RW_ASSIGN(const GapSpec gap, GapOf(suite.gaps, suite.name));
    for (PolicyRun& run : state_.policies) {
      const SuiteOptions options{suite.worlds, options_.threads, SuiteSeed(s), options_.stop};
      const std::string stage = fmt::format("evaluate-{}-{}", run.name, suite.name);
      const Json inputs = Inputs({{"policy", run.hash},
                                  {"gap", HashJson(ToJson(gap))},
                                  {"worlds", suite.worlds},
                                  {"suite_seed", options.seed}});
      Tell(stage, 0.0, "");
      RW_ASSIGN(const StageResult result,
                cache_.Run(stage, inputs, [&](const std::string&) -> Result<StageOutput> {
                  RW_ASSIGN(const auto episodes, RunSuite(run.policy, state_.task, gap, options));
                  Json list = Json::array();
                  for (const EpisodeSummary& episode : episodes) list.push_back(ToJson(episode));
                  return StageOutput{{{"episodes", list}}, {}};
                }));
      Keep(result);
      RW_ASSIGN(run.suites[suite.name], EpisodesFromJson(result.value.at("episodes")));
    }
  }
  return {};
}

// Which parameters cost the baseline policy its performance.
Status LoopRunner::Decompose() {
  if (!state_.posterior) return {};
  const auto baseline =
      std::find_if(state_.policies.begin(), state_.policies.end(),
                   [&](const PolicyRun& run) { return run.name == state_.loop.baseline; });
  const SuiteOptions options{200, options_.threads, SuiteSeed(1000), options_.stop};
  const Json inputs = Inputs({{"policy", baseline->hash},
                              {"gap", HashJson(ToJson(*state_.posterior))},
                              {"worlds", options.worlds},
                              {"suite_seed", options.seed}});
  Tell("gap", 0.0, "");
  RW_ASSIGN(const StageResult result,
            cache_.Run("gap", inputs, [&](const std::string&) -> Result<StageOutput> {
              RW_ASSIGN(const GapDecomposition d,
                        DecomposeGap(baseline->policy, state_.task, *state_.posterior, options));
              return StageOutput{ToJson(d), {}};
            }));
  Keep(result);
  RW_ASSIGN(state_.decomposition, DecompositionFromJson(result.value));
  state_.decomposed_policy = baseline->name;
  return {};
}

Result<std::vector<RobotTrial>> LoopRunner::RunTrials(const PolicyRun& run) const {
  const RobotSpec& robot = *state_.loop.robot;
  RobotTrialOptions options{robot.trials, state_.loop.seed, options_.stop};
  if (!robot.endpoint.empty()) {
    RW_ASSIGN(LinkClient client, LinkClient::Connect(robot.endpoint));
    return RunRobotTrials(client, run.policy, state_.task, options,
                          [&] { return LinkClient::Connect(robot.endpoint); });
  }
  const RobotCommandLine command{options_.program, state_.loop.task_path, robot.gap_path,
                                 robot.seed, robot.name};
  RW_ASSIGN(const RobotProcess process, RobotProcess::Start(command));
  RW_ASSIGN(LinkClient client, process.Connect());
  return RunRobotTrials(client, run.policy, state_.task, options,
                        [&] { return process.Connect(); });
}

Status LoopRunner::TryRobot() {
  if (!state_.loop.robot) return {};
  const RobotSpec& robot = *state_.loop.robot;
  for (PolicyRun& run : state_.policies) {
    Json inputs = Inputs({{"policy", run.hash},
                          {"robot", robot.name},
                          {"robot_seed", robot.seed},
                          {"endpoint", robot.endpoint},
                          {"trials", robot.trials}});
    if (!robot.gap_path.empty()) inputs["hidden"] = HashJson(ToJson(gap_files_.at(robot.gap_path)));
    const std::string stage = "robot-" + run.name;
    Tell(stage, 0.0, "");
    RW_ASSIGN(const StageResult result,
              cache_.Run(stage, inputs, [&](const std::string&) -> Result<StageOutput> {
                RW_ASSIGN(const std::vector<RobotTrial> trials, RunTrials(run));
                Json list = Json::array();
                bool complete = true;
                for (const RobotTrial& trial : trials) {
                  list.push_back(ToJson(trial));
                  complete = complete && trial.completed;
                }
                return StageOutput{{{"trials", list}}, {}, complete};
              }));
    Keep(result);
    RW_ASSIGN(run.trials, RobotTrialsFromJson(result.value.at("trials")));
  }
  return {};
}

Result<LoopOutcome> LoopRunner::WriteReport() {
  LoopOutcome outcome;
  RW_ASSIGN(outcome.report, MakeLoopReport(state_));
  outcome.report_path = output_ + "/report.html";
  outcome.answer = MeetsWantedSuccess(outcome.report);
  RW_TRY(WriteFileAtomic(output_ + "/report.json", ReportJson(outcome.report).dump(1) + "\n"));
  if (outcome.report.fit && !outcome.report.fit->overlays.empty()) {
    RW_TRY(WriteFileAtomic(output_ + "/fit.svg",
                           RenderFitPicture(outcome.report.fit->overlays.front())));
  }
  RW_TRY(WriteFileAtomic(outcome.report_path, RenderHtml(outcome.report)));
  Tell("report", 1.0, outcome.report_path);
  return outcome;
}

Result<LoopOutcome> LoopRunner::Run() {
  RW_TRY(CheckEverything());
  RW_TRY(Fit());
  RW_TRY(TrainPolicies());
  RW_TRY(Evaluate());
  RW_TRY(Decompose());
  RW_TRY(TryRobot());
  return WriteReport();
}

}  // namespace

Result<LoopOutcome> RunLoop(const LoopSpec& loop, const LoopOptions& options) {
  return LoopRunner(loop, options).Run();
}

}  // namespace realward
