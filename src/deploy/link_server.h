// The robot's end of the robot link: serves a backend (hardware, the virtual robot, another
// simulator) to one client at a time, with limits, watchdog and safe command, so that no backend
// has to have its own.
#ifndef REALWARD_DEPLOY_LINK_SERVER_H_
#define REALWARD_DEPLOY_LINK_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "deploy/link_message.h"
#include "deploy/link_socket.h"
#include "deploy/robot_log.h"

namespace realward {

// What a backend knows of how a trial went.
struct TrialOutcome {
  std::optional<bool> success;         // none: it cannot judge
  std::optional<double> total_return;  // none: it does not know the reward
  LinkTrialEnd end = LinkTrialEnd::kStopped;
};

struct RobotStep {
  std::vector<double> values;           // [channels]; NaN: no reading
  std::optional<TrialOutcome> outcome;  // set: the trial ended with this step
};

// For the robot's own log, for instance "fault_begins".
struct RobotNote {
  std::string kind;
  std::string message;
};

// What a robot that is a test object does beside giving a state.
struct RobotEffects {
  std::vector<RobotNote> notes;
  // > 0: what it says from this state on comes this much later, s of robot time; infinite: not
  // before the trial has ended.
  double hold_s = 0.0;
  bool breaks = false;  // the connection closes instead of giving the state
  bool dies = false;    // so does the robot, with no safe end
};

// What is served. Called from the thread that runs ServeRobot only, in this order: Describe once;
// then for each trial Reset, Step any number of times, Stop exactly once, however the trial ended
// and even if Reset failed.
class RobotBackend {
 public:
  virtual ~RobotBackend() = default;

  virtual RobotDescription Describe() const = 0;

  // Starts a trial; gives the first readings, [channels]. An error refuses this trial only.
  virtual Result<std::vector<double>> Reset(std::int64_t trial, std::uint64_t seed) = 0;

  // Applies a command, [actuators], finite and within the limits, for one control period. On a
  // virtual clock it advances the simulation by that period and gives the readings at its end; on a
  // real clock it sends the command, gives the latest readings and returns well within the period.
  // An error means that the robot is broken: it ends serving.
  virtual Result<RobotStep> Step(std::span<const double> command) = 0;

  // The trial is over: puts the robot into a safe state. The safe command was sent by Step just
  // before, unless the trial ended by itself or Step failed. Gives what can be judged so far; `end`
  // is ignored.
  virtual TrialOutcome Stop() = 0;

  // Asked after each Reset and Step that succeeded. A real robot has none.
  virtual RobotEffects TakeEffects() { return {}; }
};

struct ServeOptions {
  // Serving ends soon (≤ 0.1 s beside the backend) after this becomes true. Null: never.
  const std::atomic<bool>* stop = nullptr;
  double hello_timeout_s = 5.0;  // a client that says nothing is dropped
  // Robot time per wall time on a real clock, > 0: of a simulated robot that runs faster or slower
  // than life. The watchdog stays wall time.
  double speed = 1.0;
  // Sends the backend's notes as events too. They are always in its log.
  bool announce_notes = false;
  // Records every trial; null: none is. Used from the serving thread only.
  RobotLog* recorder = nullptr;
  // What a robot does that is told to die; should not return. Null: serving ends with an
  // environment error.
  std::function<void()> die;
  // Told what happens, one line without newline at a time: clients, ends of trials, refusals.
  std::function<void(std::string_view)> log;
};

// Serves clients one after another until `options.stop` is set. A client that dies, errs or goes
// silent stops its trial safely and the next one is served; a second client meanwhile is told
// "busy". Errors: a description or a speed that is not valid (kInvalidInput), a listener or a
// backend that fails or dies.
Status ServeRobot(LinkSocket& listener, RobotBackend& backend, const ServeOptions& options);

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_SERVER_H_
