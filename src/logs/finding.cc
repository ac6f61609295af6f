#include "logs/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace realward {

const char* Name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kRaggedRow:
      return "ragged_row";
    case FindingKind::kMissingValue:
      return "missing_value";
    case FindingKind::kBadTime:
      return "bad_time";
    case FindingKind::kCounterRollover:
      return "counter_rollover";
    case FindingKind::kDuplicateTime:
      return "duplicate_time";
    case FindingKind::kTimeBackwards:
      return "time_backwards";
    case FindingKind::kGap:
      return "gap";
    case FindingKind::kJitter:
      return "jitter";
    case FindingKind::kTooShort:
      return "too_short";
    case FindingKind::kConstant:
      return "constant";
    case FindingKind::kFrozen:
      return "frozen";
    case FindingKind::kWrapped:
      return "wrapped";
    case FindingKind::kDegrees:
      return "degrees";
    case FindingKind::kSign:
      return "sign";
    case FindingKind::kFactor:
      return "factor";
    case FindingKind::kImplausible:
      return "implausible";
    case FindingKind::kClipped:
      return "clipped";
  }
  return "?";
}

const char* Name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "?";
}

const char* Name(Repair repair) {
  switch (repair) {
    case Repair::kNone:
      return "none";
    case Repair::kDropDuplicate:
      return "drop_duplicate";
    case Repair::kDropRow:
      return "drop_row";
    case Repair::kCut:
      return "cut";
    case Repair::kHoldCommand:
      return "hold_command";
    case Repair::kUnwrap:
      return "unwrap";
  }
  return "?";
}

std::string ToText(const Finding& finding) {
  std::string text = fmt::format("{} {}", Name(finding.severity), Name(finding.kind));
  if (!finding.channel.empty()) text += fmt::format(" in {}", finding.channel);
  if (finding.first != kNoIndex) text += fmt::format(" at {:.6g} s", finding.time_s);
  if (finding.line != 0) text += fmt::format(" (line {})", finding.line);
  text += ": " + finding.message;
  if (!finding.action.empty()) text += "; " + finding.action;
  return text;
}

Json ToJson(const Finding& finding) {
  Json json = {{"kind", Name(finding.kind)},
               {"severity", Name(finding.severity)},
               {"message", finding.message},
               {"action", finding.action},
               {"repair", Name(finding.repair)}};
  if (!finding.channel.empty()) json["channel"] = finding.channel;
  if (finding.first != kNoIndex) {
    json["first"] = finding.first;
    json["last"] = finding.last;
    json["time_s"] = finding.time_s;
  }
  if (finding.line != 0) json["line"] = finding.line;
  return json;
}

Severity Worst(const std::vector<Finding>& findings) {
  Severity worst = Severity::kInfo;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  return worst;
}

std::size_t Count(const std::vector<Finding>& findings, FindingKind kind) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.kind == kind; }));
}

void FindingList::Add(Finding finding) {
  auto tally = std::find_if(tallies_.begin(), tallies_.end(), [&](const Tally& entry) {
    return entry.kind == finding.kind && entry.channel == finding.channel;
  });
  if (tally == tallies_.end()) {
    tallies_.push_back({finding.kind, finding.channel, 0});
    tally = tallies_.end() - 1;
  }
  if (tally->count++ < most_) {
    findings_.push_back(std::move(finding));
    return;
  }
  auto rest = std::find_if(overflow_.begin(), overflow_.end(), [&](const Overflow& entry) {
    return entry.summary.kind == finding.kind && entry.summary.channel == finding.channel;
  });
  if (rest == overflow_.end()) {
    overflow_.push_back({std::move(finding), 1});
    return;
  }
  ++rest->count;
  // An error that has no repair must not hide behind a milder one.
  if (finding.severity > rest->summary.severity ||
      (finding.severity == rest->summary.severity && finding.repair == Repair::kNone)) {
    rest->summary.severity = finding.severity;
    rest->summary.repair = finding.repair;
    rest->summary.action = finding.action;
  }
}

std::vector<Finding> FindingList::Take() {
  for (Overflow& rest : overflow_) {
    if (rest.count > 1) {
      rest.summary.message =
          fmt::format("{}; and {} more like it further on", rest.summary.message, rest.count - 1);
    }
    findings_.push_back(std::move(rest.summary));
  }
  overflow_.clear();
  tallies_.clear();
  return std::move(findings_);
}

}  // namespace realward
