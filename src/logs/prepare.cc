#include "logs/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace realward {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

bool IsFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

// Keeps the samples marked; cut_before marks samples that nothing before them joins.
Log Keep(const Log& log, const std::vector<char>& keep, const std::vector<char>& cut_before) {
  Log kept;
  kept.name = log.name;
  kept.channels = log.channels;
  kept.actuators = log.actuators;
  kept.origin = log.origin;
  std::vector<std::size_t> from;
  bool cut = false;
  for (std::size_t i = 0; i < log.samples(); ++i) {
    cut = cut || cut_before[i];
    if (!keep[i]) continue;
    if (cut && !from.empty()) kept.cuts.push_back(from.size());
    cut = false;
    from.push_back(i);
    kept.time_s.push_back(log.time_s[i]);
    if (i < log.lines.size()) kept.lines.push_back(log.lines[i]);
  }
  kept.values = Matrix<double>(from.size(), log.channels.size());
  kept.commands = Matrix<double>(from.size(), log.actuators.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::ranges::copy(log.values.row(from[i]), kept.values.row(i).begin());
    if (!log.actuators.empty())
      std::ranges::copy(log.commands.row(from[i]), kept.commands.row(i).begin());
  }
  return kept;
}

class Repairer {
 public:
  Repairer(const Log& log, const CheckOptions& options)
      : log_(log), options_(options), keep_(log.samples(), 1), cut_(log.samples(), 0) {
    for (const std::size_t at : log.cuts) cut_[at] = 1;
  }

  void HoldLastCommand() {
    const std::size_t last = log_.samples() - 1;
    for (std::size_t j = 0; j < log_.actuators.size(); ++j) {
      if (std::isfinite(log_.commands(last, j)) || !std::isfinite(log_.commands(last - 1, j)))
        continue;
      log_.commands(last, j) = log_.commands(last - 1, j);
      Report(FindingKind::kMissingValue, Repair::kHoldCommand, log_.actuators[j], last,
             "the last sample's command is the one before it");
    }
  }

  void DropDuplicates() {
    for (std::size_t i = 1; i < log_.samples(); ++i) {
      if (log_.time_s[i] != log_.time_s[i - 1]) continue;
      keep_[i] = 0;
      Report(FindingKind::kDuplicateTime, Repair::kDropDuplicate, "", i,
             "equal samples are removed");
    }
  }

  void DropIncomplete() {
    for (std::size_t i = 0; i < log_.samples(); ++i) {
      const bool commanded = log_.actuators.empty() || IsFinite(log_.commands.row(i));
      if (!keep_[i] || (commanded && IsFinite(log_.values.row(i)))) continue;
      keep_[i] = 0;
      // What the robot was told from here to the next sample is not known.
      if (!commanded) cut_[i] = 1;
      Report(FindingKind::kMissingValue, Repair::kDropRow, "", i,
             commanded ? "incomplete rows are removed"
                       : "rows without a command are removed and cut the log");
    }
  }

  void CutGaps() {
    const double limit = options_.gap_steps * MedianStep(log_.time_s);
    std::size_t last = kNoIndex;
    for (std::size_t i = 0; i < log_.samples(); ++i) {
      if (!keep_[i]) continue;
      const bool cut = std::any_of(
          cut_.begin() + static_cast<std::ptrdiff_t>(last == kNoIndex ? i : last + 1),
          cut_.begin() + static_cast<std::ptrdiff_t>(i) + 1, [](char c) { return c != 0; });
      if (last != kNoIndex && !cut && log_.time_s[i] - log_.time_s[last] > limit) {
        cut_[i] = 1;
        Report(FindingKind::kGap, Repair::kCut, "", last, "the log is cut at gaps");
      }
      last = i;
    }
  }

  void Unwrap(const std::string& channel) {
    const std::size_t j = IndexOf(log_.channels, channel);
    double turns = 0.0, before = NAN;
    for (std::size_t i = 0; i < log_.samples(); ++i) {
      double& value = log_.values(i, j);
      if (!std::isfinite(value)) continue;
      const double raw = value;
      const double step = raw - before;
      if (std::abs(std::abs(step) - kTurn) < 0.1 * kTurn) turns -= std::copysign(1.0, step);
      before = raw;
      value += turns * kTurn;
    }
    Report(FindingKind::kWrapped, Repair::kUnwrap, channel, 0, "whole turns are added");
  }

  PreparedLog Take() {
    PreparedLog prepared;
    prepared.log = Keep(log_, keep_, cut_);
    prepared.log.hash = HashLog(prepared.log);
    for (Done& done : done_) {
      if (done.count > 1)
        done.finding.message += fmt::format(" ({} times, first here)", done.count);
      prepared.repairs.push_back(std::move(done.finding));
    }
    return prepared;
  }

 private:
  struct Done {
    Finding finding;
    std::size_t count = 1;
  };

  void Report(FindingKind kind, Repair repair, const std::string& channel, std::size_t sample,
              const std::string& message) {
    for (Done& done : done_) {
      if (done.finding.repair == repair && done.finding.channel == channel &&
          done.finding.message == message) {
        ++done.count;
        return;
      }
    }
    Finding finding;
    finding.kind = kind;
    finding.channel = channel;
    finding.first = sample;
    finding.last = sample + 1;
    finding.time_s = log_.time_s[sample];
    finding.line = sample < log_.lines.size() ? log_.lines[sample] : 0;
    finding.message = message;
    finding.repair = repair;
    done_.push_back({std::move(finding)});
  }

  Log log_;
  const CheckOptions& options_;
  std::vector<char> keep_;
  std::vector<char> cut_;
  std::vector<Done> done_;
};

}  // namespace

Result<PreparedLog> PrepareLog(const Log& log, const CheckOptions& options) {
  const std::vector<Finding> findings = CheckLog(log, options);
  std::string reasons;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kError && finding.repair == Repair::kNone) {
      reasons += "\n  " + ToText(finding);
    }
  }
  if (!reasons.empty())
    return InvalidInput(fmt::format("log '{}' cannot be used:{}", log.name, reasons));
  Repairer repairer(log, options);
  repairer.HoldLastCommand();
  for (const Finding& finding : findings) {
    if (finding.repair == Repair::kUnwrap) repairer.Unwrap(finding.channel);
  }
  repairer.DropDuplicates();
  repairer.DropIncomplete();
  repairer.CutGaps();
  PreparedLog prepared = repairer.Take();
  if (prepared.log.samples() < 2) {
    return InvalidInput(fmt::format("log '{}' cannot be used: {} of its {} samples are complete",
                                    log.name, prepared.log.samples(), log.samples()));
  }
  prepared.findings = findings;
  return prepared;
}

}  // namespace realward
