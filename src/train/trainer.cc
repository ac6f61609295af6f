#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/mujoco.h"
#include "base/random.h"
#include "base/record.h"
#include "sim/contract.h"
#include "sim/environments.h"
#include "train/gae.h"
#include "train/normaliser.h"
#include "train/ppo.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecentEpisodes = 100;
constexpr float kRewardClip = 10.0f;
constexpr float kObservationClip = 10.0f;
constexpr int kCheckpointsKept = 2;

// What the acting threads read. Frozen during a rollout.
struct Actor {
  PolicyNetwork network;
  std::vector<float> std;
};

void Act(const void* context, const StreamId& id, std::span<const float> observation,
         std::span<float> action) {
  const Actor& actor = *static_cast<const Actor*>(context);
  PolicyForward(actor.network, observation, action);
  Stream stream(id);
  for (std::size_t a = 0; a < action.size(); ++a)
    action[a] += actor.std[a] * static_cast<float>(stream.Normal());
}

// One rollout: steps × worlds of everything the learner needs.
struct Rollout {
  int steps = 0, worlds = 0, observation_size = 0, action_size = 0;
  std::vector<float> observations, next_observations, actions;
  Matrix<float> rewards, values, next_values, advantages;
  Matrix<StepEnd> ends;

  Rollout(int t, int n, int obs, int act)
      : steps(t),
        worlds(n),
        observation_size(obs),
        action_size(act),
        observations(static_cast<std::size_t>(t) * n * obs),
        next_observations(observations.size()),
        actions(static_cast<std::size_t>(t) * n * act),
        rewards(t, n),
        values(t, n),
        next_values(t, n),
        advantages(t, n),
        ends(t, n) {}
};

class Runner {
 public:
  explicit Runner(const TrainJob& job) : job_(job) {}
  Result<TrainOutcome> Run();

 private:
  Status Begin();
  Status RestoreIfAny();
  void Collect();
  PpoStats Learn();
  void Book(const PpoStats& stats);
  Status WriteCheckpoint();
  Json Identity() const;
  void RefreshActor();
  void Normalise(std::span<const float> raw, std::vector<float>& out) const;
  std::string CheckpointPath(std::int64_t update) const;

  const TrainJob& job_;
  std::unique_ptr<Environments> env_;
  std::unique_ptr<PpoLearner> learner_;
  std::unique_ptr<RunningMoments> moments_;
  std::unique_ptr<RewardScaler> scaler_;
  std::unique_ptr<Rollout> rollout_;
  Actor actor_;
  std::int64_t updates_ = 0, update_ = 0, steps_per_update_ = 0;
  std::int64_t episodes_ = 0, diverged_ = 0;
  std::deque<std::pair<double, bool>> recent_;  // return, success
  std::vector<CurvePoint> curve_;
  std::vector<std::string> notes_;
};

// Everything that must agree for a checkpoint to continue this job.
Json Runner::Identity() const {
  return {{"task", HashJson(ToJson(job_.task))}, {"gap", HashJson(ToJson(job_.gap))},
          {"train", ToJson(job_.spec)},          {"seed", job_.seed},
          {"mujoco", MujocoVersion()},           {"format", 1}};
}

Status Runner::Begin() {
  EnvironmentOptions options;
  options.worlds = job_.spec.worlds;
  options.threads = job_.threads;
  options.seed = job_.seed;
  options.fresh_units = true;
  options.training = true;
  RW_ASSIGN(env_, Environments::Make(job_.task, job_.gap, options));
  const int n = job_.spec.worlds, t = job_.spec.rollout_steps;
  learner_ = std::make_unique<PpoLearner>(env_->observation_size(), env_->action_size(), job_.spec,
                                          job_.seed, job_.threads);
  moments_ = std::make_unique<RunningMoments>(env_->observation_size());
  scaler_ = std::make_unique<RewardScaler>(n, job_.spec.discount);
  rollout_ = std::make_unique<Rollout>(t, n, env_->observation_size(), env_->action_size());
  steps_per_update_ = static_cast<std::int64_t>(n) * t;
  updates_ = std::max<std::int64_t>(1, job_.spec.steps / steps_per_update_);
  // The first statistics come from the start states, so that the first rollout is scaled already.
  moments_->Add(env_->observations());
  RW_TRY(MakeFolders(job_.folder));
  return {};
}

std::string Runner::CheckpointPath(std::int64_t update) const {
  return fmt::format("{}/update_{:08}.checkpoint", job_.folder, update);
}

Status Runner::RestoreIfAny() {
  const CheckpointChoice choice = FindCheckpoint(job_.folder);
  for (const std::string& why : choice.rejected) notes_.push_back("checkpoint rejected: " + why);
  if (choice.path.empty()) return {};
  RW_ASSIGN(const Record record, ReadRecord(choice.path));
  const Json identity = record.meta.value("identity", Json());
  if (identity != Identity()) {
    return Refused(fmt::format(
        "{} belongs to another run:\n  checkpoint {}\n  this run   {}\nUse another folder, or "
        "start afresh without --resume.",
        choice.path, identity.dump(), Identity().dump()));
  }
  RW_TRY(env_->Load(record));
  RW_TRY(learner_->Load(record));
  RW_TRY(moments_->Load(record, "observations"));
  RW_TRY(scaler_->Load(record));
  update_ = record.meta.at("update");
  episodes_ = record.meta.at("episodes");
  diverged_ = record.meta.at("diverged");
  recent_.clear();
  for (const Json& entry : record.meta.at("recent")) recent_.emplace_back(entry.at(0), entry.at(1));
  RW_ASSIGN(curve_, CurveFromCsv(record.meta.at("curve")));
  notes_.push_back(fmt::format("resumed after update {} of {}", update_, updates_));
  return {};
}

Status Runner::WriteCheckpoint() {
  Record record;
  env_->Save(record);
  learner_->Save(record);
  moments_->Save(record, "observations");
  scaler_->Save(record);
  Json recent = Json::array();
  for (const auto& [value, success] : recent_) recent.push_back({value, success});
  record.meta = {{"identity", Identity()}, {"update", update_}, {"episodes", episodes_},
                 {"diverged", diverged_},  {"recent", recent},  {"curve", CurveToCsv(curve_)}};
  RW_TRY(WriteRecord(CheckpointPath(update_), record));
  // The older ones go only after the new one is whole.
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(job_.folder)) {
    if (entry.path().extension() == ".checkpoint") paths.push_back(entry.path().string());
  }
  std::sort(paths.rbegin(), paths.rend());
  for (std::size_t i = kCheckpointsKept; i < paths.size(); ++i) {
    std::error_code ignored;
    fs::remove(paths[i], ignored);
  }
  return {};
}

void Runner::RefreshActor() {
  actor_.network.layers = learner_->PolicyLayers();
  actor_.std = learner_->ActionStd();
  const int size = env_->observation_size();
  actor_.network.observation_mean.assign(size, 0.0f);
  actor_.network.observation_std.assign(size, 1.0f);
  actor_.network.observation_clip = kObservationClip;
  if (!job_.spec.normalise_observations) return;
  for (int i = 0; i < size; ++i) {
    actor_.network.observation_mean[i] = static_cast<float>(moments_->mean()[i]);
    // A constant observation (spread ~ 0) is centred, not blown up.
    actor_.network.observation_std[i] = std::max(1e-3f, static_cast<float>(moments_->Spread(i)));
  }
}

void Runner::Normalise(std::span<const float> raw, std::vector<float>& out) const {
  const int size = env_->observation_size();
  out.resize(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::size_t c = i % size;
    const float z =
        (raw[i] - actor_.network.observation_mean[c]) / actor_.network.observation_std[c];
    out[i] = std::clamp(z, -kObservationClip, kObservationClip);
  }
}

void Runner::Collect() {
  RefreshActor();
  Rollout& r = *rollout_;
  const std::size_t n = r.worlds;
  auto ended = std::make_unique<bool[]>(n);
  for (int t = 0; t < r.steps; ++t) {
    const auto now = env_->observations().flat();
    std::copy(now.begin(), now.end(),
              r.observations.begin() + static_cast<std::ptrdiff_t>(t * now.size()));
    env_->Step(&Act, &actor_);
    const auto next = env_->final_observations().flat();
    std::copy(next.begin(), next.end(),
              r.next_observations.begin() + static_cast<std::ptrdiff_t>(t * next.size()));
    const auto actions = env_->actions().flat();
    std::copy(actions.begin(), actions.end(),
              r.actions.begin() + static_cast<std::ptrdiff_t>(t * actions.size()));
    for (std::size_t w = 0; w < n; ++w) {
      const EpisodeEnd end = env_->ends()[w];
      r.rewards(t, w) = static_cast<float>(env_->rewards()[w]);
      r.ends(t, w) = end == EpisodeEnd::kRunning   ? StepEnd::kNone
                     : end == EpisodeEnd::kHorizon ? StepEnd::kTruncated
                                                   : StepEnd::kTerminated;
      ended[w] = end != EpisodeEnd::kRunning;
    }
    if (job_.spec.normalise_returns) scaler_->Add(env_->rewards(), {ended.get(), n});
    for (const EpisodeSummary& episode : env_->finished()) {
      ++episodes_;
      if (episode.end == EpisodeEnd::kDiverged) ++diverged_;
      recent_.emplace_back(episode.episode_return, episode.success);
      if (recent_.size() > kRecentEpisodes) recent_.pop_front();
    }
  }
}

PpoStats Runner::Learn() {
  Rollout& r = *rollout_;
  const float scale = job_.spec.normalise_returns ? static_cast<float>(scaler_->Scale()) : 1.0f;
  for (float& reward : r.rewards.values())
    reward = std::clamp(reward * scale, -kRewardClip, kRewardClip);
  const std::size_t samples = r.rewards.values().size();
  const std::size_t width = r.observation_size;
  std::vector<float> observations, next;
  Normalise(r.observations, observations);
  Normalise(r.next_observations, next);
  learner_->Values({observations.data(), samples, width}, r.values.values());
  learner_->Values({next.data(), samples, width}, r.next_values.values());
  ComputeAdvantages(r.rewards.view(), r.values.view(), r.next_values.view(), r.ends.view(),
                    job_.spec.discount, job_.spec.gae_lambda, r.advantages.view());
  std::vector<float> returns(samples);
  for (std::size_t i = 0; i < samples; ++i)
    returns[i] = r.advantages.values()[i] + r.values.values()[i];
  const PpoBatch batch{{observations.data(), samples, width},
                       {r.actions.data(), samples, static_cast<std::size_t>(r.action_size)},
                       r.advantages.values(),
                       returns};
  const double progress = static_cast<double>(update_) / static_cast<double>(updates_);
  const PpoStats stats = learner_->Update(batch, progress, static_cast<std::uint64_t>(update_));
  // The statistics that the policy acted with stay until its update is done.
  moments_->Add({r.observations.data(), samples, width});
  return stats;
}

void Runner::Book(const PpoStats& stats) {
  CurvePoint point;
  point.steps = update_ * steps_per_update_;
  point.episodes = episodes_;
  point.diverged = diverged_;
  for (const auto& [value, success] : recent_) {
    point.mean_return += value / static_cast<double>(recent_.size());
    point.success_rate += (success ? 1.0 : 0.0) / static_cast<double>(recent_.size());
  }
  point.policy_loss = stats.policy_loss;
  point.value_loss = stats.value_loss;
  point.kl = stats.kl;
  point.entropy = stats.entropy;
  point.learning_rate = stats.learning_rate;
  curve_.push_back(point);
  if (job_.progress) job_.progress(point, updates_ * steps_per_update_);
}

Result<TrainOutcome> Runner::Run() {
  RW_TRY(Begin());
  if (job_.resume) RW_TRY(RestoreIfAny());
  while (update_ < updates_) {
    if (job_.stop != nullptr && job_.stop->load()) {
      RW_TRY(WriteCheckpoint());
      return Interrupted(fmt::format(
          "training of '{}' stopped after {} of {} updates; continue with --resume ({})", job_.name,
          update_, updates_, CheckpointPath(update_)));
    }
    Collect();
    const PpoStats stats = Learn();
    ++update_;
    if (!stats.finite) {
      return Refused(fmt::format(
          "training of '{}' left the finite numbers in update {} (last KL {}, value loss {}); "
          "the last checkpoint is kept. A smaller learning rate or reward scale may help.",
          job_.name, update_, stats.kl, stats.value_loss));
    }
    Book(stats);
    if (update_ % job_.spec.checkpoint_every == 0 || update_ == updates_) RW_TRY(WriteCheckpoint());
  }
  RefreshActor();
  TrainOutcome outcome;
  outcome.policy.name = job_.name;
  outcome.policy.contract = MakeContract(job_.task);
  outcome.policy.provenance = Identity();
  outcome.policy.provenance["steps"] = updates_ * steps_per_update_;
  outcome.policy.network = actor_.network;
  outcome.policy.action_std = actor_.std;
  outcome.curve = curve_;
  outcome.notes = notes_;
  return outcome;
}

constexpr char kCurveHeader[] =
    "steps,mean_return,success_rate,episodes,diverged,policy_loss,value_loss,kl,entropy,learning_"
    "rate";

}  // namespace

CheckpointChoice FindCheckpoint(const std::string& folder) {
  CheckpointChoice choice;
  std::vector<std::string> paths;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".tmp") && name.find(".checkpoint") != std::string::npos) {
      choice.rejected.push_back(entry.path().string() + ": unfinished");
    } else if (name.ends_with(".checkpoint")) {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.rbegin(), paths.rend());
  for (const std::string& path : paths) {
    const Result<Record> record = ReadRecord(path);
    if (record.ok()) {
      choice.path = path;
      break;
    }
    choice.rejected.push_back(record.error().message);
  }
  return choice;
}

std::string CurveToCsv(const std::vector<CurvePoint>& curve) {
  std::string text = std::string(kCurveHeader) + "\n";
  for (const CurvePoint& p : curve) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", p.steps, p.mean_return, p.success_rate,
                        p.episodes, p.diverged, p.policy_loss, p.value_loss, p.kl, p.entropy,
                        p.learning_rate);
  }
  return text;
}

Result<std::vector<CurvePoint>> CurveFromCsv(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kCurveHeader)
    return InvalidInput("this is no learning curve");
  std::vector<CurvePoint> curve;
  while (std::getline(lines, line)) {
    std::vector<double> cells;
    const char* at = line.data();
    const char* end = line.data() + line.size();
    while (at < end) {
      double value = 0.0;
      const auto [rest, code] = std::from_chars(at, end, value);
      if (code != std::errc())
        return InvalidInput("learning curve: not a number in '" + line + "'");
      cells.push_back(value);
      at = rest < end ? rest + 1 : rest;
    }
    if (cells.size() != 10)
      return InvalidInput("learning curve: 10 columns needed in '" + line + "'");
    curve.push_back({static_cast<std::int64_t>(cells[0]), cells[1], cells[2],
                     static_cast<std::int64_t>(cells[3]), static_cast<std::int64_t>(cells[4]),
                     cells[5], cells[6], cells[7], cells[8], cells[9]});
  }
  return curve;
}

Result<TrainOutcome> Train(const TrainJob& job) { return Runner(job).Run(); }

}  // namespace realward
