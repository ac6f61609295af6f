// What is wrong or noteworthy in a log: where, how bad, and what to do about it. A repair is only
// ever one of a fixed list, and every use of one is reported.
#ifndef REALWARD_LOGS_FINDING_H_
#define REALWARD_LOGS_FINDING_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/hash.h"

namespace realward {

enum class Severity { kInfo, kWarning, kError };

enum class FindingKind {
  kRaggedRow,        // a row with fewer or more fields than the header
  kMissingValue,     // an empty, unreadable or non-finite cell, or NaN in a log
  kBadTime,          // a row without a readable time stamp
  kCounterRollover,  // an integer time counter wrapped
  kDuplicateTime,    // two samples with one time stamp
  kTimeBackwards,    // a time stamp before the one above it
  kGap,              // a step of more than 3 median steps
  kJitter,           // uneven steps
  kTooShort,         // too few samples to use
  kConstant,         // a channel or command that never changes
  kFrozen,           // a position that stands still while its velocity does not
  kWrapped,          // an angle that jumps by a whole turn
  kDegrees,          // values in degrees declared as radians
  kSign,             // position and velocity of opposite sign
  kFactor,           // position and velocity that differ by a factor
  kImplausible,      // a range that does not fit a joint
  kClipped,          // many samples on the exact extreme of a command
};

// What PrepareLog may do by itself.
enum class Repair {
  kNone,
  kDropDuplicate,  // remove a sample that equals the one before it, time stamp included
  kDropRow,        // remove a sample that lacks a measurement or a command
  kCut,            // never join the samples before and after
  kHoldCommand,    // a last sample without a command: repeat the one before, it acts on nothing
  kUnwrap,         // add whole turns to an angle so that it does not jump
};

inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

struct Finding {
  FindingKind kind = FindingKind::kMissingValue;
  Severity severity = Severity::kInfo;
  std::string channel;  // channel, actuator or column; empty when it is about the rows
  std::size_t first =
      kNoIndex;  // samples [first, last) of the log; kNoIndex when not about samples
  std::size_t last = kNoIndex;
  double time_s = 0.0;   // of the first sample; 0 when not about samples
  std::size_t line = 0;  // of the file, from 1; 0 when the log has no file
  std::string message;   // what, with the values
  std::string action;    // what is done about it, or what the reader can do
  Repair repair = Repair::kNone;
};

// Stable identifiers for machine-readable output: "duplicate_time", "warning", "drop_row".
const char* Name(FindingKind kind);
const char* Name(Severity severity);
const char* Name(Repair repair);

// One line: "warning gap at 1.2 s (line 241): …; action".
std::string ToText(const Finding& finding);
Json ToJson(const Finding& finding);

// The worst severity; kInfo when there are none.
Severity Worst(const std::vector<Finding>& findings);

// Number of findings of a kind.
std::size_t Count(const std::vector<Finding>& findings, FindingKind kind);

// Collects findings and keeps a report readable: beyond `most` of one kind and channel only the
// number of further ones is kept, in a last finding with the worst of their severities.
class FindingList {
 public:
  explicit FindingList(std::size_t most = 20) : most_(most) {}
  void Add(Finding finding);
  // The findings in the order added, then the counts of those left out.
  std::vector<Finding> Take();

 private:
  struct Overflow {
    Finding summary;
    std::size_t count = 0;
  };
  std::size_t most_;
  std::vector<Finding> findings_;
  std::vector<Overflow> overflow_;
  struct Tally {
    FindingKind kind;
    std::string channel;
    std::size_t count;
  };
  std::vector<Tally> tallies_;
};

}  // namespace realward

#endif  // REALWARD_LOGS_FINDING_H_
