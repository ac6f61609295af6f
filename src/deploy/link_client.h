// The client's end of the robot link: connects to a robot, runs trials on it one exchange at a
// time.
#ifndef REALWARD_DEPLOY_LINK_CLIENT_H_
#define REALWARD_DEPLOY_LINK_CLIENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "deploy/link_message.h"
#include "deploy/link_socket.h"

namespace realward {

struct LinkClientOptions {
  std::string client = "realward";  // how the robot's log names this client
  double connect_timeout_s = 5.0;   // a robot that is just starting is waited for
  double reply_timeout_s = 5.0;     // longest silence before the robot counts as dead
};

// The answer to a command. With a result the trial is over and `state` is its last.
struct LinkReply {
  RobotState state;
  std::optional<TrialResult> result;
};

// One connection. Movable, not thread-safe. Every call returns within its time-out. Failures:
// - kEnvironment: the robot is dead, silent, busy, of another version or breaks the protocol; the
//   message says what was last heard. The connection is closed and every later call gives the same
//   error.
// - kInvalidInput: the command is not sendable (wrong length, not finite); nothing was sent.
// - kRefused: the robot refused, the connection stays open.
class LinkClient {
 public:
  static Result<LinkClient> Connect(std::string_view address,
                                    const LinkClientOptions& options = {});
  // Says bye; the robot stops a running trial safely.
  ~LinkClient();
  LinkClient(LinkClient&&) = default;
  LinkClient& operator=(LinkClient&&) = delete;

  const RobotDescription& robot() const { return robot_; }
  const std::string& address() const { return socket_.address(); }

  // Starts trial `trial` (≥ 0). Gives state 0. A running trial is stopped first.
  Result<RobotState> Reset(std::int64_t trial, std::uint64_t seed);

  // Sends a command, [actuators], in answer to the state last returned, and waits for the next
  // state. On a real clock several states may have come meanwhile: the newest is given and the
  // others count as missed. The command's time stamp is the state's t_s on a virtual clock, seconds
  // since the reset on a real one.
  Result<LinkReply> Exchange(std::span<const double> command);

  // Ends the running trial safely and gives its result, which may be of an end that came first.
  // Without a running trial: kInvalidInput.
  Result<TrialResult> Stop();

  // For robots of which some calls take long, such as a reset that moves the machine.
  void set_reply_timeout_s(double seconds) { options_.reply_timeout_s = seconds; }

  bool running() const { return running_; }
  // States that a real-clock robot sent and Exchange skipped because newer ones were there, this
  // trial.
  std::int64_t missed_states() const { return missed_states_; }
  // Events heard since the last call.
  std::vector<EventMessage> TakeEvents();

 private:
  LinkClient(LinkSocket socket, const LinkClientOptions& options);

  Status Greet();
  Status CheckCommand(std::span<const double> command) const;
  Status Send(std::string_view line);
  // The next message of the running trial: a state into reply_.state, true; a result into
  // reply_.result, false. Events are kept aside. With LinkTime::min() only what is there already:
  // true without a new state.
  Result<bool> ReadReply(LinkTime deadline);
  Result<TrialResult> ReadResult();
  // Takes a message other than a state; true for the trial's result.
  Result<bool> Sort(LinkMessage message);
  Status CheckWidth(const RobotState& state);
  Status CheckState(const RobotState& state);
  // The robot's word against us: kRefused, or kEnvironment when it closes the connection.
  Error FromRobot(const ErrorMessage& error);
  // Closes the connection for good; names the robot, the reason and what was last heard.
  Error Fail(std::string_view reason);
  Error FailLate(std::string_view asked);
  Error FailRead(const LineRead& read, double waited_s);

  LinkSocket socket_;
  LinkClientOptions options_;
  RobotDescription robot_;
  std::optional<Error> failure_;
  std::vector<EventMessage> events_;

  bool running_ = false;
  LinkReply reply_;      // the last heard of this trial
  RobotState incoming_;  // swapped with reply_.state, so that neither allocates
  RobotCommand command_;
  std::string line_;  // being sent
  LinkTime reset_time_{};
  std::int64_t missed_states_ = 0;
  std::string last_heard_ = "nothing";  // kept for messages other than states
  bool last_was_state_ = false;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_CLIENT_H_
