// Many worlds of one task, stepped together. The only mutable object of the sim stage.
#ifndef REALWARD_SIM_ENVIRONMENTS_H_
#define REALWARD_SIM_ENVIRONMENTS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/record.h"
#include "base/view.h"
#include "sim/actuation.h"
#include "sim/joint_coupling.h"
#include "sim/sensing.h"
#include "sim/signals.h"
#include "sim/terms.h"
#include "spec/gap.h"
#include "spec/task.h"
#include "worlds/draw.h"
#include "worlds/plan.h"

namespace realward {

enum class EpisodeEnd : std::uint8_t { kRunning, kHorizon, kTerminated, kDiverged };
const char* NameOf(EpisodeEnd end);

struct EnvironmentOptions {
  int worlds = 1;
  int threads = 1;
  std::uint64_t seed = 1;
  // Draw addresses. false: world w is unit first_unit + w for ever, its episodes count up
  // (evaluation, a fleet). true: every episode of every world is a new unit (training). Either way
  // all random numbers of an episode follow from (seed, unit, episode), both in its summary, so it
  // can be replayed alone: one world, fresh_units = false, first_unit = unit, Reset(0, episode).
  bool fresh_units = false;
  std::uint32_t first_unit = 0;
  // true: a world that ends begins its next episode in the same step. false: it stays as it ended.
  bool auto_reset = true;
  // true: half of the episodes begin where the task lets training begin (train_reset).
  bool training = false;
  // Changes the model before it is compiled, for instance to add constraints that a scripted fault
  // switches on. Null: the model is what its file says.
  ModelEdit edit_model = nullptr;
};

// What one finished episode was.
struct EpisodeSummary {
  int world = 0;
  std::uint32_t unit = 0;
  std::uint64_t episode = 0;
  EpisodeEnd end = EpisodeEnd::kRunning;
  bool success = false;
  double episode_return = 0.0;
  int steps = 0;
  double settle_time =
      -1.0;  // s from the start until the conditions held for good; −1: they did not
};

// Chooses the action of one world: observation → action (not clipped). Called on several threads at
// once, for different worlds; must be a pure function of its arguments and `context`.
using ActFunction = void (*)(const void* context, const StreamId& stream,
                             std::span<const float> observation, std::span<float> action);

// Thread-safety: one call at a time. Results are bit-identical at any thread count.
class Environments {
 public:
  // Errors: the model cannot be read, what WorldPlan::Make and CompileTerms refuse, an unknown
  // actuator, too many actions, a control period that is no whole multiple of the time step.
  static Result<std::unique_ptr<Environments>> Make(const TaskSpec& task, const GapSpec& gap,
                                                    const EnvironmentOptions& options);

  int worlds() const { return options_.worlds; }
  int observation_size() const { return layout_.size(); }
  int action_size() const { return static_cast<int>(task_.actions.size()); }
  double control_period() const { return task_.control_period; }
  int horizon_steps() const { return horizon_steps_; }
  const std::vector<std::string>& channels() const { return sensing_.names(); }
  const TaskSpec& task() const { return task_; }
  const mjModel& model() const { return *mjb_model(batch_.get()); }

  // Starts episode 0 in every world.
  void ResetAll();
  // Starts the given episode in one world with all others untouched.
  void Reset(int world, std::uint64_t episode);

  // One control step of every world that is running. Actions come from `act`, given the current
  // observations and a stream address (purpose kPolicyNoise) that is unique to (seed, unit,
  // episode, step). A world whose action is not finite, whose state leaves physics or in which the
  // engine raises an error ends as diverged; that step earns nothing.
  void Step(ActFunction act, const void* context);

  // worlds × observation_size: what the policy sees now.
  MatrixView<const float> observations() const { return observations_.view(); }
  // worlds × observation_size: before the last step, and in the state in which a world ended (other
  // rows equal observations()).
  MatrixView<const float> final_observations() const { return final_observations_.view(); }
  // worlds × action_size: chosen in the last step, before clipping.
  MatrixView<const float> actions() const { return actions_.view(); }
  // Of the last step; 0 for a world that did not run.
  std::span<const double> rewards() const { return rewards_; }
  // How the last step ended each world (kRunning if it did not, or the world did not run).
  std::span<const EpisodeEnd> ends() const { return ends_; }
  // worlds × channels: the last measurement.
  MatrixView<const double> measurements() const { return measurements_.view(); }
  // Episodes that ended in the last step, in world order.
  const std::vector<EpisodeSummary>& finished() const { return finished_; }
  bool running(int world) const { return running_[world]; }
  int running_count() const;

  // True state of one world, for traces: qpos and qvel.
  std::span<const mjtNum> qpos(int world) const;
  std::span<const mjtNum> qvel(int world) const;
  // Places a world's true state (used by tests and by replays).
  void SetState(int world, std::span<const mjtNum> qpos, std::span<const mjtNum> qvel);

  // Effective settings of one world now, for tests and audits.
  std::span<const ActuatorSettings> actuator_settings(int world) const;
  std::span<const ChannelSettings> channel_settings(int world) const;
  const WorldSettings& world_settings(int world) const { return world_settings_[world]; }
  const Actuation& actuation() const { return actuation_; }

  // The hook of scripted faults, between steps: the engine's worlds (state rows, model fields of
  // each world) and the actuator settings of one world. A reset draws settings and state anew;
  // whoever writes a model field that no gap parameter writes has to restore it.
  mjBatch* batch() { return batch_.get(); }
  std::span<ActuatorSettings> mutable_actuator_settings(int world);

  // Everything that the next step depends on. A loaded state continues bit for bit.
  void Save(Record& record) const;
  Status Load(const Record& record);

  // SHA-256 over the state rows: the scene hash of determinism tests.
  std::string StateHash() const;

 private:
  Environments() = default;
  Status ResolveTask(const mjModel& model);
  Status MakeRows(const mjModel& model);
  void Allocate();
  static void StepOne(const mjModel* m, mjData* d, int world, void* self);
  bool RunPhysics(const mjModel* m, mjData* d, int world);
  double Judge(const mjData* d, int world, std::span<const float> action);
  void Draw(int world);
  void WriteInitialState(int world);
  void Measure(int world, const TrueState& truth, bool is_first);
  void MeasureFirst(int world, const TrueState& truth);
  void MeasureFirstOfEngine(std::span<const int> worlds);
  WorldView view(int world) const;
  void BeginEpisode(int world);
  void RecomputeConstants(std::span<const int> worlds);
  void FinishSteps();
  std::span<double> frames(int world);
  StreamId Address(int world, Purpose purpose, std::uint64_t step) const;

  TaskSpec task_;
  EnvironmentOptions options_;
  BatchPtr batch_;
  std::unique_ptr<WorldPlan> plan_;
  std::unique_ptr<Drawer> drawer_;
  TaskTerms terms_;
  ObservationLayout layout_;
  Actuation actuation_;
  Sensing sensing_;
  int substeps_ = 1;
  int horizon_steps_ = 1;
  int hold_steps_ = 1;
  FieldRows field_base_{};  // expanded storage of row 0
  std::array<int, kModelFieldCount> field_size_{};
  mjtNum* qpos_base_ = nullptr;
  mjtNum* qvel_base_ = nullptr;
  mjtNum* ctrl_base_ = nullptr;
  int state_size_ = 0;
  std::vector<mjtNum> initial_row_;
  std::vector<JointCoupling> couplings_;

  // Per world.
  std::vector<std::uint64_t> episode_;
  std::vector<std::int32_t> step_;
  std::vector<std::int32_t> held_;  // control steps in a row in which the success conditions held
  std::vector<double> return_;
  std::vector<std::uint8_t> running_;
  std::vector<ActuatorSettings> actuator_settings_;  // worlds × nu
  std::vector<JointSettings> joint_settings_;        // worlds × njnt
  std::vector<ChannelSettings> channel_settings_;    // worlds × channels
  std::vector<WorldSettings> world_settings_;
  std::vector<double> values_;  // one draw
  std::vector<double> frames_;  // worlds × depth × frame_size
  Matrix<float> observations_, final_observations_, actions_, previous_actions_;
  Matrix<double> measurements_;
  std::vector<double> rewards_;
  std::vector<EpisodeEnd> ends_;
  std::vector<EpisodeSummary> finished_;
  std::vector<int> ids_;
  ActFunction act_ = nullptr;
  const void* act_context_ = nullptr;
};

}  // namespace realward

#endif  // REALWARD_SIM_ENVIRONMENTS_H_
