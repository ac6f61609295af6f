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
};

struct ServeOptions {
  // Serving ends soon (≤ 0.1 s beside the backend) after this becomes true. Null: never.
  const std::atomic<bool>* stop = nullptr;
  double hello_timeout_s = 5.0;  // a client that says nothing is dropped
  // Told what happens, one line without newline at a time: clients, ends of trials, refusals.
  std::function<void(std::string_view)> log;
};

// Serves clients one after another until `options.stop` is set. A client that dies, errs or goes
// silent stops its trial safely and the next one is served; a second client meanwhile is told
// "busy". Errors: a description that is not valid (kInvalidInput), a listener or a backend that
// fails.
Status ServeRobot(LinkSocket& listener, RobotBackend& backend, const ServeOptions& options);

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_SERVER_H_
