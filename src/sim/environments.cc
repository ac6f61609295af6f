#include "sim/environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/text.h"
#include "sim/command_path.h"
#include "spec/model_import.h"

namespace realward {
namespace {

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

Result<std::unique_ptr<Environments>> Environments::Make(const TaskSpec& task, const GapSpec& gap,
                                                         const EnvironmentOptions& options) {
  RW_CHECK(options.worlds >= 1 && options.threads >= 1);
  RW_ASSIGN(ModelPtr model, ImportModel(task.model_path, {.edit = options.edit_model}));
  // The range is applied to the command before the delay (PushCommands), so that an offset or a
  // strength is not clipped away at the actuator.
  std::fill(model->actuator_ctrllimited, model->actuator_ctrllimited + model->nu, mjtByte{0});
  std::unique_ptr<Environments> env(new Environments());
  env->task_ = task;
  env->options_ = options;
  RW_ASSIGN(WorldPlan plan, WorldPlan::Make(*model, gap));
  plan.Prepare(*model);
  env->plan_ = std::make_unique<WorldPlan>(std::move(plan));
  env->drawer_ = std::make_unique<Drawer>(gap);
  RW_TRY(env->ResolveTask(*model));
  RW_TRY(env->MakeRows(*model));
  env->Allocate();
  env->ResetAll();
  return env;
}

// Names become indices, durations become steps.
Status Environments::ResolveTask(const mjModel& model) {
  RW_ASSIGN(terms_, CompileTerms(model, task_));
  sensing_ = Sensing(model, *plan_, task_.control_period, options_.worlds);
  RW_ASSIGN(layout_, ObservationLayout::Make(task_.observations, channels(), action_size()));
  if (task_.actions.size() > kMostActions)
    return InvalidInput(fmt::format("the task has {} actions; at most {} are supported",
                                    task_.actions.size(), kMostActions));
  RW_ASSIGN(actuation_, Actuation::Make(model, task_, *plan_, options_.worlds));
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  std::vector<ResetTerm> resets = task_.resets;
  resets.insert(resets.end(), task_.train_resets.begin(), task_.train_resets.end());
  for (const ResetTerm& reset : resets) {
    if (std::find(joints.begin(), joints.end(), reset.joint) == joints.end())
      return InvalidInput(UnknownName("joint", reset.joint, joints));
  }
  const double ratio = task_.control_period / model.opt.timestep;
  substeps_ = static_cast<int>(std::lround(ratio));
  if (substeps_ < 1 || std::abs(ratio - substeps_) > 1e-6 * ratio) {
    return InvalidInput(
        fmt::format("the control period {} s is no whole multiple of the model's time step {} s",
                    task_.control_period, model.opt.timestep));
  }
  horizon_steps_ = WholeSteps(task_.horizon, task_.control_period);
  hold_steps_ = WholeSteps(task_.success_hold, task_.control_period);
  return {};
}

// The batch, and where its rows and per-world model fields lie.
Status Environments::MakeRows(const mjModel& model) {
  RW_ASSIGN(batch_, MakeBatch(model, options_.worlds, options_.threads));
  mjBatch* batch = batch_.get();
  state_size_ = mjb_nstate(batch);
  qpos_base_ = mjb_stateComponent(batch, mjSTATE_QPOS, nullptr);
  qvel_base_ = mjb_stateComponent(batch, mjSTATE_QVEL, nullptr);
  ctrl_base_ = mjb_stateComponent(batch, mjSTATE_CTRL, nullptr);
  for (ModelField field : plan_->touched_fields()) {
    int size = 0;
    void* rows = mjb_expand(batch, FieldName(field), &size, nullptr);
    RW_CHECK(rows != nullptr);
    field_base_[static_cast<int>(field)] = static_cast<mjtNum*>(rows);
    field_size_[static_cast<int>(field)] = size;
  }
  // One row as a fresh mjData has it, or as the task's keyframe: the start of every episode.
  DataPtr data = MakeData(model);
  if (!task_.keyframe.empty()) {
    const std::vector<std::string> keys = ObjectNames(model, mjOBJ_KEY);
    const auto key = std::find(keys.begin(), keys.end(), task_.keyframe);
    if (key == keys.end()) return InvalidInput(UnknownName("keyframe", task_.keyframe, keys));
    mj_resetDataKeyframe(&model, data.get(), static_cast<int>(key - keys.begin()));
  }
  couplings_ = JointCouplings(model);
  initial_row_.resize(state_size_);
  mj_getState(&model, data.get(), initial_row_.data(), mjSTATE_INTEGRATION);
  return {};
}

void Environments::Allocate() {
  const std::size_t n = options_.worlds;
  const std::size_t nc = channels().size();
  const std::size_t na = task_.actions.size();
  episode_.assign(n, 0);
  step_.assign(n, 0);
  held_.assign(n, 0);
  return_.assign(n, 0.0);
  running_.assign(n, 0);
  actuator_settings_.resize(n * model().nu);
  joint_settings_.resize(n * model().njnt);
  channel_settings_.resize(n * nc);
  world_settings_.resize(n);
  values_.resize(plan_->parameter_count());
  frames_.assign(n * layout_.depth() * layout_.frame_size(), 0.0);
  observations_ = Matrix<float>(n, layout_.size());
  final_observations_ = observations_;
  actions_ = Matrix<float>(n, na);
  previous_actions_ = actions_;
  measurements_ = Matrix<double>(n, nc);
  rewards_.assign(n, 0.0);
  ends_.assign(n, EpisodeEnd::kRunning);
  finished_.reserve(n);
  ids_.reserve(n);
}

// Leaves the world's index out: an episode depends on its unit, not on where it runs.
StreamId Environments::Address(int world, Purpose purpose, std::uint64_t step) const {
  const std::uint64_t n = static_cast<std::uint64_t>(options_.worlds);
  const std::uint64_t unit = options_.fresh_units
                                 ? options_.first_unit + episode_[world] * n + world
                                 : options_.first_unit + static_cast<std::uint64_t>(world);
  return {options_.seed, purpose, static_cast<std::uint32_t>(unit), 0, episode_[world], step};
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
  RecomputeConstants({});
  ids_.resize(options_.worlds);
  std::iota(ids_.begin(), ids_.end(), 0);
  MeasureFirstOfEngine(ids_);
  finished_.clear();
}

void Environments::Reset(int world, std::uint64_t episode) {
  episode_[world] = episode;
  BeginEpisode(world);
  RecomputeConstants({&world, 1});
  MeasureFirstOfEngine({&world, 1});
}

// After new draws. No worlds given: all. The plan refuses every draw that the engine would refuse.
void Environments::RecomputeConstants(std::span<const int> worlds) {
  if (!plan_->needs_set_const()) return;
  const int* ids = worlds.empty() ? nullptr : worlds.data();
  RW_CHECK(mjb_setConst(batch_.get(), ids, static_cast<int>(worlds.size())) == 0);
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
  for (float& a : previous_actions_.row(world)) a = 0.0f;
  if (!sensing_.uses_engine()) {
    const std::size_t row = static_cast<std::size_t>(world) * state_size_;
    MeasureFirst(world, {qpos_base_ + row, qvel_base_ + row});
  }
}

void Environments::MeasureFirst(int world, const TrueState& truth) {
  Measure(world, truth, true);
  FillFrames(frames(world), layout_.frame_size(), measurements_.row(world));
  layout_.Write(frames(world), observations_.row(world));
}

// The engine's sensors need its forward pass, in each world's own model after its constants.
void Environments::MeasureFirstOfEngine(std::span<const int> worlds) {
  if (!sensing_.uses_engine()) return;
  const auto sense = [](const mjModel* m, mjData* d, int w, void* env) {
    mj_forward(m, d);
    static_cast<Environments*>(env)->MeasureFirst(w, {d->qpos, d->qvel, d->sensordata});
  };
  ApplyBatch(batch_.get(), worlds, sense, this, true);
}

void Environments::Draw(int world) {
  const StreamId id = Address(world, Purpose::kGapDraw, 0);
  drawer_->Draw({id.seed, id.unit, id.world, id.episode}, values_);
  FieldRows rows{};
  for (int f = 0; f < kModelFieldCount; ++f) {
    if (field_base_[f] != nullptr)
      rows[f] = field_base_[f] + static_cast<std::size_t>(world) * field_size_[f];
  }
  const std::size_t nu = model().nu, nj = model().njnt, nc = channels().size();
  plan_->Apply(values_, {rows,
                         {actuator_settings_.data() + world * nu, nu},
                         {joint_settings_.data() + world * nj, nj},
                         {channel_settings_.data() + world * nc, nc},
                         &world_settings_[world]});
}

WorldView Environments::view(int world) const {
  const std::size_t nj = model().njnt;
  return {actuator_settings(world),
          {joint_settings_.data() + world * nj, nj},
          channel_settings(world),
          &world_settings_[world]};
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
  const int f = static_cast<int>(ModelField::kDofFrictionloss);
  const mjtNum* frictionloss =
      field_base_[f] != nullptr ? field_base_[f] + static_cast<std::size_t>(world) * field_size_[f]
                                : m.dof_frictionloss;
  actuation_.Reset(world, view(world), frictionloss,
                   ctrl_base_ + static_cast<std::size_t>(world) * state_size_);
  // Half and half: only wide starts would leave the start that counts to chance.
  const bool wide = options_.training && !task_.train_resets.empty() && stream.Uniform() < 0.5;
  for (const ResetTerm& term : wide ? task_.train_resets : task_.resets) {
    const int joint = mj_name2id(&m, mjOBJ_JOINT, term.joint.c_str());
    qpos[m.jnt_qposadr[joint]] = stream.Uniform(term.position_low, term.position_high);
    qvel[m.jnt_dofadr[joint]] = stream.Uniform(term.velocity_low, term.velocity_high);
  }
  FollowLeaders(couplings_, qpos, qvel);
}

void Environments::Measure(int world, const TrueState& truth, bool is_first) {
  const StreamId stream =
      Address(world, Purpose::kSensorNoise, static_cast<std::uint64_t>(step_[world]));
  sensing_.Read(world, channel_settings(world), world_settings_[world], truth, stream, is_first,
                measurements_.row(world));
}

// One control step of physics. false: the state left physics.
bool Environments::RunPhysics(const mjModel* m, mjData* d, int w) {
  const WorldView settings = view(w);
  const int warned = DivergenceCount(d->warning);
  for (int k = 0; k < substeps_; ++k) {
    actuation_.Drive(m, d, w, settings, k);
    mj_step(m, d);
    if (DivergenceCount(d->warning) != warned) return false;
    actuation_.Settle(m, d, w, settings);
  }
  // The engine looks at a state when the next step begins; the last one is looked at here.
  return std::none_of(d->qpos, d->qpos + m->nq, mju_isBad) &&
         std::none_of(d->qvel, d->qvel + m->nv, mju_isBad);
}

// Reward of the state after the step, and whether and how it ends the episode.
double Environments::Judge(const mjData* d, int w, std::span<const float> action) {
  const auto holds = [&](const CompiledCondition& c) { return Holds(c, d->qpos, d->qvel); };
  const bool success_now = std::all_of(terms_.success.begin(), terms_.success.end(), holds);
  held_[w] = success_now ? held_[w] + 1 : 0;
  double reward = 0.0;
  for (const CompiledReward& r : terms_.rewards)
    reward += RewardValue(r, d->qpos, d->qvel, action, previous_actions_.row(w), success_now);
  if (step_[w] >= horizon_steps_) ends_[w] = EpisodeEnd::kHorizon;
  if (std::any_of(terms_.terminations.begin(), terms_.terminations.end(), holds))
    ends_[w] = EpisodeEnd::kTerminated;
  return reward;
}

// Runs on the batch's threads. Holds nothing with a destructor across MuJoCo's calls, which may
// leave it by longjmp; Step has set what then holds.
void Environments::StepOne(const mjModel* m, mjData* d, int w, void* pointer) {
  Environments& env = *static_cast<Environments*>(pointer);
  const std::span<float> action = env.actions_.row(w);
  env.act_(env.act_context_,
           env.Address(w, Purpose::kPolicyNoise, static_cast<std::uint64_t>(env.step_[w] - 1)),
           env.observations_.row(w), action);
  float clipped[kMostActions];
  bool finite = true;
  for (std::size_t a = 0; a < action.size(); ++a) {
    finite = finite && std::isfinite(action[a]);
    clipped[a] = std::isfinite(action[a]) ? std::clamp(action[a], -1.0f, 1.0f) : 0.0f;
  }
  const std::span<const float> taken(clipped, action.size());
  env.actuation_.Push(
      w, env.view(w), taken,
      env.Address(w, Purpose::kActuatorNoise, static_cast<std::uint64_t>(env.step_[w])));
  if (finite && env.RunPhysics(m, d, w)) {
    env.ends_[w] = EpisodeEnd::kRunning;
    env.rewards_[w] = env.Judge(d, w, taken);
    env.return_[w] += env.rewards_[w];
    env.Measure(w, {d->qpos, d->qvel, d->sensordata},
                false);  // a diverged world's last measurement stays
  }
  std::copy(taken.begin(), taken.end(), env.previous_actions_.row(w).begin());
  PushFrame(env.frames(w), env.layout_.frame_size(), env.measurements_.row(w), taken);
  env.layout_.Write(env.frames(w), env.observations_.row(w));
}

void Environments::Step(ActFunction act, const void* context) {
  act_ = act;
  act_context_ = context;
  ids_.clear();
  for (int w = 0; w < options_.worlds; ++w) {
    rewards_[w] = 0.0;
    ends_[w] = EpisodeEnd::kRunning;
    if (!running_[w]) continue;
    ids_.push_back(w);
    ++step_[w];
    ends_[w] = EpisodeEnd::kDiverged;  // unless StepOne comes to its end
  }
  finished_.clear();
  if (ids_.empty()) return;
  ApplyBatch(batch_.get(), ids_, &Environments::StepOne, this, true);
  FinishSteps();
}

// Books what ended, in world order, and begins new episodes.
void Environments::FinishSteps() {
  std::copy(observations_.values().begin(), observations_.values().end(),
            final_observations_.values().begin());
  std::size_t restarted = 0;
  for (int w : ids_) {
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
  if (restarted == 0) return;
  RecomputeConstants({ids_.data(), restarted});
  MeasureFirstOfEngine({ids_.data(), restarted});
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
  if (sensing_.uses_engine()) {
    MeasureFirstOfEngine({&w, 1});
  } else {
    MeasureFirst(w, {qpos.data(), qvel.data()});
  }
}

std::span<const ActuatorSettings> Environments::actuator_settings(int w) const {
  const std::size_t nu = model().nu;
  return {actuator_settings_.data() + w * nu, nu};
}
std::span<ActuatorSettings> Environments::mutable_actuator_settings(int w) {
  const std::size_t nu = model().nu;
  return {actuator_settings_.data() + w * nu, nu};
}
std::span<const ChannelSettings> Environments::channel_settings(int w) const {
  const std::size_t nc = channels().size();
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
  actuation_.Save(record);
  sensing_.Save(record);
  record.Put("env.frames", frames_);
  record.Put("env.previous_actions", previous_actions_.values());
  record.Put("env.measurements", measurements_.values());
  record.Put("env.observations", observations_.values());
}

Status Environments::Load(const Record& record) {
  RW_TRY(record.Get("env.episode", episode_));
  for (int w = 0; w < options_.worlds; ++w)
    BeginEpisode(w);  // the draws are functions of the episode
  RecomputeConstants({});
  finished_.clear();
  const std::size_t rows = static_cast<std::size_t>(options_.worlds) * state_size_;
  RW_TRY(record.Get("env.state", std::span<mjtNum>(mjb_state(batch_.get()), rows)));
  RW_TRY(record.Get("env.step", step_));
  RW_TRY(record.Get("env.held", held_));
  RW_TRY(record.Get("env.return", return_));
  RW_TRY(record.Get("env.running", running_));
  RW_TRY(actuation_.Load(record));
  RW_TRY(sensing_.Load(record));
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
