// The messages of the robot link, protocol version 1: newline-delimited JSON, one object a line.
// The protocol (order, error cases, watchdog) is described in docs/robot-link.md; here are the
// values and their strict text form. All functions are pure and thread-safe.
#ifndef REALWARD_DEPLOY_LINK_MESSAGE_H_
#define REALWARD_DEPLOY_LINK_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace realward {

inline constexpr std::string_view kLinkProtocol = "realward-link";
inline constexpr int kLinkVersion = 1;
// Longest line, newline included.
inline constexpr std::size_t kLinkMaxLine = std::size_t{1} << 20;

// One sensor channel of a state, in order.
struct LinkChannel {
  std::string name;  // for instance "hinge.position"
  std::string unit;  // for instance "rad"
  bool operator==(const LinkChannel&) const = default;
};

// One entry of a command, in order. The robot clips a command to [low, high].
struct LinkActuator {
  std::string name;
  std::string unit;
  double low = -std::numeric_limits<double>::infinity();  // infinite (null on the wire): no limit
  double high = std::numeric_limits<double>::infinity();
  double safe = 0.0;  // the command of a stopped robot, in [low, high]
  bool operator==(const LinkActuator&) const = default;
};

enum class LinkClock {
  kVirtual,  // the robot advances one control period for each command and waits for the next
  kReal,     // the robot streams states at its own period and holds the last command
};

// What a robot says of itself ("welcome").
struct RobotDescription {
  std::string robot;
  std::vector<LinkChannel> channels;
  std::vector<LinkActuator> actuators;
  double control_period_s = 0.0;  // > 0
  LinkClock clock = LinkClock::kVirtual;
  double watchdog_s =
      0.5;                // > 0, wall time; without a command for this long the robot stops itself
  bool can_reset = true;  // false: a reset starts a trial from wherever the robot is
  bool operator==(const RobotDescription&) const = default;
};

enum class TrialStatus {
  kOk,       // the trial runs
  kEnded,    // the trial ended by itself; the result follows
  kStopped,  // the safe command is applied; the result follows
};

// Sensor readings at one instant.
struct RobotState {
  std::int64_t trial = 0;
  std::int64_t seq = 0;  // 0 at reset, +1 each control period
  double t_s = 0.0;      // robot time since the reset
  // seq of the last command that acts on this state; -1 (left out on the wire) when none does yet
  // or, on a virtual clock, where it is seq - 1 anyway.
  std::int64_t command_seq = -1;
  TrialStatus status = TrialStatus::kOk;
  std::vector<double> values;  // [channels]; NaN (null on the wire): no reading
};

// What the actuators shall do from now on.
struct RobotCommand {
  std::int64_t trial = 0;
  std::int64_t seq = 0;        // of the state it answers
  double t_s = 0.0;            // the client's time stamp, its own clock
  std::vector<double> values;  // [actuators]; NaN (null on the wire) is refused by the robot
};

enum class LinkTrialEnd { kHorizon, kTerminated, kDiverged, kWatchdog, kStopped };

// How a trial ended.
struct TrialResult {
  std::int64_t trial = 0;
  std::optional<bool> success;         // none: the robot cannot judge
  std::optional<double> total_return;  // none: the robot does not know the reward
  LinkTrialEnd end = LinkTrialEnd::kStopped;
  std::int64_t steps = 0;  // control periods under the client's command
  bool operator==(const TrialResult&) const = default;
};

struct HelloMessage {
  std::string protocol{kLinkProtocol};
  int version = kLinkVersion;
  std::string client;
  bool operator==(const HelloMessage&) const = default;
};

struct ResetMessage {
  std::int64_t trial = 0;
  std::uint64_t seed = 0;
  bool operator==(const ResetMessage&) const = default;
};

// Something worth knowing that needs no answer: "watchdog", "clipped", "overrun".
struct EventMessage {
  std::string kind;
  std::int64_t trial = 0;
  std::int64_t seq = 0;
  std::string message;
  bool operator==(const EventMessage&) const = default;
};

// A refusal. Codes and which of them close the connection: docs/robot-link.md.
struct ErrorMessage {
  std::string code;
  std::string about;  // the type of the message it answers; empty when that could not be read
  std::string message;
  bool operator==(const ErrorMessage&) const = default;
};

struct StopMessage {
  bool operator==(const StopMessage&) const = default;
};
struct ByeMessage {
  bool operator==(const ByeMessage&) const = default;
};

using LinkMessage =
    std::variant<HelloMessage, RobotDescription, ResetMessage, RobotState, RobotCommand,
                 EventMessage, TrialResult, ErrorMessage, StopMessage, ByeMessage>;

// The "type" of a message, for instance "welcome" for a RobotDescription.
std::string_view LinkTypeName(const LinkMessage& message);

// Names on the wire, for instance "horizon".
std::string_view LinkName(LinkTrialEnd end);
std::string_view LinkName(TrialStatus status);
std::string_view LinkName(LinkClock clock);

// One line, newline included. Numbers are shortest round-trip decimals, so a reader gets the same
// bits; non-finite numbers become null. Text that is not UTF-8 has its bad bytes replaced.
std::string EncodeLink(const LinkMessage& message);

// Reads one line (with or without its newline). Strict: text that is not JSON, unknown types,
// missing, misspelled or additional fields and wrong kinds of value are kInvalidInput errors that
// name the field, the value and what would be valid. A hello or welcome of another version is not
// read further: hello comes back with its version (the robot answers it), welcome is an error that
// says both versions.
Result<LinkMessage> DecodeLink(std::string_view line);

// Checks names, limits and times of a description; errors name the field and the value.
Status CheckDescription(const RobotDescription& description);

// The value as it may stand in a message or an error: cut to `most` bytes, control and non-ASCII
// bytes replaced by '?'.
std::string PrintableExcerpt(std::string_view text, std::size_t most = 60);

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_MESSAGE_H_
