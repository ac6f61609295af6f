#include "deploy/virtual_robot.h"

#include <algorithm>

namespace realward {
namespace {

void GiveAction(const void* context, const StreamId&, std::span<const float>,
                std::span<float> action) {
  const auto& chosen = *static_cast<const std::vector<float>*>(context);
  std::copy(chosen.begin(), chosen.end(), action.begin());
}

LinkTrialEnd LinkEnd(EpisodeEnd end) {
  switch (end) {
    case EpisodeEnd::kHorizon:
      return LinkTrialEnd::kHorizon;
    case EpisodeEnd::kTerminated:
      return LinkTrialEnd::kTerminated;
    case EpisodeEnd::kDiverged:
      return LinkTrialEnd::kDiverged;
    case EpisodeEnd::kRunning:
      return LinkTrialEnd::kStopped;
  }
  return LinkTrialEnd::kStopped;
}

}  // namespace

Result<std::unique_ptr<VirtualRobot>> VirtualRobot::Make(const TaskSpec& task,
                                                         const GapSpec& hidden,
                                                         const VirtualRobotOptions& options) {
  std::unique_ptr<VirtualRobot> robot(new VirtualRobot());
  robot->options_ = options;
  EnvironmentOptions environment;
  environment.seed = options.seed;
  environment.auto_reset = false;
  environment.first_unit = options.unit;
  if (!options.faults.faults.empty()) environment.edit_model = &PrepareForFaults;
  RW_ASSIGN(robot->env_, Environments::Make(task, hidden, environment));
  robot->action_.assign(task.actions.size(), 0.0f);
  if (!options.faults.faults.empty()) {
    RW_ASSIGN(robot->faults_, FaultPlayer::Make(options.faults, robot->Describe().channels,
                                                *robot->env_, options.seed, options.unit));
  }
  return robot;
}

RobotDescription VirtualRobot::Describe() const {
  RobotDescription description;
  description.robot = options_.name;
  for (const Channel& channel : Channels(env_->model()))
    description.channels.push_back({channel.name, channel.unit});
  for (const ActionTerm& action : env_->task().actions) {
    LinkActuator actuator{action.actuator, "", action.low, action.high};
    actuator.safe = std::clamp(0.0, action.low, action.high);
    description.actuators.push_back(actuator);
  }
  description.control_period_s = env_->control_period();
  description.clock = options_.clock;
  description.watchdog_s = options_.watchdog;
  return description;
}

std::vector<double> VirtualRobot::Readings() {
  const auto row = env_->measurements().row(0);
  std::vector<double> readings(row.begin(), row.end());
  if (faults_) faults_->At(seq_, readings);
  return readings;
}

Result<std::vector<double>> VirtualRobot::Reset(std::int64_t trial, std::uint64_t) {
  if (faults_) faults_->BeforeReset();
  env_->Reset(0, static_cast<std::uint64_t>(trial));
  if (faults_) faults_->AfterReset(trial);
  seq_ = 0;
  return_ = 0.0;
  return Readings();
}

Result<RobotStep> VirtualRobot::Step(std::span<const double> command) {
  for (std::size_t a = 0; a < action_.size(); ++a) {
    action_[a] = static_cast<float>(ActionOf(env_->task().actions[a], command[a]));
  }
  env_->Step(&GiveAction, &action_);
  ++seq_;
  return_ += env_->rewards()[0];
  RobotStep step;
  step.values = Readings();
  if (!env_->finished().empty()) {
    const EpisodeSummary& episode = env_->finished().front();
    step.outcome = TrialOutcome{episode.success, episode.episode_return, LinkEnd(episode.end)};
  }
  return step;
}

TrialOutcome VirtualRobot::Stop() { return {std::nullopt, return_, LinkTrialEnd::kStopped}; }

RobotEffects VirtualRobot::TakeEffects() {
  return faults_ ? faults_->TakeEffects() : RobotEffects();
}

}  // namespace realward
