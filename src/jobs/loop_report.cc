#include "jobs/loop_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/mujoco.h"
#include "base/random.h"
#include "evaluate/bootstrap.h"
#include "evaluate/compare.h"
#include "evaluate/gap_measure.h"
#include "evaluate/statistics.h"
#include "evaluate/text_table.h"

namespace realward {
namespace {

// One resampling stream per estimate, by a running number.
class Estimator {
 public:
  explicit Estimator(std::uint64_t seed) : seed_(seed) {}

  Stream Next() { return Stream({seed_, Purpose::kBootstrap, 0, 0, 0, number_++}); }

  Result<Estimate> Success(std::int64_t successes, std::int64_t trials) {
    RW_ASSIGN(const Proportion p, MeasureProportion(successes, trials));
    if (!p.measured())
      return Estimate{kUndefined, kUndefined, kUndefined, "not measured: no trial finished"};
    return Estimate{*p.rate, p.interval.low, p.interval.high, ""};
  }
  Result<Estimate> MeanOf(std::span<const double> values) {
    Stream stream = Next();
    RW_ASSIGN(const MeanEstimate mean, BootstrapMean(values, options_, stream));
    return ToEstimate(mean);
  }
  Result<Estimate> PairedDifference(std::span<const double> a, std::span<const double> b) {
    Stream stream = Next();
    RW_ASSIGN(const MeanEstimate mean, BootstrapPairedDifference(a, b, options_, stream));
    return ToEstimate(mean);
  }
  Result<GapMeasure> Gap(std::span<const double> real, std::span<const double> sim) {
    Stream stream = Next();
    return MeasureGap(real, sim, Pairing::kUnpaired, options_, stream);
  }
  static Estimate ToEstimate(const MeanEstimate& mean) {
    Estimate estimate;
    if (!mean.mean) {
      estimate.why = std::string(Name(mean.state));
      return estimate;
    }
    estimate.value = *mean.mean;
    if (mean.interval) {
      estimate.low = mean.interval->low;
      estimate.high = mean.interval->high;
    }
    return estimate;
  }
  const BootstrapOptions& options() const { return options_; }

 private:
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  BootstrapOptions options_{2000, 0.95, BootstrapMethod::kBca};
};

std::vector<double> Returns(const std::vector<EpisodeSummary>& episodes) {
  std::vector<double> values;
  for (const EpisodeSummary& e : episodes) values.push_back(e.episode_return);
  return values;
}
std::vector<double> Successes(const std::vector<EpisodeSummary>& episodes) {
  std::vector<double> values;
  for (const EpisodeSummary& e : episodes) values.push_back(e.success ? 1.0 : 0.0);
  return values;
}

Status AddScores(const LoopState& state, Estimator& estimator, LoopReport& report) {
  for (const PolicyRun& run : state.policies) {
    for (const SuiteSpec& suite : state.loop.suites) {
      const std::vector<EpisodeSummary>& episodes = run.suites.at(suite.name);
      ReportScore score{run.name, suite.name, static_cast<int>(episodes.size()), 0, 0, {}, {}};
      for (const EpisodeSummary& e : episodes) {
        score.successes += e.success ? 1 : 0;
        score.diverged += e.end == EpisodeEnd::kDiverged ? 1 : 0;
      }
      RW_ASSIGN(score.success, estimator.Success(score.successes, score.trials));
      RW_ASSIGN(score.mean_return, estimator.MeanOf(Returns(episodes)));
      report.scores.push_back(score);
    }
  }
  return {};
}

Status AddComparisons(const LoopState& state, Estimator& estimator, LoopReport& report) {
  const auto baseline =
      std::find_if(state.policies.begin(), state.policies.end(),
                   [&](const PolicyRun& run) { return run.name == state.loop.baseline; });
  for (const PolicyRun& run : state.policies) {
    if (run.name == state.loop.baseline) continue;
    for (const SuiteSpec& suite : state.loop.suites) {
      Stream stream = estimator.Next();
      RW_ASSIGN(
          const Comparison found,
          ComparePolicies(ToTrials(run.name, suite.name, run.suites.at(suite.name)),
                          ToTrials(baseline->name, suite.name, baseline->suites.at(suite.name)),
                          {0.05, estimator.options().resamples}, stream));
      ReportComparison comparison;
      comparison.policy = run.name;
      comparison.baseline = baseline->name;
      comparison.suite = suite.name;
      comparison.pairs = static_cast<int>(found.table.pairs());
      comparison.only_policy = static_cast<int>(found.table.only_a);
      comparison.only_baseline = static_cast<int>(found.table.only_b);
      if (found.success.difference) comparison.success_difference.value = *found.success.difference;
      comparison.success_difference.low = found.success.interval.low;
      comparison.success_difference.high = found.success.interval.high;
      comparison.return_difference = Estimator::ToEstimate(found.return_difference);
      comparison.p_value = found.p_value;
      comparison.test = found.test;
      report.comparisons.push_back(comparison);
    }
  }
  return {};
}

void AddCurves(const LoopState& state, LoopReport& report) {
  for (const PolicyRun& run : state.policies) {
    ReportCurve curve;
    curve.policy = run.name;
    for (const CurvePoint& point : run.curve) {
      curve.steps.push_back(static_cast<double>(point.steps));
      curve.mean_return.push_back(point.mean_return);
      curve.success.push_back(point.success_rate);
    }
    report.curves.push_back(std::move(curve));
  }
}

// How the baseline's result moves with each parameter alone, and with all: on success, or on the
// return when success does not move.
Status AddGap(const LoopState& state, Estimator& estimator, LoopReport& report) {
  if (!state.decomposition) return {};
  const GapDecomposition& d = *state.decomposition;
  for (const bool success : {true, false}) {
    const auto values = [&](const std::vector<EpisodeSummary>& episodes) {
      return success ? Successes(episodes) : Returns(episodes);
    };
    ReportGap gap;
    gap.policy = state.decomposed_policy;
    gap.quantity = success ? "success" : "return";
    const std::vector<double> nominal = values(d.nominal), together = values(d.together);
    RW_ASSIGN(gap.at_nominal, estimator.MeanOf(nominal));
    RW_ASSIGN(gap.at_fitted, estimator.MeanOf(together));
    // What the parts leave: together − nominal − Σ (alone − nominal), world by world.
    std::vector<double> remainder(nominal.size());
    for (std::size_t w = 0; w < nominal.size(); ++w) remainder[w] = together[w] - nominal[w];
    for (std::size_t p = 0; p < d.parameters.size(); ++p) {
      const std::vector<double> alone = values(d.alone[p]);
      ReportGap::Part part;
      part.parameter = d.parameters[p];
      RW_ASSIGN(part.effect, estimator.PairedDifference(alone, nominal));
      for (std::size_t w = 0; w < nominal.size(); ++w) remainder[w] -= alone[w] - nominal[w];
      gap.parts.push_back(part);
    }
    RW_ASSIGN(gap.remainder, estimator.MeanOf(remainder));
    report.gaps.push_back(std::move(gap));
  }
  return {};
}

// The suite that the robot is compared with: the first around the fit, else the first.
const SuiteSpec& SimSuite(const LoopSpec& loop) {
  for (const SuiteSpec& suite : loop.suites) {
    const bool fitted =
        std::find(suite.gaps.begin(), suite.gaps.end(), kFittedGap) != suite.gaps.end();
    if (fitted && !suite.held_out) return suite;
  }
  return loop.suites.front();
}

void AddTrials(const PolicyRun& run, double period, ReportRobot& robot) {
  for (const RobotTrial& t : run.trials) {
    ReportTrial trial;
    trial.policy = run.name;
    trial.number = static_cast<int>(t.trial);
    trial.outcome = !t.completed                ? "aborted"
                    : t.end == "diverged"       ? "diverged"
                    : t.success.value_or(false) ? "success"
                                                : "failure";
    if (t.trial_return) trial.trial_return = *t.trial_return;
    trial.duration = static_cast<double>(t.steps) * period;
    trial.reason = t.reason;
    robot.trials.push_back(trial);
  }
}

Status AddRobot(const LoopState& state, Estimator& estimator, LoopReport& report) {
  if (!state.loop.robot) return {};
  ReportRobot robot;
  robot.name = state.loop.robot->name;
  robot.is_virtual = state.loop.robot->endpoint.empty();
  robot.endpoint =
      robot.is_virtual ? "a process of its own, over the robot link" : state.loop.robot->endpoint;
  const SuiteSpec& sim = SimSuite(state.loop);
  for (const PolicyRun& run : state.policies) {
    ReportRobotScore score;
    score.policy = run.name;
    score.sim_suite = sim.name;
    std::vector<double> returns;
    for (const RobotTrial& t : run.trials) {
      if (!t.completed) {
        ++score.aborted;
        continue;
      }
      ++score.trials;
      score.successes += t.success.value_or(false) ? 1 : 0;
      if (t.trial_return) returns.push_back(*t.trial_return);
    }
    RW_ASSIGN(score.success, estimator.Success(score.successes, score.trials));
    RW_ASSIGN(score.mean_return, estimator.MeanOf(returns));
    RW_ASSIGN(const GapMeasure gap, estimator.Gap(returns, Returns(run.suites.at(sim.name))));
    score.delta = Estimator::ToEstimate(gap.delta);
    if (gap.ratio.ratio) score.gap_ratio.value = *gap.ratio.ratio;
    if (gap.ratio.interval) {
      score.gap_ratio.low = gap.ratio.interval->low;
      score.gap_ratio.high = gap.ratio.interval->high;
    }
    if (gap.ratio.state != GapRatioState::kMeasured)
      score.gap_ratio.why = std::string(Name(gap.ratio.state));
    robot.scores.push_back(score);
    AddTrials(run, state.task.control_period, robot);
  }
  report.robot = std::move(robot);
  return {};
}

const ReportScore* ScoreOf(const LoopReport& report, const std::string& policy,
                           const std::string& suite) {
  for (const ReportScore& score : report.scores) {
    if (score.policy == policy && score.suite == suite) return &score;
  }
  return nullptr;
}

// The smallest held-out success of a policy.
double WorstHeldOut(const LoopReport& report, const std::string& policy) {
  double worst = kUndefined;
  for (const ReportSuite& suite : report.suites) {
    const ReportScore* score = suite.held_out ? ScoreOf(report, policy, suite.name) : nullptr;
    if (score != nullptr && !(worst <= score->success.value)) worst = score->success.value;
  }
  return worst;
}

// The policy with the best worst held-out success, ties by the return there.
void Recommend(LoopReport& report) {
  double best = -1.0;
  for (const ReportPolicy& policy : report.policies) {
    const double worst = WorstHeldOut(report, policy.name);
    if (worst > best) {
      best = worst;
      report.recommended = policy.name;
    }
  }
  if (report.recommended.empty()) {
    report.recommended_why =
        "no suite is held out, so nothing says which policy meets the unknown best";
    return;
  }
  report.recommended_why = "highest success in held-out worlds";
  if (report.wanted_success && best < *report.wanted_success) {
    report.recommended_why = fmt::format(
        "the best policy, '{}', succeeds in {:.1f} % of held-out worlds; {:.1f} % was asked for",
        report.recommended, 100.0 * best, 100.0 * *report.wanted_success);
    report.recommended.clear();
  }
}

void AddProvenance(const LoopState& state, LoopReport& report) {
  report.provenance.push_back({"task", state.task.name, HashJson(ToJson(state.task))});
  report.provenance.push_back({"model",
                               std::filesystem::path(state.task.model_path).filename().string(),
                               state.task.model_hash});
  for (const ReportItem& item : state.logs.items) report.provenance.push_back(item);
  for (const PolicyRun& run : state.policies)
    report.provenance.push_back({"policy", run.name, run.hash});
  for (const ReportItem& item : state.stages) report.provenance.push_back(item);
  report.facts = {{"seed", std::to_string(state.loop.seed)},
                  {"Realward", REALWARD_VERSION},
                  {"MuJoCo", MujocoVersion()},
                  {"training steps per policy", std::to_string(state.loop.train.steps)},
                  {"control period", fmt::format("{} s", state.task.control_period)}};
  report.command =
      fmt::format("realward loop {}", std::filesystem::path(state.loop.file).filename().string());
}

}  // namespace

std::string DescribeGaps(const std::vector<std::string>& gaps) {
  if (gaps.empty()) return "nominal world";
  std::string text;
  for (const std::string& gap : gaps) {
    if (!text.empty()) text += " + ";
    text += gap == kFittedGap ? "posterior of the fit" : std::filesystem::path(gap).stem().string();
  }
  return text;
}

Result<LoopReport> MakeLoopReport(const LoopState& state) {
  LoopReport report;
  report.name = state.loop.name;
  report.task = fmt::format("{}: {} s at {:.0f} Hz", state.task.name, state.task.horizon,
                            1.0 / state.task.control_period);
  report.source = state.logs.source;
  report.wanted_success = state.loop.wanted_success;
  report.baseline = state.loop.baseline;
  for (const PolicyRun& run : state.policies) report.policies.push_back({run.name, run.trained_on});
  for (const SuiteSpec& suite : state.loop.suites) {
    report.suites.push_back({suite.name, DescribeGaps(suite.gaps), suite.worlds, suite.held_out});
  }
  report.log_findings = state.logs.findings;
  report.logs_checked = !state.loop.logs.fit.empty();
  report.fit = state.fit;
  Estimator estimator(state.loop.seed);
  RW_TRY(AddScores(state, estimator, report));
  RW_TRY(AddComparisons(state, estimator, report));
  AddCurves(state, report);
  RW_TRY(AddGap(state, estimator, report));
  RW_TRY(AddRobot(state, estimator, report));
  Recommend(report);
  AddProvenance(state, report);
  return report;
}

bool MeetsWantedSuccess(const LoopReport& report) {
  return !report.wanted_success || !report.recommended.empty();
}

}  // namespace realward
