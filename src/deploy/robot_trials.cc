#include "deploy/robot_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "base/text.h"
#include "sim/contract.h"
#include "sim/environments.h"

namespace realward {
namespace {

std::vector<std::string> Names(const RobotDescription& robot) {
  std::vector<std::string> names;
  for (const LinkChannel& channel : robot.channels) names.push_back(channel.name);
  return names;
}

std::vector<std::string> ActuatorNames(const RobotDescription& robot) {
  std::vector<std::string> names;
  for (const LinkActuator& actuator : robot.actuators) names.push_back(actuator.name);
  return names;
}

// The state of a policy that acts through a link.
class LinkActor {
 public:
  LinkActor(const PolicyArtifact& policy, const TaskSpec& task, const RobotDescription& robot,
            const ObservationLayout& layout)
      : policy_(policy),
        task_(task),
        layout_(layout),
        frames_(layout.depth() * layout.frame_size()),
        observation_(layout.size()),
        action_(task.actions.size()),
        command_(robot.actuators.size()) {
    const std::vector<std::string> names = ActuatorNames(robot);
    for (const ActionTerm& term : task.actions) {
      slot_.push_back(
          static_cast<int>(std::find(names.begin(), names.end(), term.actuator) - names.begin()));
    }
    for (std::size_t i = 0; i < command_.size(); ++i) command_[i] = robot.actuators[i].safe;
    const std::vector<std::string> channels = Names(robot);
    readings_.resize(channels.size());
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const bool seen = std::any_of(
          task.observations.begin(), task.observations.end(), [&](const ObservationTerm& term) {
            const auto read = ChannelsOf(term);
            return std::find(read.begin(), read.end(), channels[c]) != read.end();
          });
      if (seen) observed_.push_back(c);
    }
  }

  // The index of an observed channel that has no reading to begin with; none: all have.
  std::optional<std::size_t> Begin(std::span<const double> channels) {
    missing_ = 0;
    std::copy(channels.begin(), channels.end(), readings_.begin());
    FillFrames(frames_, layout_.frame_size(), readings_);
    for (const std::size_t c : observed_) {
      if (!std::isfinite(readings_[c])) return c;
    }
    return std::nullopt;
  }
  std::span<const double> Command() {
    layout_.Write(frames_, observation_);
    PolicyForward(policy_.network, observation_, action_);
    for (std::size_t a = 0; a < action_.size(); ++a) {
      action_[a] = std::clamp(action_[a], -1.0f, 1.0f);
      command_[slot_[a]] = CommandOf(task_.actions[a], action_[a]);
    }
    return command_;
  }
  // A missing reading keeps its last value.
  void See(std::span<const double> channels) {
    bool missing = false;
    for (const std::size_t c : observed_) {
      const bool here = std::isfinite(channels[c]);
      if (here) readings_[c] = channels[c];
      missing = missing || !here;
    }
    missing_ += missing;
    PushFrame(frames_, layout_.frame_size(), readings_, action_);
  }
  std::int64_t missing() const { return missing_; }

 private:
  const PolicyArtifact& policy_;
  const TaskSpec& task_;
  const ObservationLayout& layout_;
  std::vector<double> frames_;
  std::vector<float> observation_, action_;
  std::vector<double> command_;
  std::vector<int> slot_;
  std::vector<std::size_t> observed_;  // channels that the policy observes
  std::vector<double> readings_;       // [channels], the last ones there were
  std::int64_t missing_ = 0;           // states without a reading of an observed channel
};

RobotTrial Aborted(std::int64_t trial, const std::string& reason) {
  RobotTrial record;
  record.trial = trial;
  record.end = "aborted";
  record.reason = reason;
  return record;
}

Result<RobotTrial> RunOne(LinkClient& robot, LinkActor& actor, std::int64_t trial,
                          std::uint64_t seed) {
  RW_ASSIGN(const RobotState first, robot.Reset(trial, seed));
  if (const auto missing = actor.Begin(first.values)) {
    const std::string channel = robot.robot().channels[*missing].name;
    RW_TRY(robot.Stop());
    return InvalidInput(fmt::format("channel '{}' had no reading when the trial began", channel));
  }
  for (;;) {
    RW_ASSIGN(const LinkReply reply, robot.Exchange(actor.Command()));
    if (reply.result) {
      RobotTrial record;
      record.trial = trial;
      record.end = std::string(LinkName(reply.result->end));
      record.completed = reply.result->end != LinkTrialEnd::kWatchdog &&
                         reply.result->end != LinkTrialEnd::kStopped;
      if (!record.completed) record.reason = "the robot ended the trial: " + record.end;
      record.success = reply.result->success;
      record.trial_return = reply.result->total_return;
      record.steps = reply.result->steps;
      record.missing_readings = actor.missing();
      return record;
    }
    actor.See(reply.state.values);
  }
}

}  // namespace

Status CheckRobot(const RobotDescription& robot, const TaskSpec& task) {
  std::string differences;
  const std::vector<std::string> channels = Names(robot);
  for (const ObservationTerm& term : task.observations) {
    for (const std::string& channel : ChannelsOf(term)) {
      if (std::find(channels.begin(), channels.end(), channel) == channels.end())
        differences += "\n  " + UnknownName("channel", channel, channels);
    }
  }
  const std::vector<std::string> actuators = ActuatorNames(robot);
  for (const ActionTerm& term : task.actions) {
    const auto found = std::find(actuators.begin(), actuators.end(), term.actuator);
    if (found == actuators.end()) {
      differences += "\n  " + UnknownName("actuator", term.actuator, actuators);
      continue;
    }
    const LinkActuator& actuator = robot.actuators[found - actuators.begin()];
    if (term.low < actuator.low - 1e-9 || term.high > actuator.high + 1e-9) {
      differences +=
          fmt::format("\n  actuator '{}': the policy commands {} … {}, the robot takes {} … {}",
                      term.actuator, term.low, term.high, actuator.low, actuator.high);
    }
  }
  if (std::abs(robot.control_period_s - task.control_period) > 1e-6 * task.control_period) {
    differences += fmt::format("\n  control period: policy {} s, robot {} s", task.control_period,
                               robot.control_period_s);
  }
  if (differences.empty()) return {};
  return Refused(
      fmt::format("robot '{}' does not fit task '{}':{}", robot.robot, task.name, differences));
}

Result<std::vector<RobotTrial>> RunRobotTrials(
    LinkClient& robot, const PolicyArtifact& policy, const TaskSpec& task,
    const RobotTrialOptions& options, const std::function<Result<LinkClient>()>& reconnect) {
  RW_TRY(CheckContract(policy.contract, task));
  RW_TRY(CheckRobot(robot.robot(), task));
  RW_ASSIGN(const ObservationLayout layout,
            ObservationLayout::Make(task.observations, Names(robot.robot()),
                                    static_cast<int>(task.actions.size())));
  LinkActor actor(policy, task, robot.robot(), layout);
  std::optional<LinkClient> replacement;
  LinkClient* link = &robot;
  std::vector<RobotTrial> trials;
  for (std::int64_t trial = 0; trial < options.trials; ++trial) {
    if (options.stop != nullptr && options.stop->load()) {
      return Interrupted(
          fmt::format("trials of '{}' stopped after {} of {}", policy.name, trial, options.trials));
    }
    Result<RobotTrial> record = RunOne(*link, actor, trial, options.seed);
    if (record.ok()) {
      trials.push_back(std::move(record).value());
      continue;
    }
    trials.push_back(Aborted(trial, record.error().message));
    if (record.error().kind != ErrorKind::kEnvironment) continue;
    Result<LinkClient> again =
        reconnect ? reconnect() : Result<LinkClient>(EnvironmentError("no other connection"));
    if (!again.ok()) {
      while (++trial < options.trials)
        trials.push_back(Aborted(trial, "robot not reachable: " + again.error().message));
      break;
    }
    replacement.reset();
    replacement.emplace(std::move(again).value());
    link = &*replacement;
  }
  return trials;
}

Result<RobotRecording> RecordExcitation(LinkClient& robot, std::int64_t trial, std::uint64_t seed,
                                        double duration) {
  const RobotDescription& description = robot.robot();
  const std::size_t nu = description.actuators.size();
  struct Sine {
    double frequency, phase, share;
  };
  constexpr int kSines = 4;
  std::vector<std::vector<Sine>> sines(nu);
  Stream stream({seed, Purpose::kFitStart, 0, 0, static_cast<std::uint64_t>(trial), 0});
  for (std::vector<Sine>& of_actuator : sines) {
    for (int k = 0; k < kSines; ++k) {
      // Spread over 0.2 … 2 Hz: slow enough to swing, fast enough to show inertia and delay.
      of_actuator.push_back({0.2 * std::pow(10.0, (k + stream.Uniform()) / kSines),
                             2.0 * std::numbers::pi * stream.Uniform(),
                             0.8 / kSines * (1.0 + stream.Uniform())});
    }
  }
  RobotRecording recording;
  recording.channels = Names(description);
  recording.actuators = ActuatorNames(description);
  std::vector<double> values, commands;
  RW_ASSIGN(RobotState state, robot.Reset(trial, seed));
  std::vector<double> command(nu);
  for (;;) {
    recording.time_s.push_back(state.t_s);
    values.insert(values.end(), state.values.begin(), state.values.end());
    for (std::size_t u = 0; u < nu; ++u) {
      const LinkActuator& actuator = description.actuators[u];
      double wave = 0.0;
      for (const Sine& s : sines[u])
        wave += s.share * std::sin(2.0 * std::numbers::pi * s.frequency * state.t_s + s.phase);
      command[u] = std::clamp(
          0.5 * (actuator.low + actuator.high) + 0.5 * (actuator.high - actuator.low) * wave,
          actuator.low, actuator.high);
    }
    commands.insert(commands.end(), command.begin(), command.end());
    if (state.t_s >= duration) break;
    RW_ASSIGN(LinkReply reply, robot.Exchange(command));
    if (reply.result) break;
    state = reply.state;
  }
  if (robot.running()) RW_TRY(robot.Stop());
  const std::size_t samples = recording.time_s.size();
  recording.values = Matrix<double>(samples, recording.channels.size());
  recording.values.values() = values;
  recording.commands = Matrix<double>(samples, nu);
  recording.commands.values() = commands;
  return recording;
}

}  // namespace realward
