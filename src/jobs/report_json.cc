#include "jobs/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/fit_section.h"

namespace realward {

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json ToJson(const Estimate& e) {
  Json json = {{"value", Number(e.value)}, {"low", Number(e.low)}, {"high", Number(e.high)}};
  if (!e.why.empty()) json["why"] = e.why;
  return json;
}

namespace {

// Overlays are for drawing; they lie beside the stage's result.
Json FitJson(const ReportFit& fit) {
  Json json = ToJson(fit);
  json.erase("overlays");
  return json;
}

Json GapJson(const ReportGap& gap) {
  Json json = {{"policy", gap.policy},
               {"quantity", gap.quantity},
               {"at_nominal", ToJson(gap.at_nominal)},
               {"at_fitted", ToJson(gap.at_fitted)},
               {"remainder", ToJson(gap.remainder)}};
  for (const ReportGap::Part& part : gap.parts) {
    json["parts"].push_back({{"parameter", part.parameter}, {"effect", ToJson(part.effect)}});
  }
  return json;
}

Json RobotJson(const ReportRobot& robot) {
  Json json = {{"name", robot.name}, {"is_virtual", robot.is_virtual}};
  for (const ReportRobotScore& s : robot.scores) {
    json["scores"].push_back({{"policy", s.policy},
                              {"trials", s.trials},
                              {"successes", s.successes},
                              {"aborted", s.aborted},
                              {"success", ToJson(s.success)},
                              {"return", ToJson(s.mean_return)},
                              {"sim_suite", s.sim_suite},
                              {"delta", ToJson(s.delta)},
                              {"gap_ratio", ToJson(s.gap_ratio)}});
  }
  return json;
}

std::string Percent(const Estimate& e) {
  if (!std::isfinite(e.value)) return "–";
  return fmt::format("{:5.1f} % [{:.1f}, {:.1f}]", 100.0 * e.value, 100.0 * e.low, 100.0 * e.high);
}

// Columns by code points: every character used here is one cell wide.
std::string Padded(const std::string& text, std::size_t width) {
  const auto cells = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  return text + std::string(width > cells ? width - cells : 0, ' ');
}

}  // namespace

Json ReportJson(const LoopReport& report) {
  Json json = {{"name", report.name},
               {"source", SourceSentence(report.source)},
               {"from_hardware", report.source.from_hardware},
               {"recommended", report.recommended},
               {"recommended_why", report.recommended_why},
               {"baseline", report.baseline}};
  json["wanted_success"] = report.wanted_success ? Json(*report.wanted_success) : Json();
  for (const ReportScore& s : report.scores) {
    json["scores"].push_back({{"policy", s.policy},
                              {"suite", s.suite},
                              {"trials", s.trials},
                              {"successes", s.successes},
                              {"diverged", s.diverged},
                              {"success", ToJson(s.success)},
                              {"return", ToJson(s.mean_return)}});
  }
  for (const ReportComparison& c : report.comparisons) {
    json["comparisons"].push_back({{"policy", c.policy},
                                   {"baseline", c.baseline},
                                   {"suite", c.suite},
                                   {"pairs", c.pairs},
                                   {"only_policy", c.only_policy},
                                   {"only_baseline", c.only_baseline},
                                   {"success_difference", ToJson(c.success_difference)},
                                   {"return_difference", ToJson(c.return_difference)},
                                   {"p_value", Number(c.p_value)},
                                   {"test", c.test}});
  }
  if (report.fit) json["fit"] = FitJson(*report.fit);
  for (const ReportGap& gap : report.gaps) json["gaps"].push_back(GapJson(gap));
  if (report.robot) json["robot"] = RobotJson(*report.robot);
  for (const ReportItem& item : report.provenance) {
    json["provenance"].push_back({{"role", item.role}, {"name", item.name}, {"hash", item.hash}});
  }
  for (const ReportFact& fact : report.facts) json["facts"][fact.name] = fact.value;
  return json;
}

std::string ReportTable(const LoopReport& report) {
  constexpr std::size_t kName = 14, kCell = 26;
  std::string text = SourceSentence(report.source) + "\n\n" + Padded("success", kName);
  for (const ReportSuite& suite : report.suites) {
    text += Padded(suite.name + (suite.held_out ? " (held out)" : ""), kCell);
  }
  if (report.robot) text += Padded(report.robot->name, kCell);
  text += "\n";
  for (const ReportPolicy& policy : report.policies) {
    text += Padded(policy.name, kName);
    for (const ReportSuite& suite : report.suites) {
      for (const ReportScore& score : report.scores) {
        if (score.policy == policy.name && score.suite == suite.name)
          text += Padded(Percent(score.success), kCell);
      }
    }
    if (report.robot) {
      for (const ReportRobotScore& score : report.robot->scores) {
        if (score.policy == policy.name) text += Padded(Percent(score.success), kCell);
      }
    }
    text += "\n";
  }
  text += "\n";
  if (!report.recommended.empty()) {
    text += fmt::format("recommended: {} ({})\n", report.recommended, report.recommended_why);
  } else {
    text += fmt::format("recommended: none ({})\n", report.recommended_why);
  }
  return text;
}

}  // namespace realward
