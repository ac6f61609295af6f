#include "fit/shooting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "sim/command_path.h"
#include "sim/drivetrain.h"

namespace realward {
namespace {

constexpr double kUnphysical = 1e8;  // |position| or |velocity| beyond this is a divergence
// Stamps this close to a physics step's end belong to it (log time is decimal, steps add up).
constexpr double kStampSlack = 1e-9;
// Commands older than this before a segment are never needed: the longest delay there is.
constexpr double kLongestDelay = 0.25;

// Everything RunShot reads and writes, as plain pointers: MuJoCo may leave the function by longjmp.
struct ShotWork {
  const Segment* segment;
  const double* state;
  const double* times;
  std::size_t samples;
  const double* commands;  // actuators × samples
  const Drivetrain* train;
  WorldView world;
  DrivetrainState drive;
  std::size_t* hints;
  double* previous;  // state before the current step
  double* predictions;
  double* end;
  std::uint8_t* diverged;
};

void StoreState(const mjModel* m, const mjData* d, double* state) {
  for (int i = 0; i < m->nv; ++i) {
    state[i] = d->qpos[i];
    state[m->nv + i] = d->qvel[i];
  }
}

bool IsPhysical(const mjModel* m, const mjData* d) {
  if (DivergenceCount(d->warning) > 0) return false;
  for (int i = 0; i < m->nv; ++i) {
    if (!(std::abs(d->qpos[i]) < kUnphysical) || !(std::abs(d->qvel[i]) < kUnphysical))
      return false;
  }
  return true;
}

// Writes the channels of one sample at a fraction of the way from `previous` to the current state.
void Predict(const ShotWork& work, const mjModel* m, const mjData* d, double fraction,
             std::size_t sample) {
  double* out = work.predictions + (sample - work.segment->first) * 2 * m->nv;
  for (int i = 0; i < m->nv; ++i) {
    const double q = work.previous[i];
    const double v = work.previous[m->nv + i];
    out[2 * i] = q + fraction * (d->qpos[i] - q) + work.world.channels[2 * i].offset;
    out[2 * i + 1] = v + fraction * (d->qvel[i] - v) + work.world.channels[2 * i + 1].offset;
  }
}

// The command that has arrived at actuator a, averaged over the physics step from `at`.
double Arrived(const ShotWork& work, int a, double at, double h) {
  return HeldAverage({work.times, work.samples}, {work.commands + a * work.samples, work.samples},
                     at - work.world.actuators[a].delay, h, work.hints[a]);
}

// A lag that a log does not show: as if the command that acts at the start had acted for long.
void Settle(const ShotWork& work, const mjModel* m) {
  ResetDrivetrain(*work.train, work.world, m->dof_frictionloss, work.drive);
  for (std::size_t a = 0; a < work.drive.actuators.size(); ++a) {
    const double held = Arrived(work, static_cast<int>(a), work.segment->begin, m->opt.timestep);
    ActuatorMemory& memory = work.drive.actuators[a];
    ActuatorSettings instant = work.world.actuators[a];
    instant.rate_limit = kNoLimit;
    instant.lag = instant.second_lag = 0.0;
    ShapedCommand(instant, memory, held, m->opt.timestep);
  }
}

void RunShot(const mjModel* m, mjData* d, int shot, void* arg) {
  const ShotWork& work = static_cast<const ShotWork*>(arg)[shot];
  const Segment& segment = *work.segment;
  const double h = m->opt.timestep;
  for (int i = 0; i < m->nv; ++i) {
    d->qpos[i] = work.state[i];
    d->qvel[i] = work.state[m->nv + i];
  }
  for (int i = 0; i < mjNWARNING; ++i) d->warning[i].number = 0;
  Settle(work, m);
  StoreState(m, d, work.previous);
  std::size_t next = segment.first;
  while (next < segment.last && work.times[next] <= segment.begin + kStampSlack) {
    Predict(work, m, d, 1.0, next++);
  }
  for (int step = 0; step < segment.steps; ++step) {
    const double at = segment.begin + step * h;
    for (int a = 0; a < m->nu; ++a) {
      d->ctrl[a] = DriveInput(*work.train, work.world, work.drive, a, Arrived(work, a, at, h), h);
    }
    BeforeStep(*work.train, m, d, work.world, work.drive);
    StoreState(m, d, work.previous);
    mj_step(m, d);
    if (!IsPhysical(m, d)) return;
    AfterStep(*work.train, m, d, work.world, work.drive);
    const bool is_last_step = step + 1 == segment.steps;
    while (next < segment.last && (is_last_step || work.times[next] <= at + h + kStampSlack)) {
      Predict(work, m, d, std::min(1.0, (work.times[next] - at) / h), next);
      ++next;
    }
  }
  StoreState(m, d, work.end);
  *work.diverged = 0;
}

Status CheckModel(const mjModel& model) {
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  for (int j = 0; j < model.njnt; ++j) {
    if (model.jnt_type[j] != mjJNT_HINGE && model.jnt_type[j] != mjJNT_SLIDE) {
      return InvalidInput(fmt::format(
          "joint '{}' is a ball or free joint; a fit supports models of hinge and slide joints",
          joints[j]));
    }
  }
  if (model.nv == 0) return InvalidInput("the model has no joint, so there is nothing to fit");
  if (model.na > 0) {
    return InvalidInput(
        "the model has actuators with a state of their own (dyntype), whose start no log shows; a "
        "fit supports actuators without");
  }
  return {};
}

}  // namespace

Result<Shooter> Shooter::Make(const mjModel& model, const GapSpec& gap, std::span<const Log> logs,
                              int threads) {
  RW_TRY(CheckModel(model));
  RW_ASSIGN(WorldPlan plan, WorldPlan::Make(model, gap));
  Shooter shooter(std::move(plan));
  shooter.logs_ = logs;
  shooter.threads_ = threads;
  shooter.channels_ = NamesOf(JointChannels(model));
  shooter.nominal_ = CopyModel(model);
  shooter.plan_.Prepare(*shooter.nominal_);
  shooter.train_ = MakeDrivetrain(*shooter.nominal_, shooter.plan_);
  shooter.scratch_ = MakeData(model);
  for (const Log& log : logs) RW_TRY(shooter.AddLog(log));
  // Logged commands are clipped before the delay; the engine must not clip what offset adds.
  std::fill_n(shooter.nominal_->actuator_ctrllimited, model.nu, mjtBool{0});
  return shooter;
}

Status Shooter::AddLog(const Log& log) {
  const std::size_t samples = log.time_s.size();
  if (samples < 2) {
    return InvalidInput(
        fmt::format("log {} has {} samples; a fit needs two at least", log.name, samples));
  }
  RW_CHECK(log.values.rows() == samples && log.values.cols() == log.channels.size());
  RW_CHECK(log.commands.rows() == samples && log.commands.cols() == log.actuators.size());
  std::vector<int> columns;
  for (const std::string& channel : channels_) {
    const auto found = std::find(log.channels.begin(), log.channels.end(), channel);
    columns.push_back(found == log.channels.end() ? -1
                                                  : static_cast<int>(found - log.channels.begin()));
  }
  if (std::all_of(columns.begin(), columns.end(), [](int column) { return column < 0; })) {
    return InvalidInput(
        fmt::format("log {} has no channel of the model; it has {}, the model has {}", log.name,
                    JoinChoices(log.channels), JoinChoices(channels_)));
  }
  const mjModel& m = *nominal_;
  const std::vector<std::string> actuators = ObjectNames(m, mjOBJ_ACTUATOR);
  Matrix<double> commands(m.nu, samples);
  for (int a = 0; a < m.nu; ++a) {
    const auto found = std::find(log.actuators.begin(), log.actuators.end(), actuators[a]);
    if (found == log.actuators.end()) {
      return InvalidInput(
          fmt::format("log {} has no command for actuator '{}' of the model; it "
                      "has: {}",
                      log.name, actuators[a], JoinChoices(log.actuators)));
    }
    const auto column = static_cast<std::size_t>(found - log.actuators.begin());
    double command = 0.0;
    for (std::size_t k = 0; k < samples; ++k) {
      if (std::isfinite(log.commands(k, column))) command = log.commands(k, column);
      if (m.actuator_ctrllimited[a] != 0) {
        command = std::clamp(command, m.actuator_ctrlrange[2 * a], m.actuator_ctrlrange[2 * a + 1]);
      }
      commands(a, k) = command;
    }
  }
  columns_.push_back(std::move(columns));
  commands_.push_back(std::move(commands));
  return {};
}

Status Shooter::ReserveShots(std::size_t shots) {
  const std::size_t have = batch_ ? static_cast<std::size_t>(mjb_nsim(batch_.get())) : 0;
  if (shots <= have) return {};
  RW_ASSIGN(batch_, MakeBatch(*nominal_, static_cast<int>(shots),
                              std::min(threads_, static_cast<int>(shots))));
  ids_.resize(shots);
  for (std::size_t i = 0; i < shots; ++i) ids_[i] = static_cast<int>(i);
  shot_models_.assign(shots, nullptr);
  hints_.resize(shots * nominal_->nu);
  previous_.resize(shots * state_size());
  if (train_.has_path) memory_.resize(shots * nominal_->nu);
  if (train_.has_friction) loads_.resize(shots * nominal_->njnt);
  supply_.resize(shots);
  // A force range or friction that follows the state is written into the model that runs.
  while (train_.writes_model() && own_models_.size() < shots)
    own_models_.push_back(CopyModel(*nominal_));
  return {};
}

void Shooter::SetWorlds(MatrixView<const double> parameters) {
  RW_CHECK(parameters.cols() == plan_.parameter_count());
  while (models_.size() < parameters.rows()) {
    models_.push_back(CopyModel(*nominal_));
    stores_.emplace_back(*nominal_);
  }
  for (std::size_t w = 0; w < parameters.rows(); ++w) {
    plan_.Apply(parameters.row(w), stores_[w].On(RowsOf(*models_[w])));
    if (plan_.needs_set_const()) mj_setConst(models_[w].get(), scratch_.get());
  }
}

WorldView Shooter::ViewOf(int world) const {
  const WorldStore& store = stores_[world];
  return {store.actuators, store.joints, store.channels, &store.world};
}

const mjModel* Shooter::ModelOf(std::size_t i, const Shot& shot,
                                MatrixView<const double> parameters) {
  if (!train_.writes_model()) return models_[shot.world].get();
  mjModel& own = *own_models_[i];
  WorldStore store = stores_[shot.world];
  plan_.Apply(parameters.row(shot.world), store.On(RowsOf(own)));
  if (plan_.needs_set_const()) mj_setConst(&own, scratch_.get());
  return &own;
}

Status Shooter::Simulate(MatrixView<const double> parameters, std::span<const Shot> shots,
                         ShotResults& results) {
  RW_TRY(ReserveShots(shots.size()));
  SetWorlds(parameters);
  const std::size_t channels = channels_.size();
  const std::size_t state = state_size();
  results.offset.resize(shots.size());
  std::size_t total = 0;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    results.offset[i] = total;
    total += (shots[i].segment->last - shots[i].segment->first) * channels;
  }
  results.predictions.assign(total, 0.0);
  results.end = Matrix<double>(shots.size(), state);
  results.diverged.assign(shots.size(), 1);
  std::vector<ShotWork> work(shots.size());
  const std::size_t path = train_.has_path ? nominal_->nu : 0;
  const std::size_t gears = train_.has_friction ? nominal_->njnt : 0;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    const Shot& shot = shots[i];
    RW_CHECK(shot.state.size() == state);
    const std::vector<double>& times = logs_[shot.segment->log].time_s;
    const auto hint =
        std::lower_bound(times.begin(), times.end(), shot.segment->begin - kLongestDelay) -
        times.begin();
    std::fill_n(hints_.begin() + i * nominal_->nu, nominal_->nu,
                std::max<std::size_t>(hint, 1) - 1);
    shot_models_[i] = ModelOf(i, shot, parameters);
    work[i] = {shot.segment,
               shot.state.data(),
               times.data(),
               times.size(),
               commands_[shot.segment->log].values().data(),
               &train_,
               ViewOf(shot.world),
               {{memory_.data() + i * path, path}, {loads_.data() + i * gears, gears}, &supply_[i]},
               hints_.data() + i * nominal_->nu,
               previous_.data() + i * state,
               results.predictions.data() + results.offset[i],
               results.end.values().data() + i * state,
               &results.diverged[i]};
  }
  std::replace(shot_models_.begin(), shot_models_.end(), static_cast<const mjModel*>(nullptr),
               static_cast<const mjModel*>(models_[0].get()));  // of shots not asked for
  mjb_setModels(batch_.get(), shot_models_.data());
  ApplyBatch(batch_.get(), {ids_.data(), shots.size()}, RunShot, work.data(), false);
  for (std::size_t i = 0; i < shots.size(); ++i) {
    if (results.diverged[i] == 0) continue;
    std::fill_n(work[i].predictions, (shots[i].segment->last - shots[i].segment->first) * channels,
                0.0);
    std::fill_n(work[i].end, state, 0.0);
  }
  return {};
}

}  // namespace realward
