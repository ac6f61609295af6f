// Faults that a virtual robot shall have, as a YAML file:
//
//   faults:
//     - {fault: sensor_freezes, target: hinge.position, trials: [3, 7], from: 2 s, for: 0.5 s}
//     - {fault: sensor_jumps, target: hinge.position, from: 1 s, by: 5 deg}
//     - {fault: voltage_drops, to: 0.7, from: 2 s, for: 1 s, probability: 0.2}
//
// `from` counts from the trial's reset. Optional: `trials` (all), `for` (to the end of the trial),
// `probability` (1; drawn for each trial). A target is a name or a glob with * and ?.
// docs/robot-link.md lists the faults.
#ifndef REALWARD_DEPLOY_FAULT_SCRIPT_H_
#define REALWARD_DEPLOY_FAULT_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "deploy/link_message.h"

namespace realward {

enum class FaultKind {
  kSensorFreezes,     // keeps giving the reading of its first instant
  kSensorDropsOut,    // gives no reading
  kSensorJumps,       // an offset `by` on every reading
  kJointJams,         // the joint does not move
  kActuatorDies,      // no force
  kVoltageDrops,      // every actuator's strength is multiplied by `to`
  kLinkStalls,        // what the robot says comes late
  kLinkBreaks,        // the connection closes
  kRobotProcessDies,  // so does the robot, without a word
};
const char* NameOf(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kSensorFreezes;
  std::string target;                // empty: the fault has none
  std::vector<std::int64_t> trials;  // empty: all
  double from = 0.0;                 // s since the reset, ≥ 0
  std::optional<double> duration;    // s, > 0; none: to the end of the trial
  double probability = 1.0;          // in [0, 1]
  double amount = 0.0;               // `by` in SI, or `to` in [0, 1]
  std::string dimension;             // of `by`; empty when it was written without a unit
  int line = 0;                      // in the file
};

struct FaultScript {
  std::string file;  // for messages
  std::vector<Fault> faults;
};

// Strict: errors (invalid input) list all that is wrong with file, line, value and the nearest
// valid.
Result<FaultScript> LoadFaults(const std::string& path);
Result<FaultScript> ParseFaults(std::string_view text, const std::string& name);

// Text that ParseFaults reads back to the same values bit for bit, lines and file aside.
std::string ToYaml(const FaultScript& script);

// What a robot has that can fail, in the order in which it is indexed.
struct FaultSites {
  std::vector<LinkChannel> channels;
  std::vector<std::string> joints;  // hinges and slides
  std::vector<std::string> actuators;
};

inline constexpr std::int64_t kNeverEnds = INT64_MAX;

// A fault on one robot. It acts on the states `begin` ≤ seq < `end`, and on the physics from the
// first of these states to the state `end`.
struct BoundFault {
  Fault spec;
  std::vector<int> targets;  // indices of its sites, sorted
  std::int64_t begin = 0;    // control periods since the reset; the first at or after `from`
  std::int64_t end = kNeverEnds;

  bool ActsAt(std::int64_t seq) const { return seq >= begin && seq < end; }
  std::string Text() const;  // "sensor_freezes of 'hinge.position'"
};

// Finds the targets. Errors (invalid input) name file and line: a target that the robot does not
// have, with the nearest; a `by` of another dimension than its channel's; a fault that ends before
// a control period begins; two faults that contradict each other (one channel frozen and without
// reading, one joint jammed twice, and so on) at one time of one trial.
Result<std::vector<BoundFault>> BindFaults(const FaultScript& script, const FaultSites& sites,
                                           double control_period);

// Whether fault number `index` of the script happens in a trial: a pure function of the arguments.
bool Happens(const Fault& fault, std::size_t index, std::uint64_t seed, std::uint32_t unit,
             std::int64_t trial);

}  // namespace realward

#endif  // REALWARD_DEPLOY_FAULT_SCRIPT_H_
