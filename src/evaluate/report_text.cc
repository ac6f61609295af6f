#include "evaluate/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluate/text_table.h"

namespace realward {
namespace {

// What is not certain never looks so: short of 100 (above 0) by at least the last decimal.
std::string Percent(double share, int decimals = 1) {
  double percent = 100.0 * share;
  const double step = std::pow(10.0, -decimals);
  if (share < 1.0) percent = std::min(percent, 100.0 - step);
  if (share > 0.0) percent = std::max(percent, step);
  return fmt::format("{:.{}f}", percent, decimals);
}

std::string SignedPercent(double share) { return fmt::format("{:+.1f}", 100.0 * share + 0.0); }

// Fixed decimals, without a negative zero.
std::string Fixed(double value, int decimals) {
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (out.find_first_of("123456789") == std::string::npos && out[0] == '-') out.erase(0, 1);
  return out;
}

// Decimals so that an interval of this width shows two digits of it; −1 asks for %g.
int Decimals(double value, double width) {
  if (!(width > 1e-6) || std::abs(value) > 1e9) return -1;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 6);
}

std::string Number(double value, int decimals) {
  return decimals < 0 ? fmt::format("{:.6g}", value + 0.0) : Fixed(value, decimals);
}

std::string FormatRatio(const GapRatio& ratio) {
  if (!ratio.ratio) return std::string(Name(ratio.state));
  if (!ratio.interval) return fmt::format("{:.2f} ({})", *ratio.ratio, Name(ratio.state));
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", *ratio.ratio, ratio.interval->low,
                     ratio.interval->high);
}

std::string FormatDifference(const RateDifference& difference) {
  if (!difference.difference) return "not measured";
  return fmt::format("{} pp [{}, {}]", SignedPercent(*difference.difference),
                     SignedPercent(difference.interval.low),
                     SignedPercent(difference.interval.high));
}

using Rows = std::vector<std::vector<std::string>>;

std::string ResultTable(const EvalReport& report) {
  const std::vector<TableColumn> columns = {
      {"policy", false}, {"suite", false},   {"n", true},      {"success", true},
      {"aborted", true}, {"diverged", true}, {"return", true}, {"time to success [s]", true}};
  Rows rows;
  for (const SuiteResult& r : report.results) {
    const TrialSummary& t = r.trials;
    rows.push_back({t.policy, t.suite, fmt::format("{}", t.counted.size()),
                    FormatRate(t.completed_rate), fmt::format("{}", t.aborted.size()),
                    fmt::format("{}", t.diverged), FormatMean(r.episode_return),
                    r.time_to_success ? FormatMean(*r.time_to_success) : "-"});
  }
  return FormatTable(columns, rows);
}

std::string GapTable(const EvalReport& report) {
  const std::vector<TableColumn> columns = {{"policy", false},  {"gap", false},
                                            {"success", true},  {"return", true},
                                            {"GapRatio", true}, {"samples", false}};
  Rows rows;
  for (const GapResult& g : report.gaps) {
    rows.push_back({g.request.policy, g.request.real_suite + " - " + g.request.sim_suite,
                    FormatDifference(g.success), FormatMean(g.episode_return.delta),
                    FormatRatio(g.episode_return.ratio),
                    std::string(Name(g.episode_return.pairing))});
  }
  return FormatTable(columns, rows);
}

std::string CompareTable(const EvalReport& report) {
  const std::vector<TableColumn> columns = {
      {"A", false},           {"B", false},      {"suite", false}, {"pairs", true},
      {"only A", true},       {"only B", true},  {"p", true},      {"success A - B", true},
      {"return A - B", true}, {"verdict", false}};
  Rows rows;
  for (const CompareResult& c : report.comparisons) {
    const Comparison& m = c.comparison;
    rows.push_back({m.policy_a, m.policy_b, c.suite.empty() ? "all" : c.suite,
                    fmt::format("{}", m.table.pairs()), fmt::format("{}", m.table.only_a),
                    fmt::format("{}", m.table.only_b),
                    m.p_value < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", m.p_value),
                    FormatDifference(m.success), FormatMean(m.return_difference),
                    std::string(Name(m.verdict))});
  }
  return FormatTable(columns, rows);
}

void AppendTrialRemarks(const TrialSummary& t, std::vector<std::string>& out) {
  const std::string who = fmt::format("{} on {}", t.policy, t.suite);
  const std::size_t open = t.aborted.size() + t.not_run.size();
  if (open > 0) {
    std::string reasons;
    for (const auto& [reason, count] : t.abort_reasons) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
    }
    if (!t.not_run.empty()) {
      reasons += fmt::format("{}{} not run", reasons.empty() ? "" : ", ", t.not_run.size());
    }
    out.push_back(
        fmt::format("{}: {} of {} planned trials did not finish ({}); counting them as failures or "
                    "as successes, "
                    "the rate is {} to {} %",
                    who, open, t.planned, reasons, Percent(t.planned_rate_bounds.low),
                    Percent(t.planned_rate_bounds.high)));
  }
  if (!t.emergency_stops.empty()) {
    out.push_back(fmt::format("{}: {} of them emergency stops, which the policy may have caused",
                              who, t.emergency_stops.size()));
  }
  if (!t.ignored_retries.empty()) {
    std::string trials;
    for (const auto& r : t.ignored_retries) {
      trials += (trials.empty() ? "" : "; ") + ToString(r.key);
    }
    out.push_back(fmt::format("{}: retries of finished trials do not count ({})", who, trials));
  }
}

void AppendCompareRemarks(const CompareResult& c, std::vector<std::string>& out) {
  const Comparison& m = c.comparison;
  const std::string who = fmt::format("{} against {}", m.policy_a, m.policy_b);
  for (const Exclusion& e : m.excluded) {
    out.push_back(
        fmt::format("{}: seed {} of {} is not compared: {}", who, e.seed, e.suite, Name(e.reason)));
  }
  if (m.verdict != m.verdict_aborts_fail) {
    out.push_back(fmt::format(
        "{}: with aborted trials as failures the verdict is '{}' (p {:.4f}): aborts decide", who,
        Name(m.verdict_aborts_fail), m.p_value_aborts_fail));
  }
}

}  // namespace

std::string FormatRate(const Proportion& proportion) {
  if (!proportion.measured()) return "not measured";
  // One decimal, or more where many trials make the interval narrower than that.
  const Interval& interval = proportion.interval;
  const int decimals = std::max(1, Decimals(1.0, 100.0 * interval.width()));
  return fmt::format("{} % [{}, {}]", Percent(*proportion.rate, decimals),
                     Percent(interval.low, decimals), Percent(interval.high, decimals));
}

std::string FormatMean(const MeanEstimate& estimate) {
  if (!estimate.mean) return "not measured";
  const double mean = *estimate.mean;
  if (estimate.state == MeanState::kSingleValue) return Number(mean, -1) + " (one value)";
  if (estimate.state == MeanState::kNoSpread) return Number(mean, -1) + " (no spread)";
  const int decimals = Decimals(mean, estimate.interval->width());
  return fmt::format("{} [{}, {}]", Number(mean, decimals),
                     Number(estimate.interval->low, decimals),
                     Number(estimate.interval->high, decimals));
}

std::string FormatReport(const EvalReport& report) {
  const double percent = 100.0 * report.confidence;
  std::string out = fmt::format(
      "Intervals at {:.6g} %: success Wilson, return and time BCa bootstrap; the unit of "
      "replication "
      "is the trial.\n\n{}",
      percent, ResultTable(report));
  std::vector<std::string> remarks;
  for (const SuiteResult& r : report.results) AppendTrialRemarks(r.trials, remarks);
  if (!report.gaps.empty()) {
    out += fmt::format("\nReality gap: first suite less second; GapRatio of the return.\n\n{}",
                       GapTable(report));
  }
  if (!report.comparisons.empty()) {
    const Comparison& first = report.comparisons.front().comparison;
    out += fmt::format("\nPolicies on the same trials: {}, alpha {:.6g}.\n\n{}", first.test,
                       first.alpha, CompareTable(report));
  }
  for (const CompareResult& c : report.comparisons) AppendCompareRemarks(c, remarks);
  if (!remarks.empty()) out += "\n";
  for (const std::string& remark : remarks) out += "* " + remark + "\n";
  return out;
}

}  // namespace realward
