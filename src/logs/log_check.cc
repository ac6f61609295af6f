#include "logs/log_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "logs/unit_check.h"

namespace realward {
namespace {

Finding At(const Log& log, FindingKind kind, Severity severity, std::size_t first,
           std::size_t last) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  finding.first = first;
  finding.last = last;
  finding.time_s = log.time_s[first];
  finding.line = first < log.lines.size() ? log.lines[first] : 0;
  return finding;
}

bool SameRow(const Log& log, std::size_t a, std::size_t b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const auto left = log.values.row(a), right = log.values.row(b);
  if (!std::equal(left.begin(), left.end(), right.begin(), same)) return false;
  if (log.actuators.empty()) return true;
  const auto left_command = log.commands.row(a), right_command = log.commands.row(b);
  return std::equal(left_command.begin(), left_command.end(), right_command.begin(), same);
}

void CheckStep(const Log& log, std::size_t i, double median, double gap_steps,
               FindingList& findings) {
  const double step = log.time_s[i] - log.time_s[i - 1];
  if (step == 0.0) {
    const bool equal = SameRow(log, i - 1, i);
    Finding finding = At(log, FindingKind::kDuplicateTime,
                         equal ? Severity::kWarning : Severity::kError, i, i + 1);
    finding.message =
        fmt::format("{} time stamp {} s is there twice, with {} values",
                    i == 1 ? "the first" : "the", log.time_s[i], equal ? "equal" : "different");
    finding.action =
        equal ? "the second sample is dropped"
              : "which sample is right is not known: remove one, or map a finer time column";
    finding.repair = equal ? Repair::kDropDuplicate : Repair::kNone;
    findings.Add(std::move(finding));
  } else if (step < 0.0) {
    Finding finding = At(log, FindingKind::kTimeBackwards, Severity::kError, i, i + 1);
    finding.message = fmt::format("time runs backwards by {:.6g} s, from {} s to {} s", -step,
                                  log.time_s[i - 1], log.time_s[i]);
    finding.action = "split the file where the clock was set, or sort it if rows were mixed up";
    findings.Add(std::move(finding));
  } else if (median > 0.0 && step > gap_steps * median &&
             !std::binary_search(log.cuts.begin(), log.cuts.end(), i)) {
    Finding finding = At(log, FindingKind::kGap, Severity::kWarning, i, i + 1);
    finding.time_s = log.time_s[i - 1];
    finding.message =
        fmt::format("nothing is recorded for {:.6g} s, {:.1f} median steps", step, step / median);
    finding.action = "the log is cut here";
    finding.repair = Repair::kCut;
    findings.Add(std::move(finding));
  }
}

void CheckJitter(const Log& log, double median, double limit, FindingList& findings) {
  std::vector<double> deviations;
  for (std::size_t i = 1; i < log.samples(); ++i) {
    const double step = log.time_s[i] - log.time_s[i - 1];
    if (step > 0.0) deviations.push_back(std::abs(step - median));
  }
  if (deviations.size() < 10 || median <= 0.0) return;
  std::sort(deviations.begin(), deviations.end());
  const double typical = deviations[deviations.size() / 2];
  if (typical <= limit * median) return;
  Finding finding = At(log, FindingKind::kJitter, Severity::kWarning, 0, log.samples());
  finding.message =
      fmt::format("steps differ from their median of {:.6g} s by {:.0f} % (median deviation)",
                  median, 100.0 * typical / median);
  finding.action = "time stamps are used as recorded; check where they are taken";
  findings.Add(std::move(finding));
}

void CheckTime(const Log& log, const CheckOptions& options, FindingList& findings) {
  if (log.samples() < 3) {
    Finding finding;
    finding.kind = FindingKind::kTooShort;
    finding.severity = Severity::kError;
    finding.message = fmt::format("{} samples", log.samples());
    finding.action = "at least 3 are needed";
    findings.Add(std::move(finding));
    return;
  }
  const double median = MedianStep(log.time_s);
  for (std::size_t i = 1; i < log.samples(); ++i) {
    if (std::isnan(log.time_s[i]) || std::isnan(log.time_s[i - 1])) {
      Finding finding = At(log, FindingKind::kBadTime, Severity::kError, i, i + 1);
      finding.message = "a time stamp is NaN";
      findings.Add(std::move(finding));
      continue;
    }
    CheckStep(log, i, median, options.gap_steps, findings);
  }
  CheckJitter(log, median, options.jitter, findings);
}

// Whether a run of missing values is only the last sample's command, which acts on nothing.
bool IsLastCommand(const Log& log, bool is_command, std::size_t first, std::size_t last) {
  return is_command && last == log.samples() && last - first == 1 && first > 0;
}

void SetMissingRepair(const Log& log, bool is_command, Finding& finding) {
  if (finding.last - finding.first == log.samples()) {
    finding.severity = Severity::kError;
    finding.message += "; it has no value at all";
    finding.action = "map another column, or leave the channel out of the mapping";
  } else if (IsLastCommand(log, is_command, finding.first, finding.last)) {
    finding.severity = Severity::kInfo;
    finding.action = "the last sample's command acts on nothing: the one before is repeated";
    finding.repair = Repair::kHoldCommand;
  } else {
    finding.action =
        is_command ? "the rows are dropped and the log is cut here" : "the rows are dropped";
    finding.repair = Repair::kDropRow;
  }
}

// Missing values of one column: those that reading reported, with their repair, and any others.
void CheckMissing(const Log& log, MatrixView<const double> values, std::size_t column,
                  const std::string& name, bool is_command, FindingList& findings) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    if (std::isfinite(values(i, column))) continue;
    std::size_t last = i + 1;
    while (last < values.rows() && !std::isfinite(values(last, column))) ++last;
    Finding finding = At(log, FindingKind::kMissingValue, Severity::kWarning, i, last);
    const auto read =
        std::find_if(log.reading.begin(), log.reading.end(), [&](const Finding& entry) {
          return entry.kind == FindingKind::kMissingValue && entry.channel == name &&
                 entry.first == i && entry.last == last;
        });
    finding.channel = name;
    finding.message = read != log.reading.end()
                          ? read->message
                          : fmt::format("{} value(s) are not finite", last - i);
    SetMissingRepair(log, is_command, finding);
    findings.Add(std::move(finding));
    i = last - 1;
  }
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  std::size_t count = 0, at_low = 0, at_high = 0;
};

Range RangeOf(MatrixView<const double> values, std::size_t column) {
  Range range;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const double value = values(i, column);
    if (!std::isfinite(value)) continue;
    ++range.count;
    if (value < range.low) range.low = value, range.at_low = 0;
    if (value > range.high) range.high = value, range.at_high = 0;
    range.at_low += value == range.low;
    range.at_high += value == range.high;
  }
  return range;
}

void CheckConstant(const Log& log, const std::string& name, bool is_command, const Range& range,
                   FindingList& findings) {
  if (range.count < 3 || range.low != range.high) return;
  Finding finding = At(log, FindingKind::kConstant,
                       is_command ? Severity::kInfo : Severity::kWarning, 0, log.samples());
  finding.channel = name;
  finding.message = fmt::format("is {} in every sample", range.low);
  finding.action =
      is_command ? "the robot was not driven" : "it tells nothing; check the column and the sensor";
  findings.Add(std::move(finding));
}

// Distinct values of a column, counted up to a limit: a command that only switches between a few
// levels sits on its extremes by design.
bool HasFewLevels(MatrixView<const double> values, std::size_t column, std::size_t limit) {
  std::vector<double> seen;
  for (std::size_t i = 0; i < values.rows() && seen.size() <= limit; ++i) {
    const double value = values(i, column);
    if (std::isfinite(value) && std::find(seen.begin(), seen.end(), value) == seen.end())
      seen.push_back(value);
  }
  return seen.size() <= limit;
}

void CheckClipped(const Log& log, std::size_t column, const Range& range, double share,
                  FindingList& findings) {
  if (range.count < 20 || range.low == range.high || HasFewLevels(log.commands.view(), column, 8))
    return;
  for (const auto& [value, count] :
       {std::pair{range.low, range.at_low}, std::pair{range.high, range.at_high}}) {
    const double part = static_cast<double>(count) / static_cast<double>(range.count);
    if (part <= share || count < 10) continue;
    Finding finding = At(log, FindingKind::kClipped, Severity::kWarning, 0, log.samples());
    finding.channel = log.actuators[column];
    finding.message = fmt::format("{} samples ({:.0f} %) are exactly {}, the extreme", count,
                                  100.0 * part, value);
    finding.action = "the command was probably limited; make sure the column is the applied one";
    findings.Add(std::move(finding));
  }
}

// Positions that stand still while the velocity of the same joint says they moved.
void CheckFrozen(const Log& log, std::size_t position, std::size_t velocity,
                 FindingList& findings) {
  const auto q = [&](std::size_t i) { return log.values(i, position); };
  const Range range = RangeOf(log.values.view(), position);
  const double visible = 0.02 * (range.high - range.low);
  for (std::size_t first = 0; first + 1 < log.samples();) {
    std::size_t last = first + 1;
    double moved = 0.0, most = 0.0;
    while (last < log.samples() && q(last) == q(first)) {
      moved += 0.5 * (log.values(last, velocity) + log.values(last - 1, velocity)) *
               (log.time_s[last] - log.time_s[last - 1]);
      most = std::max(most, std::abs(moved));
      ++last;
    }
    if (last - first >= 5 && range.high > range.low && most > visible) {
      Finding finding = At(log, FindingKind::kFrozen, Severity::kWarning, first, last);
      finding.channel = log.channels[position];
      finding.message = fmt::format("stands at {} for {} samples while {} adds up to {:.3g}",
                                    q(first), last - first, log.channels[velocity], most);
      finding.action = "the sensor or its bus stood still; leave this part out";
      findings.Add(std::move(finding));
    }
    first = last;
  }
}

void CheckJoints(const Log& log, const CheckOptions& options, FindingList& findings) {
  const std::string suffix = ".position";
  for (std::size_t i = 0; i < log.channels.size(); ++i) {
    const std::string& name = log.channels[i];
    if (!name.ends_with(suffix)) continue;
    const std::string joint = name.substr(0, name.size() - suffix.size());
    const std::size_t velocity = IndexOf(log.channels, joint + ".velocity");
    const bool many = std::find(options.many_turns.begin(), options.many_turns.end(), name) !=
                      options.many_turns.end();
    for (Finding& finding : CheckJointUnits(log, i, velocity, many))
      findings.Add(std::move(finding));
    if (velocity != kNoIndex) CheckFrozen(log, i, velocity, findings);
  }
}

}  // namespace

CheckOptions CheckOptionsOf(const Mapping& mapping) {
  CheckOptions options;
  for (const ColumnMap& column : mapping.channels) {
    if (column.many_turns) options.many_turns.push_back(column.name);
  }
  return options;
}

double MedianStep(const std::vector<double>& time_s) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < time_s.size(); ++i) {
    if (time_s[i] > time_s[i - 1]) steps.push_back(time_s[i] - time_s[i - 1]);
  }
  if (steps.empty()) return 0.0;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  return steps[steps.size() / 2];
}

std::vector<Finding> CheckLog(const Log& log, const CheckOptions& options) {
  FindingList findings;
  for (const Finding& finding : log.reading) {
    if (finding.kind != FindingKind::kMissingValue) findings.Add(finding);
  }
  CheckTime(log, options, findings);
  if (log.samples() < 3) return findings.Take();
  for (std::size_t i = 0; i < log.channels.size(); ++i) {
    CheckMissing(log, log.values.view(), i, log.channels[i], false, findings);
    CheckConstant(log, log.channels[i], false, RangeOf(log.values.view(), i), findings);
  }
  for (std::size_t i = 0; i < log.actuators.size(); ++i) {
    CheckMissing(log, log.commands.view(), i, log.actuators[i], true, findings);
    const Range range = RangeOf(log.commands.view(), i);
    CheckConstant(log, log.actuators[i], true, range, findings);
    CheckClipped(log, i, range, options.clipped_share, findings);
  }
  CheckJoints(log, options, findings);
  return findings.Take();
}

}  // namespace realward
