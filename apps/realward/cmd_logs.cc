// realward logs FILE --mapping MAPPING: what a recording holds, how noisy it is, and what is wrong
// with it.
#include <fmt/format.h>

#include "logs/noise.h"
#include "logs/prepare.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string file, mapping;
};

int Run(const Context& context, const Options& options) {
  const Result<Mapping> mapping = LoadMapping(options.mapping);
  if (!mapping.ok()) return Report(context, mapping.error());
  const Result<Log> log = ReadLog(options.file, *mapping);
  if (!log.ok()) return Report(context, log.error());
  const std::vector<Finding> findings = CheckLog(*log, CheckOptionsOf(*mapping));
  const double seconds = log->samples() < 2 ? 0.0 : log->time_s.back() - log->time_s.front();
  const ClockNoise clock = EstimateClock(log->time_s);
  std::string text = fmt::format(
      "{}: {} samples, {:.6g} s, median step {:.6g} s, step spread {:.3g} s, longest {:.6g} s\n",
      options.file, log->samples(), seconds, clock.median_step_s, clock.step_sigma_s,
      clock.longest_step_s);
  Json channels = Json::array(), list = Json::array();
  const Result<PreparedLog> prepared = PrepareLog(*log, CheckOptionsOf(*mapping));
  if (prepared.ok()) {
    for (const ChannelNoise& noise : EstimateNoise(prepared->log)) {
      channels.push_back({{"channel", noise.channel},
                          {"white_sigma", noise.white_sigma},
                          {"quantum", noise.quantum}});
      text += fmt::format("  {:<24} white noise {:.4g}, step {:.6g}\n", noise.channel,
                          noise.white_sigma, noise.quantum);
    }
  }
  for (const Finding& finding : findings) {
    list.push_back(ToJson(finding));
    text += ToText(finding) + "\n";
  }
  if (!prepared.ok()) {
    fmt::print("{}", context.json ? "" : text);
    return Report(context, prepared.error());
  }
  return Answer(context,
                {{"file", options.file},
                 {"samples", log->samples()},
                 {"seconds", seconds},
                 {"channels", channels},
                 {"findings", list},
                 {"hash", log->hash}},
                text);
}

}  // namespace

void AddLogs(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "logs", "Reads a recording and says what it holds and what is wrong with it");
  verb->add_option("file", options->file, "CSV file")->required();
  verb->add_option("--mapping", options->mapping, "Which column is what, in which unit")
      ->required();
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] { return Run(context, *options); };
  });
}

}  // namespace realward
