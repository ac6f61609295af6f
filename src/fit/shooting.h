// Open-loop simulation of log segments, many at once: the model of a fit. A shot starts at a given
// state, receives the logged commands through the command path, and predicts every channel at the
// log's own time stamps.
#ifndef REALWARD_FIT_SHOOTING_H_
#define REALWARD_FIT_SHOOTING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/result.h"
#include "base/view.h"
#include "logs/log.h"
#include "sim/drivetrain.h"
#include "spec/gap.h"
#include "worlds/plan.h"

namespace realward {

// A stretch of a log. It begins and ends on the grid of physics steps that starts at the log's
// first sample, so that segments join without overlap.
struct Segment {
  int log = 0;            // index into the shooter's logs
  double begin = 0.0;     // s, in the log's time
  int steps = 0;          // physics steps; the end is begin + steps · timestep
  std::size_t first = 0;  // samples [first, last) are predicted
  std::size_t last = 0;
  bool is_continued = false;  // the next segment of a list begins where this one ends
};

// One simulation: a segment in a world from a start state.
struct Shot {
  const Segment* segment = nullptr;
  int world = 0;                  // row of the parameter matrix
  std::span<const double> state;  // true positions, then velocities: 2 · nv
};

// What shots gave, in the order asked for.
struct ShotResults {
  std::vector<double> predictions;  // of each shot: samples × channels, row-major
  std::vector<std::size_t> offset;  // start of a shot's predictions
  Matrix<double> end;               // shots × 2 · nv: state at the segment's end
  // A shot left physics (MuJoCo's warning counters, an engine error, or a value beyond 1e8). Its
  // predictions and end are zeros.
  std::vector<std::uint8_t> diverged;

  // samples × channels of shot i.
  MatrixView<const double> Predicted(std::size_t i, const Segment& segment,
                                     std::size_t channels) const {
    return {predictions.data() + offset[i], segment.last - segment.first, channels};
  }
};

// Holds a batch and one model per world. Not thread-safe; it runs its own threads, and results are
// the same bits at any number of them.
class Shooter {
 public:
  // `logs` must outlive the shooter. A command that was not recorded (NaN) is the one before.
  // Errors name the joint, actuator or parameter: a joint that is not a hinge or slide, a model
  // with actuator state, a log without a command for an actuator or without any channel of the
  // model, a log of fewer than two samples, and what WorldPlan refuses.
  static Result<Shooter> Make(const mjModel& model, const GapSpec& gap, std::span<const Log> logs,
                              int threads);

  // Simulates all shots. parameters: worlds × number of parameters of the gap spec, SI. Commands
  // are clipped to the actuator's range if it has one (as the robot's amplifier does), delayed in
  // continuous time, averaged over each physics step and passed through the drivetrain as in a
  // simulation; an actuator that remembers starts as if its command had acted for long. Predictions
  // between physics steps are linear; channel offsets are added. Errors: environment (no memory for
  // the batch).
  Status Simulate(MatrixView<const double> parameters, std::span<const Shot> shots,
                  ShotResults& results);

  const WorldPlan& plan() const { return plan_; }
  const mjModel& model() const { return *nominal_; }
  std::span<const Log> logs() const { return logs_; }
  const std::vector<std::string>& channels() const { return channels_; }
  // Column of a model channel in a log, −1 if the log does not have it.
  int column(int log, int channel) const { return columns_[log][channel]; }
  int state_size() const { return 2 * nominal_->nv; }
  double timestep() const { return nominal_->opt.timestep; }
  // Channel settings of a world of the last Simulate or SetWorlds.
  std::span<const ChannelSettings> channel_settings(int world) const {
    return stores_[world].channels;
  }
  // The model of a world of the last Simulate or SetWorlds.
  const mjModel& world_model(int world) const { return *models_[world]; }

  // Applies parameters to the models of worlds without simulating.
  void SetWorlds(MatrixView<const double> parameters);

 private:
  explicit Shooter(WorldPlan plan) : plan_(std::move(plan)) {}
  Status ReserveShots(std::size_t shots);
  Status AddLog(const Log& log);
  WorldView ViewOf(int world) const;
  // The model that shot i runs on: its world's, or its own when a step writes to it.
  const mjModel* ModelOf(std::size_t i, const Shot& shot, MatrixView<const double> parameters);

  WorldPlan plan_;
  std::span<const Log> logs_;
  std::vector<std::string> channels_;
  std::vector<std::vector<int>> columns_;  // log × channel
  std::vector<Matrix<double>> commands_;   // of each log: actuators × samples, clipped
  ModelPtr nominal_;
  DataPtr scratch_;
  int threads_ = 1;
  BatchPtr batch_;
  std::vector<ModelPtr> models_;  // of worlds
  std::vector<WorldStore> stores_;
  Drivetrain train_;
  std::vector<ModelPtr> own_models_;    // of shots, when the drivetrain writes to the model
  std::vector<ActuatorMemory> memory_;  // shots × nu
  std::vector<JointLoad> loads_;        // shots × njnt
  std::vector<double> supply_;          // shots
  std::vector<const mjModel*> shot_models_;
  std::vector<int> ids_;
  std::vector<std::size_t> hints_;
  std::vector<double> previous_;
};

}  // namespace realward

#endif  // REALWARD_FIT_SHOOTING_H_
