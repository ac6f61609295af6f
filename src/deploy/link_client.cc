#include "deploy/link_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "deploy/link_fast.h"

namespace realward {
namespace {

constexpr std::size_t kMostEvents = 1000;

double SecondsSince(LinkTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Codes after which the robot closes the connection, see docs/robot-link.md.
bool IsFatal(std::string_view code) {
  constexpr std::array<std::string_view, 6> kFatal = {"protocol", "version", "malformed",
                                                      "oversize", "busy",    "robot"};
  return std::find(kFatal.begin(), kFatal.end(), code) != kFatal.end();
}

}  // namespace

LinkClient::LinkClient(LinkSocket socket, const LinkClientOptions& options)
    : socket_(std::move(socket)), options_(options) {}

Result<LinkClient> LinkClient::Connect(std::string_view address, const LinkClientOptions& options) {
  RW_ASSIGN(LinkSocket socket,
            LinkSocket::Connect(address, LinkDeadline(options.connect_timeout_s)));
  LinkClient client(std::move(socket), options);
  RW_TRY(client.Greet());
  return client;
}

LinkClient::~LinkClient() {
  if (!socket_.valid()) return;
  // A robot that does not listen any more sees the connection close instead.
  (void)socket_.WriteAll(EncodeLink(ByeMessage{}), LinkDeadline(0.1)).ok();
}

Status LinkClient::Greet() {
  HelloMessage hello;
  hello.client = options_.client;
  RW_TRY(Send(EncodeLink(hello)));
  const LineRead read = socket_.ReadLine(LinkDeadline(options_.reply_timeout_s));
  if (read.outcome != ReadOutcome::kLine) return FailRead(read, options_.reply_timeout_s);
  Result<LinkMessage> message = DecodeLink(read.line);
  if (!message.ok()) return Fail(message.error().message);
  if (const auto* error = std::get_if<ErrorMessage>(&*message)) {
    Error refusal = FromRobot(*error);
    return failure_ ? refusal : Fail(refusal.message);
  }
  auto* robot = std::get_if<RobotDescription>(&*message);
  if (robot == nullptr) {
    return Fail(
        fmt::format("it answered hello with '{}' instead of welcome", LinkTypeName(*message)));
  }
  robot_ = std::move(*robot);
  last_heard_ = "welcome";
  return {};
}

Result<RobotState> LinkClient::Reset(std::int64_t trial, std::uint64_t seed) {
  if (failure_) return *failure_;
  if (trial < 0) return InvalidInput(fmt::format("trial {} must not be negative", trial));
  running_ = false;
  RW_TRY(Send(EncodeLink(ResetMessage{trial, seed})));
  const LinkTime deadline = LinkDeadline(options_.reply_timeout_s);
  for (;;) {
    // What was sent before the reset may still be read, but not for ever.
    if (std::chrono::steady_clock::now() >= deadline) return FailLate("reset");
    const LineRead read = socket_.ReadLine(deadline);
    if (read.outcome != ReadOutcome::kLine) return FailRead(read, options_.reply_timeout_s);
    Result<LinkMessage> message = DecodeLink(read.line);
    if (!message.ok()) return Fail(message.error().message);
    if (const auto* error = std::get_if<ErrorMessage>(&*message)) {
      // A word about the trial before, whose end crossed our last command, does not concern this
      // one.
      if (IsFatal(error->code) || error->about == "reset") return FromRobot(*error);
    } else if (auto* event = std::get_if<EventMessage>(&*message)) {
      events_.push_back(std::move(*event));
    } else if (auto* state = std::get_if<RobotState>(&*message)) {
      if (state->trial != trial || state->seq != 0) continue;  // of the trial before
      command_ = {trial, 0, 0.0, {}};
      reply_ = {std::move(*state), std::nullopt};
      RW_TRY(CheckWidth(reply_.state));
      running_ = true;
      last_was_state_ = true;
      missed_states_ = 0;
      reset_time_ = std::chrono::steady_clock::now();
      return reply_.state;
    }
  }
}

Status LinkClient::CheckCommand(std::span<const double> command) const {
  if (!running_) return InvalidInput("no trial runs on the robot: reset it first");
  if (command.size() != robot_.actuators.size()) {
    return InvalidInput(fmt::format("the command has {} values, robot '{}' has {} actuators",
                                    command.size(), robot_.robot, robot_.actuators.size()));
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (std::isfinite(command[i])) continue;
    return InvalidInput(
        fmt::format("the command of actuator '{}' is {} in trial {}, seq {}: not sent",
                    robot_.actuators[i].name, command[i], reply_.state.trial, reply_.state.seq));
  }
  return {};
}

Result<LinkReply> LinkClient::Exchange(std::span<const double> command) {
  if (failure_) return *failure_;
  RW_TRY(CheckCommand(command));
  const bool is_real = robot_.clock == LinkClock::kReal;
  command_.seq = reply_.state.seq;
  command_.t_s = is_real ? SecondsSince(reset_time_) : reply_.state.t_s;
  command_.values.assign(command.begin(), command.end());
  line_.clear();
  AppendCommand(line_, command_);
  RW_TRY(Send(line_));
  RW_ASSIGN(bool is_state, ReadReply(LinkDeadline(options_.reply_timeout_s)));
  // On a real clock what counts is the newest state.
  while (is_real && is_state && reply_.state.status == TrialStatus::kOk) {
    const std::int64_t before = reply_.state.seq;
    Result<bool> more = ReadReply(LinkTime::min());
    if (!more.ok()) return more.error();
    if (reply_.state.seq == before) break;
    ++missed_states_;
  }
  if (is_state && reply_.state.status == TrialStatus::kOk) return reply_;
  RW_ASSIGN(reply_.result, ReadResult());
  return reply_;
}

Result<TrialResult> LinkClient::Stop() {
  if (failure_) return *failure_;
  if (!running_) return InvalidInput("no trial runs on the robot: nothing to stop");
  RW_TRY(Send(EncodeLink(StopMessage{})));
  return ReadResult();
}

Result<TrialResult> LinkClient::ReadResult() {
  const LinkTime deadline = LinkDeadline(options_.reply_timeout_s);
  while (!reply_.result) {
    if (std::chrono::steady_clock::now() >= deadline) return FailLate("stop");
    RW_TRY(ReadReply(deadline));
  }
  running_ = false;
  return *reply_.result;
}

Result<bool> LinkClient::ReadReply(LinkTime deadline) {
  RobotState& state = incoming_;
  for (;;) {
    const LineRead read = socket_.ReadLine(deadline);
    if (deadline == LinkTime::min() && read.outcome != ReadOutcome::kLine) return true;
    if (read.outcome != ReadOutcome::kLine) return FailRead(read, options_.reply_timeout_s);
    if (!FastReadState(read.line, state)) {
      Result<LinkMessage> message = DecodeLink(read.line);
      if (!message.ok()) return Fail(message.error().message);
      auto* slow_state = std::get_if<RobotState>(&*message);
      if (slow_state == nullptr) {
        RW_ASSIGN(const bool is_result, Sort(std::move(*message)));
        if (is_result) return false;
        if (deadline != LinkTime::min() && std::chrono::steady_clock::now() >= deadline) {
          return FailLate("command");
        }
        continue;
      }
      state = std::move(*slow_state);
    }
    RW_TRY(CheckState(state));
    std::swap(reply_.state, state);
    last_was_state_ = true;
    return true;
  }
}

Result<bool> LinkClient::Sort(LinkMessage message) {
  last_was_state_ = false;
  last_heard_ = fmt::format("{} in trial {} after seq {}", LinkTypeName(message),
                            reply_.state.trial, reply_.state.seq);
  if (auto* event = std::get_if<EventMessage>(&message)) {
    if (events_.size() >= kMostEvents) events_.erase(events_.begin());
    events_.push_back(std::move(*event));
    return false;
  }
  if (const auto* error = std::get_if<ErrorMessage>(&message)) return FromRobot(*error);
  if (const auto* result = std::get_if<TrialResult>(&message)) {
    if (result->trial == reply_.state.trial) {
      reply_.result = *result;
      running_ = false;
      return true;
    }
    return Fail(fmt::format("it sent the result of trial {} during trial {}", result->trial,
                            reply_.state.trial));
  }
  return Fail(fmt::format("it sent '{}' during a trial", LinkTypeName(message)));
}

Status LinkClient::CheckWidth(const RobotState& state) {
  if (state.values.size() == robot_.channels.size()) return {};
  return Fail(fmt::format("state.values has {} values, the robot announced {} channels",
                          state.values.size(), robot_.channels.size()));
}

Status LinkClient::CheckState(const RobotState& state) {
  const RobotState& last = reply_.state;
  if (state.trial == last.trial && state.seq == last.seq + 1) return CheckWidth(state);
  return Fail(fmt::format("it sent the state of trial {}, seq {}; expected trial {}, seq {}",
                          state.trial, state.seq, last.trial, last.seq + 1));
}

std::vector<EventMessage> LinkClient::TakeEvents() { return std::exchange(events_, {}); }

Status LinkClient::Send(std::string_view line) {
  const Status sent = socket_.WriteAll(line, LinkDeadline(options_.reply_timeout_s));
  if (sent.ok()) return {};
  // A robot that closes says why first, and that line may still wait to be read.
  for (;;) {
    const LineRead read = socket_.ReadLine(LinkTime::min());
    if (read.outcome != ReadOutcome::kLine) return Fail(sent.error().message);
    const Result<LinkMessage> message = DecodeLink(read.line);
    if (!message.ok()) continue;
    const auto* error = std::get_if<ErrorMessage>(&*message);
    if (error != nullptr && IsFatal(error->code)) return FromRobot(*error);
  }
}

Error LinkClient::FromRobot(const ErrorMessage& error) {
  const std::string text = fmt::format("it refused {}: {} ({})",
                                       error.about.empty() ? "a message" : "'" + error.about + "'",
                                       error.message, error.code);
  if (IsFatal(error.code)) return Fail(text);
  return Refused(fmt::format("robot '{}' at {}: {}", robot_.robot, address(), text));
}

Error LinkClient::Fail(std::string_view reason) {
  const std::string name =
      robot_.robot.empty() ? "the robot" : fmt::format("robot '{}'", robot_.robot);
  const std::string heard =
      last_was_state_ ? fmt::format("state of trial {}, seq {} (t = {:.6g} s)", reply_.state.trial,
                                    reply_.state.seq, reply_.state.t_s)
                      : last_heard_;
  failure_ =
      EnvironmentError(fmt::format("{} at {}: {}; last heard: {}", name, address(), reason, heard));
  socket_.Close();
  running_ = false;
  return *failure_;
}

Error LinkClient::FailLate(std::string_view asked) {
  return Fail(
      fmt::format("it did not answer '{}' within {:.3g} s", asked, options_.reply_timeout_s));
}

Error LinkClient::FailRead(const LineRead& read, double waited_s) {
  switch (read.outcome) {
    case ReadOutcome::kClosed:
      return Fail("it closed the connection or died");
    case ReadOutcome::kTimeout:
      return Fail(fmt::format("it has been silent for {:.3g} s", waited_s));
    case ReadOutcome::kTooLong:
      return Fail(fmt::format("it sent a line longer than {} bytes", kLinkMaxLine));
    default:
      return Fail("reading failed: " + read.reason);
  }
}

}  // namespace realward
