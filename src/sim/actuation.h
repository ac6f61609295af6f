// The way of the commands of many worlds: what was sent, what each actuator and gear remembers, and
// what the engine is given at each physics step.
#ifndef REALWARD_SIM_ACTUATION_H_
#define REALWARD_SIM_ACTUATION_H_

#include <span>
#include <vector>

#include "base/mujoco.h"
#include "base/random.h"
#include "base/record.h"
#include "base/result.h"
#include "sim/drivetrain.h"
#include "spec/task.h"
#include "worlds/plan.h"

namespace realward {

// Thread-safety: different worlds at once; one call at a time for one world. Allocates only when
// made.
class Actuation {
 public:
  // Errors: an unknown actuator. The kinds that the plan has decide what is computed at all:
  // without any, a command is delayed, shaped and given on.
  static Result<Actuation> Make(const mjModel& model, const TaskSpec& task, const WorldPlan& plan,
                                int worlds);

  // Forgets everything of one world, after its settings were drawn. frictionloss: the world's row.
  // Actuators that are no action keep the command 0 through the episode, with their own offset;
  // their controls are written to ctrl (nu).
  void Reset(int world, const WorldView& view, const mjtNum* frictionloss, mjtNum* ctrl);

  // The commands of one control step, actions in [−1, 1]. `stream` is new at each control step.
  void Push(int world, const WorldView& view, std::span<const float> action,
            const StreamId& stream);

  // Before physics step `substep` of a control step: sets d->ctrl and, where the force that is left
  // or the friction of a gear depends on the state, the world's own force range and friction loss.
  // `m` must be the batch's model of this world: it is loaded anew before each control step.
  void Drive(const mjModel* m, mjData* d, int world, const WorldView& view, int substep);
  // After it: temperatures, supply, loads.
  void Settle(const mjModel* m, const mjData* d, int world, const WorldView& view);

  std::span<const ActuatorMemory> memory(int world) const;
  // Supply voltage of a world as a part of the nominal.
  double supply(int world) const { return supply_[world]; }

  void Save(Record& record) const;
  Status Load(const Record& record);

 private:
  DrivetrainState state(int world);

  std::vector<ActionTerm> actions_;
  std::vector<int> action_actuator_;  // actuator id per action
  Drivetrain train_;
  double period_ = 0.0;
  std::size_t depth_ = 1;  // commands kept per action
  bool has_loss_ = false;

  std::vector<double> commands_;        // worlds × actions × depth, newest first
  std::vector<double> delays_;          // the same; of commands that are late or lost
  std::vector<ActuatorMemory> memory_;  // worlds × nu
  std::vector<JointLoad> loads_;        // worlds × njnt
  std::vector<double> supply_;          // worlds
};

}  // namespace realward

#endif  // REALWARD_SIM_ACTUATION_H_
