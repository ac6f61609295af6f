// The recordings that a robot keeps of its own trials, in a folder:
//
//   mapping.yaml         which column is which channel, in which unit, as the stage `logs` reads it
//   trial_000007.csv     one row per state: time, readings, and the command that acted from there
//   on
//                        (as applied: clipped, held). Empty: no reading, or no command any more.
//   trial_000008.partial.csv   the same of a trial that was broken off
//   trial_000007_run2.csv      a trial number that ran again
//   events.jsonl         one object per event and per end of a trial
//
// Files are written whole when a trial ends.
#ifndef REALWARD_DEPLOY_ROBOT_LOG_H_
#define REALWARD_DEPLOY_ROBOT_LOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "deploy/link_message.h"

namespace realward {

// Not thread-safe. A disk that fails ends no trial: what cannot be written is dropped whole.
class RobotLog {
 public:
  using Complaint = std::function<void(std::string_view)>;

  // Makes the folder and its mapping. `complain` is told once when recordings begin to be lost.
  // Errors: a folder that cannot be written or that holds the log of another robot (its mapping
  // differs); a channel or actuator whose unit or name a table cannot hold.
  static Result<std::unique_ptr<RobotLog>> Open(const std::string& folder,
                                                const RobotDescription& robot, Complaint complain);

  // A trial in its order: Begin with the readings of state 0, Add with each command that acted and
  // the state it led to, End. `t_s` is the robot's time since the reset.
  void Begin(std::int64_t trial, std::span<const double> values);
  void Add(std::span<const double> command, double t_s, std::span<const double> values);
  void Note(std::string_view kind, std::int64_t seq, double t_s, std::string_view message);
  // `aborted` says why the trial was broken off; empty when it ended as it should. Nothing happens
  // when no trial has begun.
  void End(const TrialResult& result, std::string_view aborted, std::int64_t overruns);

  // Trials whose recording or events could not be written.
  std::int64_t lost() const { return lost_; }

 private:
  RobotLog(std::string folder, std::size_t actuators, std::string header, Complaint complain);
  std::string FreeName(std::int64_t trial, bool partial) const;
  void AppendRow(double t_s, std::span<const double> values);
  void AppendLine(const Json& event);
  void Lose(const Error& error);

  const std::string folder_;
  const std::size_t actuators_;
  const std::string header_;
  const Complaint complain_;
  std::int64_t trial_ = 0;
  std::string rows_;    // of the running trial, the last one without its command
  std::string events_;  // lines not yet written
  std::int64_t lost_ = 0;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_ROBOT_LOG_H_
