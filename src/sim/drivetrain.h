// The actuators and gears of one world between the commands that have arrived and the engine:
// shaped by a simulation of many worlds and by a fit alike.
#ifndef REALWARD_SIM_DRIVETRAIN_H_
#define REALWARD_SIM_DRIVETRAIN_H_

#include <span>
#include <vector>

#include "base/mujoco.h"
#include "sim/actuator_path.h"
#include "worlds/plan.h"

namespace realward {

// One world's settings, to read.
struct WorldView {
  std::span<const ActuatorSettings> actuators;  // nu
  std::span<const JointSettings> joints;        // njnt
  std::span<const ChannelSettings> channels;
  const WorldSettings* world = nullptr;
};

// Where the actuators act, and what the kinds of a plan make necessary at all.
struct Drivetrain {
  std::vector<int> actuator_dof;  // −1: not on a hinge or slide
  std::vector<double> gear;       // nu
  std::vector<int> joint_dof;     // njnt
  bool has_path = false;          // an actuator remembers more than its commands
  bool has_limits = false;        // the force that is left depends on the state
  bool has_friction = false;      // so does the friction of a gear

  // Whether BeforeStep writes to the model.
  bool writes_model() const { return has_limits || has_friction; }
};
Drivetrain MakeDrivetrain(const mjModel& model, const WorldPlan& plan);

// Forces at a joint in the last physics step.
struct JointLoad {
  double coulomb = 0.0;  // the world's own friction loss
  double motor = 0.0;
  double external = 0.0;
};

// What one world remembers; spans may be empty where the drivetrain has no use for them.
struct DrivetrainState {
  std::span<ActuatorMemory> actuators;  // nu
  std::span<JointLoad> loads;           // njnt
  double* supply = nullptr;             // voltage as a part of the nominal
};

// The state after a long rest. frictionloss: the world's row (nv).
void ResetDrivetrain(const Drivetrain& train, const WorldView& view, const mjtNum* frictionloss,
                     DrivetrainState state);

// What actuator u is given for the next dt seconds under the command that has arrived.
double DriveInput(const Drivetrain& train, const WorldView& view, DrivetrainState state, int u,
                  double command, double dt);

// Before a physics step: the world's force ranges and friction losses for this state. `m` must not
// be shared with another world while writes_model().
void BeforeStep(const Drivetrain& train, const mjModel* m, const mjData* d, const WorldView& view,
                DrivetrainState state);
// After it: temperatures, supply, loads. They act one physics step later.
void AfterStep(const Drivetrain& train, const mjModel* m, const mjData* d, const WorldView& view,
               DrivetrainState state);

}  // namespace realward

#endif  // REALWARD_SIM_DRIVETRAIN_H_
