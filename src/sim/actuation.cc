#include "sim/actuation.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sim/command_path.h"
#include "sim/signals.h"

namespace realward {
Result<Actuation> Actuation::Make(const mjModel& model, const TaskSpec& task, const WorldPlan& plan,
                                  int worlds) {
  using A = ActuatorSettings;
  Actuation path;
  path.actions_ = task.actions;
  path.period_ = task.control_period;
  const std::vector<std::string> actuators = ObjectNames(model, mjOBJ_ACTUATOR);
  for (const ActionTerm& action : task.actions) {
    const auto found = std::find(actuators.begin(), actuators.end(), action.actuator);
    if (found == actuators.end())
      return InvalidInput(UnknownName("actuator", action.actuator, actuators));
    path.action_actuator_.push_back(static_cast<int>(found - actuators.begin()));
  }
  path.train_ = MakeDrivetrain(model, plan);
  path.has_loss_ = plan.Uses(&A::jitter) || plan.Uses(&A::dropout) || plan.Uses(&A::noise);
  const double longest = FindGapKind("actuator_delay")->highest +
                         (path.has_loss_ ? FindGapKind("actuator_jitter")->highest : 0.0);
  path.depth_ = static_cast<std::size_t>(std::ceil(longest / task.control_period)) + 2;
  const std::size_t n = worlds;
  path.commands_.assign(n * task.actions.size() * path.depth_, 0.0);
  if (path.has_loss_) path.delays_.assign(path.commands_.size(), 0.0);
  if (path.train_.has_path) path.memory_.resize(n * model.nu);
  if (path.train_.has_friction) path.loads_.resize(n * model.njnt);
  path.supply_.assign(n, 1.0);
  return path;
}

std::span<const ActuatorMemory> Actuation::memory(int world) const {
  const std::size_t nu = train_.has_path ? train_.gear.size() : 0;
  return {memory_.data() + world * nu, nu};
}

DrivetrainState Actuation::state(int world) {
  const std::size_t nu = train_.has_path ? train_.gear.size() : 0;
  const std::size_t nj = train_.has_friction ? train_.joint_dof.size() : 0;
  return {{memory_.data() + world * nu, nu}, {loads_.data() + world * nj, nj}, &supply_[world]};
}

void Actuation::Reset(int world, const WorldView& view, const mjtNum* frictionloss, mjtNum* ctrl) {
  const std::size_t row = actions_.size() * depth_;
  std::fill_n(commands_.begin() + world * row, row, 0.0);
  if (has_loss_) std::fill_n(delays_.begin() + world * row, row, 0.0);
  for (std::size_t u = 0; u < view.actuators.size(); ++u)
    ctrl[u] = ActuatorInput(view.actuators[u], 0.0);
  ResetDrivetrain(train_, view, frictionloss, state(world));
}

void Actuation::Push(int world, const WorldView& view, std::span<const float> action,
                     const StreamId& id) {
  Stream stream(id);
  for (std::size_t a = 0; a < action.size(); ++a) {
    const std::size_t at = (static_cast<std::size_t>(world) * action.size() + a) * depth_;
    double* history = commands_.data() + at;
    std::copy_backward(history, history + depth_ - 1, history + depth_);
    history[0] = CommandOf(actions_[a], action[a]);
    if (!has_loss_) continue;
    const ActuatorSettings& s = view.actuators[action_actuator_[a]];
    double* delays = delays_.data() + at;
    std::copy_backward(delays, delays + depth_ - 1, delays + depth_);
    const double noise = stream.Normal();
    const double late = stream.Uniform();
    const bool is_lost = stream.Uniform() < s.dropout;
    history[0] = is_lost ? history[1] : history[0] + s.noise * noise;
    delays[0] = s.delay + s.jitter * late;
  }
}

void Actuation::Drive(const mjModel* m, mjData* d, int world, const WorldView& view, int substep) {
  const double dt = m->opt.timestep;
  const std::size_t na = actions_.size();
  for (std::size_t a = 0; a < na; ++a) {
    const int u = action_actuator_[a];
    const ActuatorSettings& s = view.actuators[u];
    const std::size_t at = (static_cast<std::size_t>(world) * na + a) * depth_;
    const std::span<const double> history(commands_.data() + at, depth_);
    const double held = has_loss_ ? ArrivedAverage(history, {delays_.data() + at, depth_}, period_,
                                                   substep * dt, dt)
                                  : DelayedAverage(history, period_, s.delay, substep * dt, dt);
    d->ctrl[u] = DriveInput(train_, view, state(world), u, held, dt);
  }
  BeforeStep(train_, m, d, view, state(world));
}

void Actuation::Settle(const mjModel* m, const mjData* d, int world, const WorldView& view) {
  AfterStep(train_, m, d, view, state(world));
}

void Actuation::Save(Record& record) const {
  record.Put("env.commands", commands_);
  if (has_loss_) record.Put("env.delays", delays_);
  if (train_.has_path) record.Put("env.actuators", memory_);
  if (train_.has_friction) record.Put("env.loads", loads_);
  record.Put("env.supply", supply_);
}

Status Actuation::Load(const Record& record) {
  RW_TRY(record.Get("env.commands", commands_));
  if (has_loss_) RW_TRY(record.Get("env.delays", delays_));
  if (train_.has_path) RW_TRY(record.Get("env.actuators", memory_));
  if (train_.has_friction) RW_TRY(record.Get("env.loads", loads_));
  return record.Get("env.supply", supply_);
}

}  // namespace realward
