// A policy on a robot: trials through the robot link.
#ifndef REALWARD_DEPLOY_ROBOT_TRIALS_H_
#define REALWARD_DEPLOY_ROBOT_TRIALS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/view.h"
#include "deploy/link_client.h"
#include "spec/task.h"

namespace realward {

struct RobotTrial {
  std::int64_t trial = 0;
  bool completed = false;  // false: aborted, `reason` says why
  std::optional<bool> success;
  std::optional<double> trial_return;
  std::string end;  // as the robot reports it
  std::int64_t steps = 0;
  std::string reason;
  // States in which a channel that the policy observes had no reading.
  std::int64_t missing_readings = 0;
};

struct RobotTrialOptions {
  int trials = 100;
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
};

// Refused, naming every difference, when the robot's channels, actuators or control period do not
// fit the policy's task. Everything is matched by name.
Status CheckRobot(const RobotDescription& robot, const TaskSpec& task);

// Runs trials 0 … trials − 1. Where a channel has no reading the policy sees its last one; a trial
// that begins without one is recorded as aborted. When the robot dies the trial is recorded as
// aborted, `reconnect` is asked for a new connection, and if there is none the remaining trials are
// recorded as aborted too: what was measured is kept. Errors: Refused (contract), Interrupted.
Result<std::vector<RobotTrial>> RunRobotTrials(
    LinkClient& robot, const PolicyArtifact& policy, const TaskSpec& task,
    const RobotTrialOptions& options, const std::function<Result<LinkClient>()>& reconnect);

// What one excitation trial recorded: a state per control period and the command that followed it.
struct RobotRecording {
  std::vector<double> time_s;
  std::vector<std::string> channels;
  Matrix<double> values;  // samples × channels
  std::vector<std::string> actuators;
  Matrix<double> commands;  // samples × actuators
};

// Drives the robot with a sum of sines on every actuator for `duration` seconds or until the trial
// ends.
Result<RobotRecording> RecordExcitation(LinkClient& robot, std::int64_t trial, std::uint64_t seed,
                                        double duration);

}  // namespace realward

#endif  // REALWARD_DEPLOY_ROBOT_TRIALS_H_
