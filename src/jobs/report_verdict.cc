#include "jobs/report_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "jobs/html_page.h"
#include "jobs/report_figures.h"
#include "jobs/svg_chart.h"

namespace realward {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string Line(std::string_view term, std::string_view text) {
  return text.empty() ? ""
                      : fmt::format("<dt>{}</dt><dd>{}</dd>\n", EscapeXml(term), EscapeXml(text));
}

std::string Tile(std::string_view name, std::string_view big, std::string_view glyph,
                 std::string_view sub) {
  return fmt::format(
      "<div class=\"tile\"><p class=\"name\">{}</p><p class=\"big\">{}</p>{}<p "
      "class=\"sub\">{}</p></div>\n",
      EscapeXml(name), EscapeXml(big), glyph, EscapeXml(sub));
}

std::string ShareTile(const LoopReport& report, std::string_view name, const Estimate& share,
                      int successes, int trials, std::string_view noun) {
  if (!std::isfinite(share.value)) return Tile(name, "undefined", "", share.why);
  return Tile(name, FormatPercent(share.value),
              RenderShareGlyph(share.value, share.low, share.high,
                               PolicyColour(report, report.recommended)),
              fmt::format("{} of {} {}, 95 % interval {} to {}", FormatCount(successes),
                          FormatCount(trials), noun, FormatFixed(100 * share.low, 1),
                          FormatPercent(share.high)));
}

// Lowest and highest ratio of errors on recordings the fit never saw.
struct ErrorRatio {
  double low = INFINITY;
  double high = -INFINITY;
  bool any() const { return low <= high; }
};

ErrorRatio HeldOutErrorRatio(const LoopReport& report) {
  ErrorRatio ratio;
  if (!report.fit) return ratio;
  for (const ReportResidual& r : report.fit->residuals) {
    if (!r.held_out || !(r.datasheet_rms > 0.0) || !std::isfinite(r.fitted_rms)) continue;
    ratio.low = std::min(ratio.low, r.fitted_rms / r.datasheet_rms);
    ratio.high = std::max(ratio.high, r.fitted_rms / r.datasheet_rms);
  }
  return ratio;
}

std::string RatioText(const ErrorRatio& ratio) {
  const std::string low = FormatFixed(ratio.low, 2);
  const std::string high = FormatFixed(ratio.high, 2);
  return low == high ? low : low + " to " + high;
}

std::string Tiles(const LoopReport& report) {
  std::string tiles;
  for (const ReportSuite& suite : report.suites) {
    const ReportScore* score =
        suite.held_out ? FindScore(report, report.recommended, suite.name) : nullptr;
    if (score == nullptr) continue;
    tiles += ShareTile(report, "Success in held-out worlds: " + suite.name, score->success,
                       score->successes, score->trials, "worlds");
  }
  if (const ReportRobotScore* score = FindRobotScore(report, report.recommended)) {
    tiles += ShareTile(
        report, report.robot->is_virtual ? "Success on the virtual robot" : "Success on the robot",
        score->success, score->successes, score->trials, "trials");
  }
  const ErrorRatio ratio = HeldOutErrorRatio(report);
  if (ratio.any()) {
    tiles += Tile("Simulation error after the fit", RatioText(ratio) + "\u202f×", "",
                  "of that with datasheet values, on recordings the fit never saw");
  }
  return tiles.empty() ? "" : "<div class=\"tiles\">\n" + tiles + "</div>\n";
}

std::string WantedText(const LoopReport& report) {
  if (!report.wanted_success) return "";
  std::string text;
  const double wanted = *report.wanted_success;
  for (const ReportSuite& suite : report.suites) {
    const ReportScore* score =
        suite.held_out ? FindScore(report, report.recommended, suite.name) : nullptr;
    if (score == nullptr || !std::isfinite(score->success.value)) continue;
    const char* verdict = score->success.low >= wanted ? "reached, with the whole interval above it"
                          : score->success.value >= wanted
                              ? "reached, but the interval reaches below it: more worlds "
                                "would settle it"
                              : "not reached";
    text += fmt::format("{}{} asked for in “{}”: {}.", text.empty() ? "" : " ",
                        FormatPercent(wanted), suite.name, verdict);
  }
  return text;
}

std::string BaselineText(const LoopReport& report) {
  std::string text;
  for (const ReportComparison& c : report.comparisons) {
    if (c.policy != report.recommended || !std::isfinite(c.success_difference.value)) continue;
    const Estimate& d = c.success_difference;
    const char* meaning = d.low > 0.0 ? "Better" : d.high < 0.0 ? "Worse" : "No clear difference";
    text += fmt::format("{}{} in “{}”: {} percentage points.", text.empty() ? "" : " ", meaning,
                        c.suite, PointsText(d));
  }
  return text;
}

std::string RobotText(const LoopReport& report) {
  if (!report.robot) return "It was tried on no robot: everything here is simulation.";
  const ReportRobotScore* score = FindRobotScore(report, report.recommended);
  if (score == nullptr) return report.recommended.empty() ? "" : "It was not tried on the robot.";
  std::string text = score->aborted > 0
                         ? fmt::format(
                               "{} of its trials {} aborted and count in no rate; the reasons are "
                               "below. ",
                               FormatCount(score->aborted), score->aborted == 1 ? "was" : "were")
                         : "None of its trials was aborted. ";
  text += fmt::format("Δ return {}; GapRatio {}.", DifferenceText(score->delta),
                      EstimateText(score->gap_ratio));
  return text;
}

std::string UndeterminedText(const LoopReport& report) {
  if (!report.fit) return "Nothing was fitted, so every parameter rests on its datasheet.";
  std::vector<std::string> loose, bound;
  for (const ReportParameter& p : report.fit->parameters) {
    if (p.undetermined) loose.push_back(p.name);
    if (p.on_low_bound || p.on_high_bound) bound.push_back(p.name);
  }
  std::string text =
      loose.empty() ? "Every fitted parameter is determined by the data."
                    : fmt::format("The recordings say no more about {} than was assumed before.",
                                  Listed(loose));
  if (!bound.empty()) {
    text += fmt::format(" On a bound of the search: {}; widen the bound or doubt the model.",
                        Listed(bound));
  }
  return text;
}

std::string CautionText(const LoopReport& report) {
  std::string text;
  if (!report.source.from_hardware)
    text += "No data from hardware went into this: it shows that the chain works, not your robot. ";
  if (report.robot && report.robot->is_virtual) {
    text += "The virtual robot is a simulation with a hidden world; it is not your hardware. ";
  }
  text += "On hardware, start with low limits and a hand on the stop.";
  return text;
}

}  // namespace

const ReportScore* FindScore(const LoopReport& report, const std::string& policy,
                             const std::string& suite) {
  for (const ReportScore& score : report.scores) {
    if (score.policy == policy && score.suite == suite) return &score;
  }
  return nullptr;
}

const ReportRobotScore* FindRobotScore(const LoopReport& report, const std::string& policy) {
  if (!report.robot) return nullptr;
  for (const ReportRobotScore& score : report.robot->scores) {
    if (score.policy == policy) return &score;
  }
  return nullptr;
}

std::string RenderVerdict(const LoopReport& report) {
  const bool chosen = !report.recommended.empty();
  std::string html =
      fmt::format("<div class=\"verdict{}\">\n<h2>{}</h2>\n", chosen ? "" : " no",
                  chosen ? fmt::format("Use the policy “{}”.", EscapeXml(report.recommended))
                         : "No policy is recommended.");
  if (!report.recommended_why.empty()) html += Paragraph(report.recommended_why);
  html += Tiles(report) + "<dl>\n";
  html += Line("Goal", WantedText(report));
  html +=
      Line("Against " + (report.baseline.empty() ? std::string("the baseline") : report.baseline),
           BaselineText(report));
  html += Line("Robot", RobotText(report));
  html += Line("Not determined", UndeterminedText(report));
  html += Line("Before you deploy", CautionText(report));
  return html + "</dl>\n</div>\n";
}

}  // namespace realward
