#include "jobs/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/html_page.h"
#include "jobs/report_figures.h"
#include "jobs/report_verdict.h"
#include "jobs/svg_chart.h"

namespace realward {
namespace {

std::string Small(std::string_view text, std::string_view classes = "") {
  return fmt::format("<small{}>{}</small>",
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), EscapeXml(text));
}

std::string NameCell(std::string_view name, std::string_view note) {
  return EscapeXml(name) + (note.empty() ? "" : Small(note));
}

std::string ShareCell(const Estimate& share, int successes, int trials, int colour) {
  if (!std::isfinite(share.value)) return EscapeXml(ShareText(share));
  std::string cell = fmt::format("<b>{}</b>", FormatPercent(share.value)) +
                     RenderShareGlyph(share.value, share.low, share.high, colour);
  if (std::isfinite(share.low) && std::isfinite(share.high)) {
    cell +=
        Small(fmt::format("{} to {}", FormatFixed(100 * share.low, 1), FormatPercent(share.high)));
  }
  return cell + Small(fmt::format("{} of {}", FormatCount(successes), FormatCount(trials)));
}

std::string SuccessTable(const LoopReport& report) {
  HtmlTable table;
  table.columns = {{"policy", false}};
  for (const ReportSuite& suite : report.suites) table.columns.push_back({suite.name, false});
  if (report.robot)
    table.columns.push_back({report.robot->is_virtual ? "virtual robot" : "robot", false});
  for (const ReportPolicy& policy : report.policies) {
    const int colour = PolicyColour(report, policy.name);
    std::vector<std::string> row = {
        NameCell(policy.name, policy.trained_on.empty() ? "" : "trained on: " + policy.trained_on)};
    for (const ReportSuite& suite : report.suites) {
      const ReportScore* score = FindScore(report, policy.name, suite.name);
      row.push_back(score ? ShareCell(score->success, score->successes, score->trials, colour)
                          : "not evaluated");
      if (score && score->diverged > 0) {
        row.back() += Small(fmt::format("{} failed (diverged)", score->diverged), "flag");
      }
    }
    if (report.robot) {
      const ReportRobotScore* score = FindRobotScore(report, policy.name);
      row.push_back(score ? ShareCell(score->success, score->successes, score->trials, colour)
                          : "not tried");
    }
    table.rows_html.push_back(std::move(row));
  }
  return RenderTable(table);
}

std::string ReturnTable(const LoopReport& report) {
  HtmlTable table;
  table.columns = {{"policy", false}, {"worlds", false}, {"mean return (95 % interval)", true}};
  for (const ReportScore& score : report.scores) {
    table.rows_html.push_back({EscapeXml(score.policy), EscapeXml(score.suite),
                               EscapeXml(EstimateText(score.mean_return))});
  }
  return RenderTable(table);
}

std::string SuccessSection(const LoopReport& report) {
  if (report.policies.empty() || report.scores.empty()) {
    return Section("success", "Success",
                   Missing("No policy was evaluated, so there is no success rate to show."));
  }
  std::string html =
      Paragraph("Share of episodes that end in success, with 95 % intervals.", "quiet");
  html += SuccessTable(report);
  HtmlTable suites;
  suites.columns = {{"worlds", false}, {"number", true}, {"what they are", false}};
  for (const ReportSuite& suite : report.suites) {
    suites.rows_html.push_back(
        {EscapeXml(suite.name), FormatCount(suite.worlds),
         EscapeXml(suite.description + (suite.held_out ? " (held out)" : ""))});
  }
  html += Details("What the worlds are", RenderTable(suites));
  html += Details("Mean returns", ReturnTable(report));
  return Section("success", "Success by policy and worlds", html);
}

std::string PValueText(double p) {
  if (!std::isfinite(p)) return "undefined";
  return p < 1e-4 ? "< 0.0001" : FormatNumber(p, 2);
}

std::string ComparisonSection(const LoopReport& report) {
  if (report.comparisons.empty()) {
    return Section("comparison", "Against the baseline",
                   Missing("No paired comparison: it needs two policies on the same worlds."));
  }
  HtmlTable table;
  table.columns = {{"policy", false},       {"worlds", false}, {"pairs", true},  {"only it", true},
                   {"only baseline", true}, {"success", true}, {"return", true}, {"p", true}};
  for (const ReportComparison& c : report.comparisons) {
    table.rows_html.push_back(
        {NameCell(c.policy, "against " + c.baseline), EscapeXml(c.suite), FormatCount(c.pairs),
         FormatCount(c.only_policy), FormatCount(c.only_baseline),
         EscapeXml(PointsText(c.success_difference)),
         EscapeXml(DifferenceText(c.return_difference)), EscapeXml(PValueText(c.p_value))});
  }
  std::string tests;
  for (const ReportComparison& c : report.comparisons) {
    if (!c.test.empty() && tests.find(c.test) == std::string::npos)
      tests += (tests.empty() ? "" : ", ") + c.test;
  }
  const std::string html = Paragraph(
      fmt::format(
          "Every pair is one world met by both policies from the same start. “Only it” and “only "
          "baseline” count the pairs in which one alone succeeded; success differences are "
          "percentage points.{}",
          tests.empty() ? "" : " p: " + tests + "."),
      "quiet");
  return Section("comparison", "Against the baseline",
                 html + ComparisonFigure(report) + RenderTable(table));
}

std::string ResidualTable(const std::vector<ReportResidual>& residuals) {
  if (residuals.empty()) return Missing("No residuals were given for the fit.");
  HtmlTable table;
  table.columns = {{"recording", false}, {"quantity", false}, {"datasheet RMS", true},
                   {"fitted RMS", true}, {"unit", false},     {"fitted / datasheet", true}};
  for (const ReportResidual& r : residuals) {
    const double ratio = r.datasheet_rms > 0.0 ? r.fitted_rms / r.datasheet_rms : kUndefined;
    table.rows_html.push_back(
        {NameCell(r.recording, r.held_out ? "never seen by the fit" : "used by the fit"),
         EscapeXml(r.quantity), FormatNumber(r.datasheet_rms), FormatNumber(r.fitted_rms),
         EscapeXml(r.unit), std::isfinite(ratio) ? FormatFixed(ratio, 2) : "undefined"});
  }
  return RenderTable(table);
}

std::string ParameterFlags(const ReportParameter& p) {
  std::string flags;
  const auto add = [&](std::string_view text, std::string_view classes) {
    flags += fmt::format("<span class=\"small {}\">{}</span>", classes, EscapeXml(text));
  };
  if (p.undetermined) add("not determined by the data", "flag");
  if (p.on_low_bound) add("on its lower bound, " + FormatNumber(p.bound_low), "flag");
  if (p.on_high_bound) add("on its upper bound, " + FormatNumber(p.bound_high), "flag");
  if (flags.empty()) add("determined", "");
  if (p.truth) add("hidden true value " + FormatNumber(*p.truth), "");
  return flags;
}

std::string ParameterTable(const ReportFit& fit) {
  HtmlTable table;
  table.columns = {{"parameter", false},        {"datasheet", true}, {"fitted", true},
                   {"95 % interval", true},     {"unit", false},     {"searched in", true},
                   {"what the data say", false}};
  for (const ReportParameter& p : fit.parameters) {
    const MeasuredText text =
        FormatMeasured(p.fitted.value, p.fitted.low, p.fitted.high, p.nominal);
    const bool interval = std::isfinite(p.fitted.low) && std::isfinite(p.fitted.high);
    table.rows_html.push_back({NameCell(p.name, p.meaning), text.nominal,
                               std::isfinite(p.fitted.value) ? "<b>" + text.value + "</b>"
                                                             : EscapeXml(EstimateText(p.fitted)),
                               interval ? text.low + " to " + text.high : "none",
                               EscapeXml(p.unit.empty() ? "ratio" : p.unit),
                               std::isfinite(p.bound_low)
                                   ? FormatNumber(p.bound_low) + " to " + FormatNumber(p.bound_high)
                                   : "",
                               ParameterFlags(p)});
  }
  return RenderTable(table);
}

std::string DerivedTable(const std::vector<ReportDerived>& derived) {
  HtmlTable table;
  table.columns = {{"follows from the fit", false},
                   {"value (95 % interval)", true},
                   {"measured otherwise", true},
                   {"difference", true},
                   {"unit", false}};
  for (const ReportDerived& d : derived) {
    const double off = d.known && *d.known != 0.0 ? d.fitted.value / *d.known - 1.0 : kUndefined;
    table.rows_html.push_back({EscapeXml(d.name), EscapeXml(EstimateText(d.fitted)),
                               d.known ? FormatNumber(*d.known) : "not known",
                               std::isfinite(off) ? FormatSigned(100 * off, 1) + "\u202f%" : "",
                               EscapeXml(d.unit)});
  }
  return derived.empty() ? "" : RenderTable(table);
}

std::string FitSection(const LoopReport& report) {
  if (!report.fit) {
    return Section(
        "fit", "Fit",
        Missing("Nothing was fitted: the loop has no logs, or no parameter with bounds. Policies "
                "were trained on the specs as written."));
  }
  const ReportFit& fit = *report.fit;
  std::string html = Paragraph(fit.method, "quiet") + Paragraph(fit.outcome);
  if (!fit.converged)
    html += Paragraph("The search did not converge: take the values below with caution.", "flag");
  std::string unseen, seen;
  for (const ReportOverlay& overlay : fit.overlays)
    (overlay.held_out ? unseen : seen) += OverlayFigure(overlay);
  html += "<h3>Recordings that the fit never saw</h3>\n";
  html += unseen.empty() ? Missing("No recording was held out, so the fit is not validated here.")
                         : unseen;
  if (!seen.empty()) html += Details("Recordings that the fit used", seen);
  html += "<h3>Error of the free simulation</h3>\n" + ResidualTable(fit.residuals);
  return Section("fit", "Fit: simulation against the recordings", html);
}

std::string ParameterSection(const LoopReport& report) {
  if (!report.fit || report.fit->parameters.empty()) return "";
  const ReportFit& fit = *report.fit;
  std::string html = ParameterTable(fit) + DerivedTable(fit.derived);
  html += "<h3>Prior and posterior</h3>\n" + PriorPosteriorFigure(fit.parameters);
  html += "<h3>Correlation</h3>\n" + CorrelationFigure(fit);
  return Section("parameters", "Parameters", html);
}

std::string GapSection(const LoopReport& report) {
  std::string html;
  for (const ReportGap& gap : report.gaps) {
    html += fmt::format("<h3>{} of “{}”</h3>\n", gap.quantity == "success" ? "Success" : "Return",
                        EscapeXml(gap.policy)) +
            (gap.parts.empty() ? Missing("No parameter was moved.") : GapFigure(report, gap));
  }
  if (html.empty())
    html = Missing("The gap was not decomposed: it needs a fit and a trained policy.");
  return Section("gap", "The gap, parameter by parameter", html);
}

std::string TrialTable(const std::vector<ReportTrial>& trials, bool aborted_only) {
  HtmlTable table;
  table.columns = {{"trial", false},
                   {"outcome", false},
                   {"return", true},
                   {"duration, s", true},
                   {"reason", false}};
  for (const ReportTrial& t : trials) {
    if (aborted_only && t.outcome != "aborted") continue;
    const std::string outcome = EscapeXml(t.outcome);
    table.rows_html.push_back(
        {fmt::format("{} · {}", EscapeXml(t.policy), t.number),
         t.outcome == "success" ? outcome : fmt::format("<span class=\"flag\">{}</span>", outcome),
         std::isfinite(t.trial_return) ? FormatNumber(t.trial_return) : "",
         std::isfinite(t.duration) ? FormatNumber(t.duration) : "", EscapeXml(t.reason)});
  }
  return table.rows_html.empty() ? "" : RenderTable(table);
}

std::string RobotSection(const LoopReport& report) {
  if (!report.robot) {
    return Section("robot", "Robot",
                   Missing("No robot was part of this loop: success above is in simulation only."));
  }
  const ReportRobot& robot = *report.robot;
  HtmlTable table;
  table.columns = {{"policy", false},  {"success", true},  {"return", true},
                   {"Δ return", true}, {"GapRatio", true}, {"aborted", true}};
  for (const ReportRobotScore& s : robot.scores) {
    table.rows_html.push_back(
        {NameCell(s.policy, s.sim_suite.empty() ? "" : "simulated on " + s.sim_suite),
         EscapeXml(ShareText(s.success)) + Small(fmt::format("{} of {}", s.successes, s.trials)),
         EscapeXml(EstimateText(s.mean_return)), EscapeXml(DifferenceText(s.delta)),
         EscapeXml(EstimateText(s.gap_ratio)), FormatCount(s.aborted)});
  }
  std::string html = Paragraph(fmt::format("{} “{}”{}, reached only through the robot link. Δ is "
                                           "the robot's return minus the simulated one; GapRatio "
                                           "its size relative to the simulated one. Both with 95 % "
                                           "intervals. Aborted trials count in no rate.",
                                           robot.is_virtual ? "Virtual robot" : "Robot", robot.name,
                                           robot.endpoint.empty() ? "" : " at " + robot.endpoint),
                               "quiet");
  html +=
      robot.scores.empty() ? Missing("No trial was completed on the robot.") : RenderTable(table);
  const std::string aborted = TrialTable(robot.trials, true);
  html += "<h3>Aborted trials</h3>\n" + (aborted.empty() ? Paragraph("None.") : aborted);
  if (!robot.trials.empty()) {
    html +=
        Details(fmt::format("All {} trials", robot.trials.size()), TrialTable(robot.trials, false));
  }
  return Section("robot", robot.is_virtual ? "On the virtual robot" : "On the robot", html);
}

std::string LogSection(const LoopReport& report) {
  if (report.log_findings.empty()) {
    return Section("logs", "Logs",
                   report.logs_checked ? Paragraph("The logs were checked; nothing was found.")
                                       : Missing("No logs were read."));
  }
  HtmlTable table;
  table.columns = {{"file", false}, {"severity", false}, {"finding", false}, {"count", true}};
  for (const ReportLogFinding& f : report.log_findings) {
    const std::string severity = EscapeXml(f.severity);
    table.rows_html.push_back(
        {EscapeXml(f.file),
         f.severity == "note" ? severity : fmt::format("<span class=\"flag\">{}</span>", severity),
         EscapeXml(f.what), FormatCount(f.count)});
  }
  return Section("logs", "What the logs' check found", RenderTable(table));
}

std::string ProvenanceSection(const LoopReport& report) {
  HtmlTable items;
  items.columns = {{"what", false}, {"name", false}, {"SHA-256", false}};
  for (const ReportItem& item : report.provenance) {
    items.rows_html.push_back(
        {EscapeXml(item.role), EscapeXml(item.name),
         fmt::format("<span class=\"hash\">{}</span>", EscapeXml(item.hash))});
  }
  HtmlTable facts;
  facts.columns = {{"setting", false}, {"value", false}};
  for (const ReportFact& fact : report.facts)
    facts.rows_html.push_back({EscapeXml(fact.name), EscapeXml(fact.value)});
  std::string html = items.rows_html.empty() ? Missing("No input was hashed.") : RenderTable(items);
  if (!report.facts.empty()) html += RenderTable(facts);
  const std::string command =
      report.command.empty() ? "" : fmt::format("<pre>{}</pre>\n", EscapeXml(report.command));
  return Section(
      "provenance", "Where every number comes from",
      Paragraph("The same inputs, seeds and versions give this page again, byte for byte.",
                "quiet") +
          command + Details("Inputs, stages, seeds and versions", html));
}

}  // namespace

std::string SourceSentence(const ReportSource& source) {
  const std::string licence = source.licence.empty() ? "" : fmt::format(" ({})", source.licence);
  if (source.from_hardware) {
    return fmt::format("Data recorded on hardware: {}{}.", source.dataset, licence);
  }
  return fmt::format("Data are the virtual robot's logs, not recorded on hardware, because {}.",
                     source.because.empty() ? "no recordings were given" : source.because);
}

std::string RenderHtml(const LoopReport& report) {
  std::string body = fmt::format("<p class=\"source\">{}</p>\n<main>\n<header>\n",
                                 EscapeXml(SourceSentence(report.source)));
  body += Paragraph("Realward · loop report", "kicker");
  body += fmt::format("<h1>{}</h1>\n", EscapeXml(report.name)) + Paragraph(report.task, "task");
  body +=
      "<nav><a href=\"#success\">Success</a><a href=\"#comparison\">Comparison</a><a "
      "href=\"#fit\">Fit</a>"
      "<a href=\"#learning\">Learning</a><a href=\"#gap\">Gap</a><a href=\"#robot\">Robot</a>"
      "<a href=\"#logs\">Logs</a><a href=\"#provenance\">Provenance</a></nav>\n</header>\n";
  body += RenderVerdict(report);
  body += SuccessSection(report) + ComparisonSection(report) + FitSection(report) +
          ParameterSection(report);
  body += Section("learning", "Learning curves", LearningFigure(report));
  body +=
      GapSection(report) + RobotSection(report) + LogSection(report) + ProvenanceSection(report);
  body +=
      "<footer>Intervals are 95 %. Success rates carry Wilson intervals, returns and differences "
      "bootstrap intervals.</footer>\n</main>\n";
  return RenderPage(fmt::format("{} · Realward", report.name), body);
}

std::string RenderFitPicture(const ReportOverlay& overlay) {
  constexpr int kWidth = 900;
  const Plot top = OverlayPlot(overlay, kWidth, 300);
  if (!HasData(top)) return "";
  return RenderStandalone(
      {top, ErrorPlot(overlay, kWidth, 170)},
      fmt::format("Free simulation of recording {}{}", overlay.recording,
                  overlay.held_out ? ", which the fit never saw" : ""),
      "Started from the recording's first state and driven by its commands; never corrected.");
}

}  // namespace realward
