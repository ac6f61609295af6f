#include "deploy/link_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "deploy/link_fast.h"
#include "deploy/trial_clock.h"

namespace realward {
namespace {

using Clock = std::chrono::steady_clock;

// How often the stop flag and the queue of clients are looked at.
constexpr std::chrono::milliseconds kSlice{50};

struct Trial {
  bool running = false;
  bool ever_ran = false;  // on this connection
  std::int64_t trial = 0;
  std::int64_t seq = 0;
  std::int64_t command_seq = -1;
  TrialClock clock;
  double t_s = 0.0;  // of the last state
  LinkTime watchdog;
  bool clip_reported = false;
};

class Server {
 public:
  Server(LinkSocket& listener, RobotBackend& backend, const ServeOptions& options)
      : listener_(listener), backend_(backend), options_(options), robot_(backend.Describe()) {
    for (const LinkActuator& actuator : robot_.actuators) safe_.push_back(actuator.safe);
  }

  Status Serve();

 private:
  bool stopping() const { return options_.stop != nullptr && options_.stop->load(); }
  bool is_real() const { return robot_.clock == LinkClock::kReal; }
  void Log(std::string_view text) const {
    if (options_.log) options_.log(text);
  }

  void ServeClient();
  LinkTime NextWake(LinkTime now) const;
  void LookAtQueue(LinkTime now);

  void OnLine(std::string_view line);
  void OnHello(const LinkMessage& message);
  void OnReset(const ResetMessage& reset);
  void OnCommand(const RobotCommand& command);
  bool IsFresh(const RobotCommand& command);
  bool IsSound(const RobotCommand& command);
  void Hold(const RobotCommand& command);
  void OnTime(LinkTime now);

  void Advance();
  // `aborted` says why the trial is broken off; empty when the client ends it as it may.
  void EndTrial(LinkTrialEnd end, std::string_view aborted);
  // What the backend does beside giving a state. Its failure ends serving.
  Status TakeEffects();
  void Die();
  void RecordBrokenTrial(const std::string& reason);
  void AppendStateLine(TrialStatus status, std::vector<double> values);
  void AppendResultLine(const TrialOutcome& outcome, LinkTrialEnd end, std::int64_t steps,
                        std::string_view aborted);
  void AppendEvent(std::string_view kind, std::string message);
  void Note(std::string_view kind, std::string_view message);
  void Flush();
  void Refuse(std::string_view code, std::string_view about, std::string message);
  void RefuseAndClose(std::string_view code, std::string_view about, std::string message);
  // The backend failed: tells the client, closes and ends serving.
  void Break(const Error& error);
  // The readings of a backend, or a failure if there are too many or too few.
  bool AreComplete(const std::vector<double>& values);

  LinkSocket& listener_;
  RobotBackend& backend_;
  const ServeOptions& options_;
  const RobotDescription robot_;
  std::vector<double> safe_;  // [actuators]

  LinkSocket client_;
  LinkSocket waiting_;  // the next client, while client_ is served
  LinkTime next_look_{};
  bool open_ = false;
  bool greeted_ = false;
  LinkTime hello_deadline_{};
  Trial trial_;
  std::vector<double> held_;  // [actuators], the command in force
  RobotCommand incoming_;
  RobotState outgoing_;
  std::string out_;                        // lines not yet sent
  LinkTime hold_until_ = LinkTime::min();  // nothing is sent before
  Status failure_;
};

Status Server::Serve() {
  RW_TRY(CheckDescription(robot_));
  if (!(options_.speed > 0.0) || !std::isfinite(options_.speed))
    return InvalidInput(fmt::format("speed {} must be above 0", options_.speed));
  Log(fmt::format("robot '{}' listens at {}", robot_.robot, listener_.address()));
  while (!stopping() && failure_.ok()) {
    client_ = std::exchange(waiting_, LinkSocket());
    if (!client_.valid()) {
      RW_ASSIGN(client_, listener_.Accept(Clock::now() + kSlice));
    }
    if (client_.valid()) ServeClient();
  }
  return failure_;
}

void Server::ServeClient() {
  open_ = true;
  greeted_ = false;
  trial_ = Trial();
  out_.clear();
  hold_until_ = LinkTime::min();
  hello_deadline_ = LinkDeadline(options_.hello_timeout_s);
  while (open_ && failure_.ok()) {
    if (stopping()) {
      if (trial_.running) EndTrial(LinkTrialEnd::kStopped, "the robot was told to end");
      break;
    }
    const LineRead read = client_.ReadLine(NextWake(Clock::now()));
    switch (read.outcome) {
      case ReadOutcome::kLine:
        OnLine(read.line);
        break;
      case ReadOutcome::kTimeout:
        break;
      case ReadOutcome::kTooLong:
        RefuseAndClose("oversize", "", fmt::format("a line is longer than {} bytes", kLinkMaxLine));
        break;
      case ReadOutcome::kClosed:
      case ReadOutcome::kFailed:
        Log("the client closed the connection or died");
        open_ = false;
        break;
    }
    const LinkTime now = Clock::now();
    OnTime(now);
    LookAtQueue(now);
  }
  if (trial_.running) EndTrial(LinkTrialEnd::kStopped, "the connection ended");
  client_.Finish();
}

LinkTime Server::NextWake(LinkTime now) const {
  LinkTime wake = now + kSlice;
  if (trial_.running) wake = std::min(wake, trial_.watchdog);
  if (trial_.running) wake = std::min(wake, trial_.clock.next_tick());
  if (!out_.empty()) wake = std::min(wake, hold_until_);
  return wake;
}

// A client in the queue is told "busy" if this one is still there at the next look: one that
// connects just after this one left is served.
void Server::LookAtQueue(LinkTime now) {
  if (now < next_look_ || !open_) return;
  next_look_ = now + kSlice;
  if (waiting_.valid()) {
    const ErrorMessage busy{"busy", "hello", "the robot is serving another client"};
    // A fresh connection has room for one line; if not, the client sees it close.
    (void)waiting_.WriteAll(EncodeLink(busy), LinkTime::min()).ok();
    waiting_.Finish();
    Log("another client was refused: busy");
    return;
  }
  Result<LinkSocket> next = listener_.Accept(LinkTime::min());
  if (next.ok()) {
    waiting_ = std::move(*next);
  } else {
    failure_ = next.error();
  }
}

void Server::OnTime(LinkTime now) {
  if (!greeted_ && open_ && now >= hello_deadline_) {
    RefuseAndClose("protocol", "",
                   fmt::format("no hello within {:.3g} s", options_.hello_timeout_s));
  }
  if (!out_.empty() && now >= hold_until_) Flush();
  if (!trial_.running || !open_) return;
  if (now >= trial_.watchdog) {
    AppendEvent("watchdog", fmt::format("no command for {:.3g} s: the safe command is applied",
                                        robot_.watchdog_s));
    EndTrial(LinkTrialEnd::kWatchdog, "the watchdog ended it");
  } else if (now >= trial_.clock.next_tick()) {
    Advance();
    const bool first = trial_.clock.overruns() == 0;
    if (trial_.running && trial_.clock.FinishPeriod(Clock::now()) > 0 && first) {
      AppendEvent("overrun",
                  fmt::format("a control period took longer than {:.3g} s, its successor was "
                              "dropped; reported once per trial",
                              2 * robot_.control_period_s / options_.speed));
      Flush();
    }
  }
}

void Server::OnLine(std::string_view line) {
  if (greeted_ && FastReadCommand(line, incoming_)) return OnCommand(incoming_);
  const Result<LinkMessage> decoded = DecodeLink(line);
  if (!decoded.ok()) return RefuseAndClose("malformed", "", decoded.error().message);
  if (!greeted_) return OnHello(*decoded);
  const std::string_view type = LinkTypeName(*decoded);
  if (const auto* command = std::get_if<RobotCommand>(&*decoded)) return OnCommand(*command);
  if (const auto* reset = std::get_if<ResetMessage>(&*decoded)) return OnReset(*reset);
  if (std::holds_alternative<StopMessage>(*decoded)) {
    if (trial_.running) EndTrial(LinkTrialEnd::kStopped, "");
  } else if (std::holds_alternative<ByeMessage>(*decoded)) {
    Log("the client said bye");
    open_ = false;
  } else if (std::holds_alternative<HelloMessage>(*decoded)) {
    Refuse("order", type, "hello was said already");
  } else {
    Refuse("order", type, fmt::format("'{}' is a robot's message, not a client's", type));
  }
}

void Server::OnHello(const LinkMessage& message) {
  const auto* hello = std::get_if<HelloMessage>(&message);
  const std::string_view type = LinkTypeName(message);
  if (hello == nullptr) {
    RefuseAndClose("protocol", type,
                   fmt::format("the first message must be hello, not '{}'", type));
  } else if (hello->protocol != kLinkProtocol) {
    RefuseAndClose("protocol", type,
                   fmt::format("the client speaks protocol '{}', the robot '{}'",
                               PrintableExcerpt(hello->protocol), kLinkProtocol));
  } else if (hello->version != kLinkVersion) {
    RefuseAndClose("version", type,
                   fmt::format("the client speaks version {}, the robot version {}", hello->version,
                               kLinkVersion));
  } else {
    greeted_ = true;
    Log(fmt::format("client '{}' connected", PrintableExcerpt(hello->client)));
    out_ += EncodeLink(robot_);
    Flush();
  }
}

void Server::OnReset(const ResetMessage& reset) {
  if (trial_.running) EndTrial(LinkTrialEnd::kStopped, "");
  if (!open_) return;
  Result<std::vector<double>> values = backend_.Reset(reset.trial, reset.seed);
  if (!values.ok()) {
    backend_.Stop();
    return Refuse("reset", "reset", values.error().message);
  }
  trial_ = Trial();
  trial_.running = trial_.ever_ran = true;
  trial_.trial = reset.trial;
  trial_.clock = TrialClock(robot_.clock, robot_.control_period_s, options_.speed, Clock::now());
  held_ = safe_;
  if (!AreComplete(*values)) return;
  if (options_.recorder != nullptr) options_.recorder->Begin(trial_.trial, *values);
  if (!TakeEffects().ok()) return;
  AppendStateLine(TrialStatus::kOk, std::move(*values));
  Flush();
  trial_.watchdog = Clock::now() + WallSeconds(robot_.watchdog_s);
}

bool Server::IsFresh(const RobotCommand& command) {
  if (!trial_.running) {
    Refuse(trial_.ever_ran ? "stopped" : "order", "command",
           fmt::format("no trial is running (command of trial {}, seq {}): reset first",
                       command.trial, command.seq));
    return false;
  }
  const std::int64_t oldest =
      is_real() ? std::max<std::int64_t>(trial_.command_seq, 0) : trial_.seq;
  if (command.trial == trial_.trial && command.seq >= oldest && command.seq <= trial_.seq)
    return true;
  Refuse("stale", "command",
         fmt::format("the command is of trial {}, seq {}; the robot is at trial {}, seq {}",
                     command.trial, command.seq, trial_.trial, trial_.seq));
  return false;
}

bool Server::IsSound(const RobotCommand& command) {
  if (command.values.size() != robot_.actuators.size()) {
    Refuse("command", "command",
           fmt::format("command.values has {} values, the robot has {} actuators",
                       command.values.size(), robot_.actuators.size()));
    return false;
  }
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    if (std::isfinite(command.values[i])) continue;
    Refuse("command", "command",
           fmt::format("command.values[{}] of actuator '{}' is not finite", i,
                       robot_.actuators[i].name));
    return false;
  }
  return true;
}

void Server::Hold(const RobotCommand& command) {
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const LinkActuator& actuator = robot_.actuators[i];
    held_[i] = std::clamp(command.values[i], actuator.low, actuator.high);
    if (held_[i] == command.values[i] || std::exchange(trial_.clip_reported, true)) continue;
    AppendEvent("clipped",
                fmt::format("command {} of actuator '{}' is outside [{}, {}]; reported once per "
                            "trial",
                            command.values[i], actuator.name, actuator.low, actuator.high));
  }
}

void Server::OnCommand(const RobotCommand& command) {
  if (!IsFresh(command) || !IsSound(command)) return;
  Hold(command);
  trial_.command_seq = command.seq;
  if (is_real()) {
    Flush();
  } else {
    Advance();
  }
  trial_.watchdog = Clock::now() + WallSeconds(robot_.watchdog_s);
}

void Server::Advance() {
  Result<RobotStep> step = backend_.Step(held_);
  if (!step.ok()) return Break(step.error());
  ++trial_.seq;
  trial_.t_s = trial_.clock.RobotTime(trial_.seq, Clock::now());
  if (!AreComplete(step->values)) return;
  if (options_.recorder != nullptr) options_.recorder->Add(held_, trial_.t_s, step->values);
  if (!TakeEffects().ok()) return;
  AppendStateLine(step->outcome ? TrialStatus::kEnded : TrialStatus::kOk, std::move(step->values));
  if (step->outcome) {
    trial_.running = false;
    backend_.Stop();
    AppendResultLine(*step->outcome, step->outcome->end, trial_.seq, "");
  }
  Flush();
}

void Server::EndTrial(LinkTrialEnd end, std::string_view aborted) {
  trial_.running = false;
  Result<RobotStep> step = backend_.Step(safe_);
  TrialOutcome outcome = backend_.Stop();
  if (!step.ok()) return Break(step.error());
  if (!AreComplete(step->values)) return;
  if (step->outcome) outcome = *step->outcome;
  const std::int64_t steps = trial_.seq++;
  trial_.t_s = trial_.clock.RobotTime(trial_.seq, Clock::now());
  if (options_.recorder != nullptr) options_.recorder->Add(safe_, trial_.t_s, step->values);
  if (!TakeEffects().ok()) return;
  AppendStateLine(TrialStatus::kStopped, std::move(step->values));
  AppendResultLine(outcome, end, steps, aborted);
  Flush();
}

Status Server::TakeEffects() {
  const RobotEffects effects = backend_.TakeEffects();
  for (const RobotNote& note : effects.notes) {
    if (options_.announce_notes) {
      AppendEvent(note.kind, note.message);
    } else {
      Note(note.kind, note.message);
    }
  }
  if (effects.dies) Die();
  if (effects.breaks) {
    Flush();
    open_ = false;
  }
  if (effects.hold_s > 0.0) {
    hold_until_ = std::isinf(effects.hold_s) ? LinkTime::max()
                                             : Clock::now() + trial_.clock.Wall(effects.hold_s);
  }
  return failure_;
}

// As if its power had gone: no safe command, no word.
void Server::Die() {
  out_.clear();
  open_ = false;
  if (std::exchange(trial_.running, false)) backend_.Stop();
  RecordBrokenTrial("the robot died");
  if (options_.die) options_.die();
  failure_ = EnvironmentError(fmt::format("robot '{}' died in trial {}, as its fault script says",
                                          robot_.robot, trial_.trial));
}

void Server::RecordBrokenTrial(const std::string& reason) {
  if (options_.recorder == nullptr) return;
  options_.recorder->End({trial_.trial, {}, {}, LinkTrialEnd::kStopped, trial_.seq}, reason,
                         trial_.clock.overruns());
}

void Server::AppendStateLine(TrialStatus status, std::vector<double> values) {
  outgoing_.trial = trial_.trial;
  outgoing_.seq = trial_.seq;
  outgoing_.t_s = trial_.t_s;
  // In lockstep it is always seq - 1.
  outgoing_.command_seq = is_real() ? trial_.command_seq : -1;
  outgoing_.status = status;
  outgoing_.values = std::move(values);
  AppendState(out_, outgoing_);
}

void Server::AppendResultLine(const TrialOutcome& outcome, LinkTrialEnd end, std::int64_t steps,
                              std::string_view aborted) {
  const TrialResult result{trial_.trial, outcome.success, outcome.total_return, end, steps};
  out_ += EncodeLink(result);
  Log(fmt::format("trial {} ended after {} steps: {}{}", trial_.trial, steps, LinkName(end),
                  trial_.clock.overruns() > 0
                      ? fmt::format("; {} control periods were dropped", trial_.clock.overruns())
                      : ""));
  if (options_.recorder != nullptr)
    options_.recorder->End(result, aborted, trial_.clock.overruns());
  if (hold_until_ == LinkTime::max()) hold_until_ = LinkTime::min();
}

void Server::Note(std::string_view kind, std::string_view message) {
  Log(fmt::format("trial {}, seq {}: {}: {}", trial_.trial, trial_.seq, kind, message));
  if (options_.recorder != nullptr) options_.recorder->Note(kind, trial_.seq, trial_.t_s, message);
}

void Server::AppendEvent(std::string_view kind, std::string message) {
  Note(kind, message);
  out_ += EncodeLink(EventMessage{std::string(kind), trial_.trial, trial_.seq, std::move(message)});
}

void Server::Flush() {
  if (open_ && Clock::now() < hold_until_) return;
  if (open_ && !out_.empty()) {
    // A client that does not read holds the robot up no longer than one that does not command.
    const Status sent = client_.WriteAll(out_, LinkDeadline(robot_.watchdog_s));
    if (!sent.ok()) {
      Log(sent.error().message);
      open_ = false;
    }
  }
  out_.clear();
}

void Server::Refuse(std::string_view code, std::string_view about, std::string message) {
  Log(fmt::format("refused: {} ({})", message, code));
  out_ += EncodeLink(ErrorMessage{std::string(code), std::string(about), std::move(message)});
  Flush();
}

void Server::RefuseAndClose(std::string_view code, std::string_view about, std::string message) {
  if (trial_.running) EndTrial(LinkTrialEnd::kStopped, "the client broke the protocol");
  Refuse(code, about, std::move(message));
  open_ = false;
}

void Server::Break(const Error& error) {
  if (std::exchange(trial_.running, false)) backend_.Stop();
  RecordBrokenTrial("the robot failed: " + error.message);
  failure_ = error;
  Refuse("robot", "", error.message);
  open_ = false;
}

bool Server::AreComplete(const std::vector<double>& values) {
  if (values.size() == robot_.channels.size()) return true;
  Break(EnvironmentError(fmt::format("robot '{}' gave {} readings, it announced {} channels",
                                     robot_.robot, values.size(), robot_.channels.size())));
  return false;
}

}  // namespace

Status ServeRobot(LinkSocket& listener, RobotBackend& backend, const ServeOptions& options) {
  return Server(listener, backend, options).Serve();
}

}  // namespace realward
