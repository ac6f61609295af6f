#include "sim/drivetrain.h"

#include "sim/command_path.h"
#include "sim/joint_friction.h"

namespace realward {
namespace {

template <class... Members>
bool UsesAny(const WorldPlan& plan, Members... members) {
  return (plan.Uses(members) || ...);
}

double ActuatorVelocity(const Drivetrain& train, const mjData* d, std::size_t u) {
  return train.actuator_dof[u] >= 0 ? train.gear[u] * d->qvel[train.actuator_dof[u]] : 0.0;
}

// What pulls at a gear besides its motor: everything but the joint's own friction.
void SettleLoad(const mjData* d, int dof, JointLoad& load) {
  load.motor = d->qfrc_actuator[dof];
  load.external = d->qfrc_constraint[dof] - d->qfrc_bias[dof] + d->qfrc_applied[dof];
  for (int i = d->ne; i < d->ne + d->nf; ++i) {
    if (d->efc_type[i] == mjCNSTR_FRICTION_DOF && d->efc_id[i] == dof)
      load.external -= d->efc_force[i];
  }
}

}  // namespace

Drivetrain MakeDrivetrain(const mjModel& model, const WorldPlan& plan) {
  using A = ActuatorSettings;
  Drivetrain train;
  for (int u = 0; u < model.nu; ++u) {
    const int joint = model.actuator_trnid[2 * u];
    const bool on_joint =
        model.actuator_trntype[u] == mjTRN_JOINT &&
        (model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE);
    train.actuator_dof.push_back(on_joint ? model.jnt_dofadr[joint] : -1);
    train.gear.push_back(model.actuator_gear[6 * u]);
  }
  train.joint_dof.assign(model.jnt_dofadr, model.jnt_dofadr + model.njnt);
  train.has_friction = plan.Uses(Slot::kJointSetting);
  train.has_limits = plan.Uses(&WorldSettings::battery_nominal) ||
                     UsesAny(plan, &A::no_load_speed, &A::derating_from);
  train.has_path = train.has_limits || UsesAny(plan, &A::saturation, &A::rate_limit, &A::lag,
                                               &A::second_lag, &A::temperature_effect);
  return train;
}

void ResetDrivetrain(const Drivetrain& train, const WorldView& view, const mjtNum* frictionloss,
                     DrivetrainState state) {
  for (std::size_t u = 0; u < state.actuators.size(); ++u)
    state.actuators[u] = AtRest(view.actuators[u]);
  for (std::size_t j = 0; j < state.loads.size(); ++j)
    state.loads[j] = {frictionloss[train.joint_dof[j]], 0.0, 0.0};
  *state.supply = SupplyRatio(*view.world, 0.0);
}

double DriveInput(const Drivetrain& train, const WorldView& view, DrivetrainState state, int u,
                  double command, double dt) {
  return train.has_path ? ShapedCommand(view.actuators[u], state.actuators[u], command, dt)
                        : ActuatorInput(view.actuators[u], command);
}

// The model's arrays are this world's own copy for as long as the engine works on it.
void BeforeStep(const Drivetrain& train, const mjModel* m, const mjData* d, const WorldView& view,
                DrivetrainState state) {
  for (std::size_t u = 0; train.has_limits && u < state.actuators.size(); ++u) {
    const ActuatorSettings& s = view.actuators[u];
    if (!LimitsForce(s, *view.world)) continue;
    const ForceRange range =
        AvailableForce(s, ActuatorVelocity(train, d, u), state.actuators[u].rise, *state.supply);
    m->actuator_forcerange[2 * u] = range.low;
    m->actuator_forcerange[2 * u + 1] = range.high;
  }
  for (std::size_t j = 0; train.has_friction && j < state.loads.size(); ++j) {
    if (!HasFriction(view.joints[j])) continue;
    const JointLoad& load = state.loads[j];
    const int dof = train.joint_dof[j];
    m->dof_frictionloss[dof] =
        JointFriction(view.joints[j], load.coulomb, load.motor, load.external, d->qvel[dof]);
  }
}

void AfterStep(const Drivetrain& train, const mjModel* m, const mjData* d, const WorldView& view,
               DrivetrainState state) {
  double power = 0.0;
  for (std::size_t u = 0; u < state.actuators.size(); ++u) {
    const ActuatorSettings& s = view.actuators[u];
    const double force = d->actuator_force[u];
    Heat(s, state.actuators[u], force, m->opt.timestep);
    power += force * ActuatorVelocity(train, d, u) + s.copper_loss * force * force;
  }
  if (train.has_path) *state.supply = SupplyRatio(*view.world, power);
  for (std::size_t j = 0; j < state.loads.size(); ++j) {
    if (HasFriction(view.joints[j])) SettleLoad(d, train.joint_dof[j], state.loads[j]);
  }
}

}  // namespace realward
