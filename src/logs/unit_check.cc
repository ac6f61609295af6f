#include "logs/unit_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "logs/log_check.h"

namespace realward {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;

struct Jumps {
  double low = INFINITY, high = -INFINITY;
  std::size_t turns = 0;         // jumps by 2π
  std::size_t turns_deg = 0;     // jumps by 360
  std::size_t first = kNoIndex;  // first sample after a jump
};

bool Near(double value, double target, double tolerance) {
  return std::abs(value - target) <= tolerance * target;
}

// A wrapped angle jumps by its period between two samples, and stays within it.
Jumps FindJumps(const Log& log, std::size_t channel) {
  Jumps jumps;
  for (std::size_t i = 0; i < log.samples(); ++i) {
    const double value = log.values(i, channel);
    if (!std::isfinite(value)) continue;
    jumps.low = std::min(jumps.low, value);
    jumps.high = std::max(jumps.high, value);
    const double step = i == 0 ? 0.0 : std::abs(value - log.values(i - 1, channel));
    const bool turn = Near(step, kTurn, 0.1), turn_deg = Near(step, 360.0, 0.1);
    jumps.turns += turn;
    jumps.turns_deg += turn_deg;
    if ((turn || turn_deg) && jumps.first == kNoIndex) jumps.first = i;
  }
  const double range = jumps.high - jumps.low;
  if (range > 1.02 * kTurn) jumps.turns = 0;
  if (range > 1.02 * 360.0) jumps.turns_deg = 0;
  return jumps;
}

Finding About(const Log& log, FindingKind kind, Severity severity, std::size_t channel) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  finding.channel = log.channels[channel];
  finding.first = 0;
  finding.last = log.samples();
  finding.time_s = log.time_s[0];
  return finding;
}

Finding Disagreement(const Log& log, std::size_t position, std::size_t velocity, double factor) {
  const double size = std::abs(factor);
  Finding finding = About(log, FindingKind::kFactor, Severity::kError, position);
  finding.message = fmt::format("{} adds up to {:.4g} times the change of {}",
                                log.channels[velocity], factor, log.channels[position]);
  if (Near(size, 1.0 / kDegreesPerRadian, 0.15)) {
    finding.kind = FindingKind::kDegrees;
    finding.message += ": the position looks like degrees declared as radians";
    finding.action = "declare its unit as deg in the mapping";
  } else if (Near(size, kDegreesPerRadian, 0.15)) {
    finding.kind = FindingKind::kDegrees;
    finding.channel = log.channels[velocity];
    finding.message += ": the velocity looks like deg/s declared as rad/s";
    finding.action = "declare its unit as deg/s in the mapping";
  } else if (Near(size, 1.0, 0.25)) {
    finding.kind = FindingKind::kSign;
    finding.message += ": they have opposite signs";
    finding.action = "set scale: -1 for the one that is mounted the other way";
  } else {
    finding.action = "check units, gear ratio and time unit in the mapping";
  }
  return finding;
}

void CheckRange(const Log& log, std::size_t position, const Jumps& jumps, bool many_turns,
                std::vector<Finding>& findings) {
  const double turns = (jumps.high - jumps.low) / kTurn;
  if (!(turns > 6.0) || many_turns) return;
  const bool error = turns > 20.0;
  Finding finding = About(log, error ? FindingKind::kDegrees : FindingKind::kImplausible,
                          error ? Severity::kError : Severity::kWarning, position);
  finding.message =
      fmt::format("spans {:.1f} rad, {:.0f} turns; as degrees it would be {:.2f} turns",
                  jumps.high - jumps.low, turns, (jumps.high - jumps.low) / 360.0);
  finding.action =
      error ? "it looks like degrees declared as radians: declare deg, or many_turns: true "
              "when the joint does turn that far"
            : "check the unit in the mapping";
  findings.push_back(std::move(finding));
}

}  // namespace

MotionAgreement CompareMotion(const Log& log, std::size_t position, std::size_t velocity,
                              std::size_t samples) {
  MotionAgreement agreement;
  const Jumps jumps = FindJumps(log, position);
  const double largest = 0.5 * (jumps.high - jumps.low);
  const double longest = 3.0 * MedianStep(log.time_s);
  double qq = 0.0, vv = 0.0, qv = 0.0, change = 0.0, integral = 0.0;
  std::size_t steps = 0;
  for (std::size_t i = 1; i < log.samples(); ++i) {
    const double dt = log.time_s[i] - log.time_s[i - 1];
    const double dq = log.values(i, position) - log.values(i - 1, position);
    const double mean = 0.5 * (log.values(i, velocity) + log.values(i - 1, velocity));
    const bool cut = std::binary_search(log.cuts.begin(), log.cuts.end(), i);
    if (!std::isfinite(dq) || !std::isfinite(mean) || !(dt > 0.0) || dt > longest || cut ||
        std::abs(dq) > largest) {
      steps = 0;
      change = integral = 0.0;
      continue;
    }
    change += dq;
    integral += mean * dt;
    if (++steps < samples) continue;
    qq += change * change;
    vv += integral * integral;
    qv += change * integral;
    ++agreement.windows;
    steps = 0;
    change = integral = 0.0;
  }
  if (qq > 0.0 && vv > 0.0) {
    agreement.correlation = qv / std::sqrt(qq * vv);
    agreement.factor = std::copysign(std::sqrt(vv / qq), qv);
  }
  return agreement;
}

std::vector<Finding> CheckJointUnits(const Log& log, std::size_t position, std::size_t velocity,
                                     bool many_turns) {
  std::vector<Finding> findings;
  const Jumps jumps = FindJumps(log, position);
  if (jumps.turns_deg > 0) {
    Finding finding = About(log, FindingKind::kDegrees, Severity::kError, position);
    finding.message = fmt::format(
        "jumps by about 360 {} times, first at sample {}: it looks like wrapped "
        "degrees declared as radians",
        jumps.turns_deg, jumps.first);
    finding.action = "declare its unit as deg in the mapping";
    findings.push_back(std::move(finding));
  } else if (jumps.turns > 0) {
    Finding finding = About(log, FindingKind::kWrapped, Severity::kWarning, position);
    finding.message =
        fmt::format("jumps by a whole turn {} times, first at sample {}", jumps.turns, jumps.first);
    finding.action = "whole turns are added so that it is continuous";
    finding.repair = Repair::kUnwrap;
    findings.push_back(std::move(finding));
  }
  MotionAgreement agreement;
  if (velocity != kNoIndex) agreement = CompareMotion(log, position, velocity);
  const bool reliable = agreement.windows >= 5 && std::abs(agreement.correlation) > 0.7;
  // Filtered velocities lag and lose up to a tenth at fast motion; a quarter is another cause.
  if (reliable && (agreement.factor < 0.75 || agreement.factor > 1.33)) {
    findings.push_back(Disagreement(log, position, velocity, agreement.factor));
  }
  if (findings.empty() || findings.back().severity != Severity::kError) {
    CheckRange(log, position, jumps, many_turns, findings);
  }
  return findings;
}

}  // namespace realward
