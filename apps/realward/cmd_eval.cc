// realward eval POLICY TASK --gap FILE…; realward compare POLICY_A POLICY_B TASK --gap FILE…
#include <fmt/format.h>

#include "evaluate/bootstrap.h"
#include "evaluate/compare.h"
#include "evaluate/statistics.h"
#include "evaluate/suite.h"
#include "gaps.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string first, second, task;
  std::vector<std::string> gaps;
  int worlds = 200;
};

struct Ran {
  PolicyArtifact policy;
  std::vector<EpisodeSummary> episodes;
};

Result<Ran> RunPolicy(const Context& context, const Options& options, const std::string& path) {
  Ran ran;
  RW_ASSIGN(const TaskSpec task, LoadTask(options.task));
  RW_ASSIGN(const GapSpec gap, LoadGaps(options.gaps));
  RW_ASSIGN(ran.policy, LoadPolicy(path));
  RW_ASSIGN(ran.episodes, RunSuite(ran.policy, task, gap,
                                   {options.worlds, context.threads, context.seed, context.stop}));
  return ran;
}

Result<Json> Measure(const Ran& ran, std::uint64_t seed) {
  std::int64_t successes = 0, diverged = 0;
  std::vector<double> returns;
  for (const EpisodeSummary& e : ran.episodes) {
    successes += e.success ? 1 : 0;
    diverged += e.end == EpisodeEnd::kDiverged ? 1 : 0;
    returns.push_back(e.episode_return);
  }
  RW_ASSIGN(const Proportion success,
            MeasureProportion(successes, static_cast<std::int64_t>(ran.episodes.size())));
  Stream stream({seed, Purpose::kBootstrap, 0, 0, 0, 0});
  RW_ASSIGN(const MeanEstimate mean, BootstrapMean(returns, {}, stream));
  return Json{
      {"policy", ran.policy.name},
      {"hash", HashOf(ran.policy)},
      {"worlds", success.trials},
      {"successes", success.successes},
      {"diverged", diverged},
      {"success_rate", *success.rate},
      {"success_interval", {success.interval.low, success.interval.high}},
      {"return", *mean.mean},
      {"return_interval", mean.interval ? Json{mean.interval->low, mean.interval->high} : Json()}};
}

int Eval(const Context& context, const Options& options) {
  const Result<Ran> ran = RunPolicy(context, options, options.first);
  if (!ran.ok()) return Report(context, ran.error());
  const Result<Json> measured = Measure(*ran, context.seed);
  if (!measured.ok()) return Report(context, measured.error());
  const Json& m = *measured;
  return Answer(
      context, m,
      fmt::format(
          "success {:.1f} % [{:.1f}, {:.1f}] (Wilson, {} of {} worlds, {} diverged)\nreturn  "
          "{:.2f} {}\n",
          100 * m["success_rate"].get<double>(), 100 * m["success_interval"][0].get<double>(),
          100 * m["success_interval"][1].get<double>(), m["successes"].get<int>(),
          m["worlds"].get<int>(), m["diverged"].get<int>(), m["return"].get<double>(),
          m["return_interval"].is_null() ? std::string("(no interval)")
                                         : fmt::format("[{:.2f}, {:.2f}] (BCa bootstrap)",
                                                       m["return_interval"][0].get<double>(),
                                                       m["return_interval"][1].get<double>())));
}

int Compare(const Context& context, const Options& options) {
  const Result<Ran> a = RunPolicy(context, options, options.first);
  if (!a.ok()) return Report(context, a.error());
  const Result<Ran> b = RunPolicy(context, options, options.second);
  if (!b.ok()) return Report(context, b.error());
  Stream stream({context.seed, Purpose::kBootstrap, 0, 0, 0, 1});
  const Result<Comparison> found = ComparePolicies(ToTrials("A", "suite", a->episodes),
                                                   ToTrials("B", "suite", b->episodes), {}, stream);
  if (!found.ok()) return Report(context, found.error());
  const double difference = found->success.difference.value_or(0.0);
  return Answer(
      context, {{"comparison", ToJson(*found)}, {"a", HashOf(a->policy)}, {"b", HashOf(b->policy)}},
      fmt::format("A {}\nB {}\n{} pairs: both {}, only A {}, only B {}, none {}\nsuccess A − B "
                  "{:+.3f} [{:+.3f}, {:+.3f}] "
                  "({})\n{}: p = {:.4g} → {}\n",
                  options.first, options.second, found->table.pairs(), found->table.both,
                  found->table.only_a, found->table.only_b, found->table.none, difference,
                  found->success.interval.low, found->success.interval.high, found->interval_method,
                  found->test, found->p_value, Name(found->verdict)));
}

void AddShared(CLI::App& verb, const std::shared_ptr<Options>& options) {
  verb.add_option("task", options->task, "Task file")->required();
  verb.add_option("--gap", options->gaps, "Gap specs, composed in order; none: the nominal world");
  verb.add_option("--worlds", options->worlds, "How many worlds, one episode each")
      ->check(CLI::Range(1, 1000000));
}

}  // namespace

void AddEval(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "eval", "Success with a Wilson interval, return with a bootstrap interval");
  verb->add_option("policy", options->first, "Policy file")->required();
  AddShared(*verb, options);
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Eval(context, *options); };
  });
}

void AddCompare(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("compare", "Two policies on the same worlds, paired");
  verb->add_option("policy_a", options->first, "First policy file")->required();
  verb->add_option("policy_b", options->second, "Second policy file")->required();
  AddShared(*verb, options);
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Compare(context, *options); };
  });
}

}  // namespace realward
