#include "sim/environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "sim/command_path.h"

namespace realward {
namespace {

// Actuator delays are at most this long (spec: kind actuator_delay); it sizes the command history.
constexpr double kLongestDelay = 0.2;

// Clipped actions live on the stack of a worker.
constexpr std::size_t kMostActions = 256;

int WholeSteps(double duration, double period) {
  return std::max(1, static_cast<int>(std::lround(duration / period)));
}

}  // namespace

const char* NameOf(EpisodeEnd end) {
  switch (end) {
    case EpisodeEnd::kRunning:
      return "running";
    case EpisodeEnd::kHorizon:
      return "horizon";
    case EpisodeEnd::kTerminated:
      return "terminated";
    case EpisodeEnd::kDiverged:
      return "diverged";
  }
  return "?";
}

double CommandOf(const ActionTerm& term, double action) {
  return term.low + 0.5 * (std::clamp(action, -1.0, 1.0) + 1.0) * (term.high - term.low);
}

double ActionOf(const ActionTerm& term, double command) {
  return std::clamp(2.0 * (command - term.low) / (term.high - term.low) - 1.0, -1.0, 1.0);
}

double MeasuredValue(const ChannelSettings& settings, double truth, double z) {
  const double value = truth + settings.offset + settings.noise * z;
  return settings.quantization > 0.0
             ? settings.quantization * std::round(value / settings.quantization)
             : value;
}

Result<std::unique_ptr<Environments>> Environments::Make(const TaskSpec& task, const GapSpec& gap,
                                                         const EnvironmentOptions& options) {
  RW_CHECK(options.worlds >= 1 && options.threads >= 1);
  RW_ASSIGN(ModelPtr model, LoadModel(task.model_path));
  // The range is applied to the command before the delay (StepOne), so that an offset or a strength
  // is not clipped away at the actuator.
  std::fill(model->actuator_ctrllimited, model->actuator_ctrllimited + model->nu, mjtByte{0});
  std::unique_ptr<Environments> env(new Environments());
  env->task_ = task;
  env->options_ = options;
  RW_ASSIGN(WorldPlan plan, WorldPlan::Make(*model, gap));
  env->plan_ = std::make_unique<WorldPlan>(std::move(plan));
  env->drawer_ = std::make_unique<Drawer>(gap);
  RW_ASSIGN(env->terms_, CompileTerms(*model, task));
  env->channel_names_ = ChannelNames(*model);
  RW_ASSIGN(env->layout_, ObservationLayout::Make(task.observations, env->channel_names_,
                                                  static_cast<int>(task.actions.size())));
  for (int j = 0; j < model->njnt; ++j) {
    if (model->jnt_type[j] != mjJNT_HINGE && model->jnt_type[j] != mjJNT_SLIDE) continue;
    env->channel_address_.push_back(model->jnt_qposadr[j]);
    env->channel_velocity_.push_back(false);
    env->channel_address_.push_back(model->jnt_dofadr[j]);
    env->channel_velocity_.push_back(true);
  }
  const std::vector<std::string> actuators = ObjectNames(*model, mjOBJ_ACTUATOR);
  for (const ActionTerm& action : task.actions) {
    const auto found = std::find(actuators.begin(), actuators.end(), action.actuator);
    if (found == actuators.end())
      return InvalidInput(UnknownName("actuator", action.actuator, actuators));
    env->action_actuator_.push_back(static_cast<int>(found - actuators.begin()));
  }
  const double ratio = task.control_period / model->opt.timestep;
  env->substeps_ = static_cast<int>(std::lround(ratio));
  if (env->substeps_ < 1 || std::abs(ratio - env->substeps_) > 1e-6 * ratio) {
    return InvalidInput(
        fmt::format("the control period {} s is no whole multiple of the model's time step {} s",
                    task.control_period, model->opt.timestep));
  }
  env->horizon_steps_ = WholeSteps(task.horizon, task.control_period);
  env->hold_steps_ = WholeSteps(task.success_hold, task.control_period);
  env->history_depth_ = static_cast<int>(std::ceil(kLongestDelay / task.control_period)) + 2;

  RW_ASSIGN(env->batch_, MakeBatch(*model, options.worlds, options.threads));
  mjBatch* batch = env->batch_.get();
  env->state_size_ = mjb_nstate(batch);
  env->qpos_base_ = mjb_stateComponent(batch, mjSTATE_QPOS, nullptr);
  env->qvel_base_ = mjb_stateComponent(batch, mjSTATE_QVEL, nullptr);
  env->ctrl_base_ = mjb_stateComponent(batch, mjSTATE_CTRL, nullptr);
  for (ModelField field : env->plan_->touched_fields()) {
    int size = 0;
    void* rows = mjb_expand(batch, FieldName(field), &size, nullptr);
    RW_CHECK(rows != nullptr);
    env->field_base_[static_cast<int>(field)] = static_cast<mjtNum*>(rows);
    env->field_size_[static_cast<int>(field)] = size;
  }
  // One row as a fresh mjData has it: the start of every episode.
  DataPtr data = MakeData(*model);
  env->initial_row_.resize(env->state_size_);
  mj_getState(model.get(), data.get(), env->initial_row_.data(), mjSTATE_INTEGRATION);

  const std::size_t n = options.worlds;
  const std::size_t nc = env->channel_names_.size();
  const std::size_t na = task.actions.size();
  env->episode_.assign(n, 0);
  env->step_.assign(n, 0);
  env->held_.assign(n, 0);
  env->return_.assign(n, 0.0);
  env->running_.assign(n, 0);
  env->actuator_settings_.resize(n * model->nu);
  env->channel_settings_.resize(n * nc);
  env->values_.resize(env->plan_->parameter_count());
  env->commands_.assign(n * na * env->history_depth_, 0.0);
  env->frames_.assign(n * env->layout_.depth() * env->layout_.frame_size(), 0.0);
  env->observations_ = Matrix<float>(n, env->layout_.size());
  env->final_observations_ = env->observations_;
  env->actions_ = Matrix<float>(n, na);
  env->previous_actions_ = env->actions_;
  env->measurements_ = Matrix<double>(n, nc);
  env->rewards_.assign(n, 0.0);
  env->ends_.assign(n, EpisodeEnd::kRunning);
  env->finished_.reserve(n);
  env->ids_.reserve(n);
  env->ResetAll();
  return env;
}

StreamId Environments::Address(int world, Purpose purpose, std::uint64_t step) const {
  const std::uint64_t n = static_cast<std::uint64_t>(options_.worlds);
  const std::uint64_t unit = options_.fresh_units
                                 ? options_.first_unit + episode_[world] * n + world
                                 : options_.first_unit + static_cast<std::uint64_t>(world);
  return {
      options_.seed,   purpose, static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(world),
      episode_[world], step};
}

std::span<double> Environments::frames(int world) {
  const std::size_t size = static_cast<std::size_t>(layout_.depth()) * layout_.frame_size();
  return {frames_.data() + world * size, size};
}

void Environments::ResetAll() {
  for (int w = 0; w < options_.worlds; ++w) {
    episode_[w] = 0;
    BeginEpisode(w);
  }
  if (plan_->needs_set_const()) mjb_setConst(batch_.get(), nullptr, 0);
  finished_.clear();
}

void Environments::Reset(int world, std::uint64_t episode) {
  episode_[world] = episode;
  BeginEpisode(world);
  if (plan_->needs_set_const()) mjb_setConst(batch_.get(), &world, 1);
}

// Draws the world's parameters and places its first state and observation. The caller recomputes
// derived constants.
void Environments::BeginEpisode(int world) {
  Draw(world);
  WriteInitialState(world);
  step_[world] = 0;
  held_[world] = 0;
  return_[world] = 0.0;
  running_[world] = 1;
  ends_[world] = EpisodeEnd::kRunning;
  const std::size_t commands = task_.actions.size() * history_depth_;
  std::fill_n(commands_.begin() + world * commands, commands, 0.0);
  for (float& a : previous_actions_.row(world)) a = 0.0f;
  Measure(world, qpos_base_ + static_cast<std::size_t>(world) * state_size_,
          qvel_base_ + static_cast<std::size_t>(world) * state_size_);
  FillFrames(frames(world), layout_.frame_size(), measurements_.row(world));
  layout_.Write(frames(world), observations_.row(world));
}

void Environments::Draw(int world) {
  const StreamId id = Address(world, Purpose::kGapDraw, 0);
  drawer_->Draw({id.seed, id.unit, id.world, id.episode}, values_);
  FieldRows rows{};
  for (int f = 0; f < kModelFieldCount; ++f) {
    if (field_base_[f] != nullptr)
      rows[f] = field_base_[f] + static_cast<std::size_t>(world) * field_size_[f];
  }
  const std::size_t nu = model().nu;
  const std::size_t nc = channel_names_.size();
  plan_->Apply(values_, rows, {actuator_settings_.data() + world * nu, nu},
               {channel_settings_.data() + world * nc, nc});
}

void Environments::WriteInitialState(int world) {
  mjtNum* row = mjb_state(batch_.get()) + static_cast<std::size_t>(world) * state_size_;
  std::copy(initial_row_.begin(), initial_row_.end(), row);
  mjWarningStat* warnings =
      mjb_warning(batch_.get()) + static_cast<std::size_t>(world) * mjNWARNING;
  std::fill(warnings, warnings + mjNWARNING, mjWarningStat{});
  Stream stream(Address(world, Purpose::kReset, 0));
  const mjModel& m = model();
  mjtNum* qpos = qpos_base_ + static_cast<std::size_t>(world) * state_size_;
  mjtNum* qvel = qvel_base_ + static_cast<std::size_t>(world) * state_size_;
  for (const ResetTerm& term : task_.resets) {
    const int joint = mj_name2id(&m, mjOBJ_JOINT, term.joint.c_str());
    qpos[m.jnt_qposadr[joint]] = stream.Uniform(term.position_low, term.position_high);
    qvel[m.jnt_dofadr[joint]] = stream.Uniform(term.velocity_low, term.velocity_high);
  }
}

void Environments::Measure(int world, const mjtNum* qpos, const mjtNum* qvel) {
  const std::size_t nc = channel_names_.size();
  const ChannelSettings* settings = channel_settings_.data() + world * nc;
  const bool noisy =
      std::any_of(settings, settings + nc, [](const ChannelSettings& s) { return s.noise > 0.0; });
  Stream stream(Address(world, Purpose::kSensorNoise, static_cast<std::uint64_t>(step_[world])));
  for (std::size_t c = 0; c < nc; ++c) {
    const double truth =
        channel_velocity_[c] ? qvel[channel_address_[c]] : qpos[channel_address_[c]];
    measurements_(world, c) = MeasuredValue(settings[c], truth, noisy ? stream.Normal() : 0.0);
  }
}

// Runs on the batch's threads. Holds nothing with a destructor across MuJoCo's calls.
void Environments::StepOne(const mjModel* m, mjData* d, int w, void* pointer) {
  Environments& env = *static_cast<Environments*>(pointer);
  const std::span<float> action = env.actions_.row(w);
  env.act_(env.act_context_,
           env.Address(w, Purpose::kPolicyNoise, static_cast<std::uint64_t>(env.step_[w])),
           env.observations_.row(w), action);

  // Newest command first.
  const int depth = env.history_depth_;
  const std::size_t na = env.task_.actions.size();
  double* commands = env.commands_.data() + static_cast<std::size_t>(w) * na * depth;
  for (std::size_t a = 0; a < na; ++a) {
    double* history = commands + a * depth;
    std::copy_backward(history, history + depth - 1, history + depth);
    history[0] = CommandOf(env.task_.actions[a], action[a]);
  }

  const int warned = DivergenceCount(d->warning);
  const ActuatorSettings* settings =
      env.actuator_settings_.data() + static_cast<std::size_t>(w) * m->nu;
  bool diverged = false;
  for (int k = 0; k < env.substeps_ && !diverged; ++k) {
    for (std::size_t a = 0; a < na; ++a) {
      const int u = env.action_actuator_[a];
      const double held = DelayedAverage({commands + a * depth, static_cast<std::size_t>(depth)},
                                         env.task_.control_period, settings[u].delay,
                                         k * m->opt.timestep, m->opt.timestep);
      d->ctrl[u] = ActuatorInput(settings[u], held);
    }
    mj_step(m, d);
    diverged = DivergenceCount(d->warning) != warned;
  }

  ++env.step_[w];
  const auto all = [&](const std::vector<CompiledCondition>& conditions) {
    for (const CompiledCondition& c : conditions) {
      if (!Holds(c, d->qpos, d->qvel)) return false;
    }
    return !conditions.empty();
  };
  const bool success_now = !diverged && all(env.terms_.success);
  env.held_[w] = success_now ? env.held_[w] + 1 : 0;
  double reward = 0.0;
  float clipped[kMostActions];
  for (std::size_t a = 0; a < na; ++a) clipped[a] = std::clamp(action[a], -1.0f, 1.0f);
  const std::span<const float> taken(clipped, na);
  if (!diverged) {
    for (const CompiledReward& r : env.terms_.rewards) {
      reward += RewardValue(r, d->qpos, d->qvel, taken, env.previous_actions_.row(w), success_now);
    }
  }
  std::copy(taken.begin(), taken.end(), env.previous_actions_.row(w).begin());
  env.rewards_[w] = reward;
  env.return_[w] += reward;

  EpisodeEnd end = EpisodeEnd::kRunning;
  if (env.step_[w] >= env.horizon_steps_) end = EpisodeEnd::kHorizon;
  for (const CompiledCondition& c : env.terms_.terminations) {
    if (!diverged && Holds(c, d->qpos, d->qvel)) end = EpisodeEnd::kTerminated;
  }
  if (diverged) end = EpisodeEnd::kDiverged;
  env.ends_[w] = end;
  if (!diverged) env.Measure(w, d->qpos, d->qvel);  // a diverged world's last measurement stays
  PushFrame(env.frames(w), env.layout_.frame_size(), env.measurements_.row(w), taken);
  env.layout_.Write(env.frames(w), env.observations_.row(w));
}

void Environments::Step(ActFunction act, const void* context) {
  act_ = act;
  act_context_ = context;
  ids_.clear();
  for (int w = 0; w < options_.worlds; ++w) {
    if (running_[w]) ids_.push_back(w);
  }
  finished_.clear();
  if (ids_.empty()) return;
  mjb_apply(batch_.get(), ids_.data(), static_cast<int>(ids_.size()), &Environments::StepOne, this,
            1);
  FinishSteps();
}

// Books what ended, in world order, and begins new episodes.
void Environments::FinishSteps() {
  const int* status = mjb_status(batch_.get());
  std::copy(observations_.values().begin(), observations_.values().end(),
            final_observations_.values().begin());
  std::size_t restarted = 0;
  for (int w : ids_) {
    if (status[w] != 0) ends_[w] = EpisodeEnd::kDiverged;  // the engine raised an error
    if (ends_[w] == EpisodeEnd::kRunning) continue;
    const bool held = held_[w] >= hold_steps_;
    EpisodeSummary summary{w,
                           Address(w, Purpose::kGapDraw, 0).unit,
                           episode_[w],
                           ends_[w],
                           held && ends_[w] == EpisodeEnd::kHorizon,
                           return_[w],
                           step_[w],
                           -1.0};
    if (summary.success) summary.settle_time = (step_[w] - held_[w]) * task_.control_period;
    finished_.push_back(summary);
    if (options_.auto_reset) {
      const EpisodeEnd end = ends_[w];
      ++episode_[w];
      BeginEpisode(w);
      ends_[w] = end;
      ids_[restarted++] = w;
    } else {
      running_[w] = 0;
    }
  }
  if (restarted > 0 && plan_->needs_set_const()) {
    mjb_setConst(batch_.get(), ids_.data(), static_cast<int>(restarted));
  }
}

int Environments::running_count() const {
  return static_cast<int>(std::count(running_.begin(), running_.end(), std::uint8_t{1}));
}

std::span<const mjtNum> Environments::qpos(int w) const {
  return {qpos_base_ + static_cast<std::size_t>(w) * state_size_,
          static_cast<std::size_t>(model().nq)};
}
std::span<const mjtNum> Environments::qvel(int w) const {
  return {qvel_base_ + static_cast<std::size_t>(w) * state_size_,
          static_cast<std::size_t>(model().nv)};
}

void Environments::SetState(int w, std::span<const mjtNum> qpos, std::span<const mjtNum> qvel) {
  std::copy(qpos.begin(), qpos.end(), qpos_base_ + static_cast<std::size_t>(w) * state_size_);
  std::copy(qvel.begin(), qvel.end(), qvel_base_ + static_cast<std::size_t>(w) * state_size_);
  Measure(w, qpos.data(), qvel.data());
  FillFrames(frames(w), layout_.frame_size(), measurements_.row(w));
  layout_.Write(frames(w), observations_.row(w));
}

std::span<const ActuatorSettings> Environments::actuator_settings(int w) const {
  const std::size_t nu = model().nu;
  return {actuator_settings_.data() + w * nu, nu};
}
std::span<const ChannelSettings> Environments::channel_settings(int w) const {
  const std::size_t nc = channel_names_.size();
  return {channel_settings_.data() + w * nc, nc};
}

void Environments::Save(Record& record) const {
  const std::size_t rows = static_cast<std::size_t>(options_.worlds) * state_size_;
  record.Put("env.state", std::span<const mjtNum>(mjb_state(batch_.get()), rows));
  record.Put("env.episode", episode_);
  record.Put("env.step", step_);
  record.Put("env.held", held_);
  record.Put("env.return", return_);
  record.Put("env.running", running_);
  record.Put("env.commands", commands_);
  record.Put("env.frames", frames_);
  record.Put("env.previous_actions", previous_actions_.values());
  record.Put("env.measurements", measurements_.values());
  record.Put("env.observations", observations_.values());
}

Status Environments::Load(const Record& record) {
  RW_TRY(record.Get("env.episode", episode_));
  for (int w = 0; w < options_.worlds; ++w)
    BeginEpisode(w);  // the draws are functions of the episode
  if (plan_->needs_set_const()) mjb_setConst(batch_.get(), nullptr, 0);
  const std::size_t rows = static_cast<std::size_t>(options_.worlds) * state_size_;
  RW_TRY(record.Get("env.state", std::span<mjtNum>(mjb_state(batch_.get()), rows)));
  RW_TRY(record.Get("env.step", step_));
  RW_TRY(record.Get("env.held", held_));
  RW_TRY(record.Get("env.return", return_));
  RW_TRY(record.Get("env.running", running_));
  RW_TRY(record.Get("env.commands", commands_));
  RW_TRY(record.Get("env.frames", frames_));
  RW_TRY(record.Get("env.previous_actions", previous_actions_.values()));
  RW_TRY(record.Get("env.measurements", measurements_.values()));
  RW_TRY(record.Get("env.observations", observations_.values()));
  return {};
}

std::string Environments::StateHash() const {
  Sha256 hash;
  const std::size_t rows = static_cast<std::size_t>(options_.worlds) * state_size_;
  hash.UpdateValues(std::span<const mjtNum>(mjb_state(batch_.get()), rows));
  return hash.Hex();
}

}  // namespace realward
