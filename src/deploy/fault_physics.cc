#include "deploy/fault_physics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace realward {
namespace {

constexpr double kWideOpen = 1e10;  // N or N·m: mjMAXVAL, where a state is bad anyway

bool CanJam(mjtJoint type) { return type == mjJNT_HINGE || type == mjJNT_SLIDE; }

void AddLock(mjSpec* spec, const char* joint) {
  mjsEquality* lock = mjs_addEquality(spec, nullptr);
  lock->type = mjEQ_JOINT;
  lock->objtype = mjOBJ_JOINT;
  lock->active = 0;
  mjs_setString(lock->name1, joint);
  std::fill(std::begin(lock->data), std::end(lock->data), 0.0);
  lock->solref[0] = 2.0 * spec->option.timestep;
  lock->solref[1] = 1.0;
  const double impedance[mjNIMP] = {0.9999, 0.9999, 0.001, 0.5, 2.0};
  std::copy(std::begin(impedance), std::end(impedance), lock->solimp);
}

std::vector<int> JammableIds(const mjModel& model) {
  std::vector<int> ids;
  for (int j = 0; j < model.njnt; ++j) {
    if (CanJam(static_cast<mjtJoint>(model.jnt_type[j])) && model.names[model.name_jntadr[j]] != 0)
      ids.push_back(j);
  }
  return ids;
}

// The last constraint of a joint alone is the one that PrepareForFaults has added.
int LockOf(const mjModel& model, int joint) {
  for (int e = static_cast<int>(model.neq) - 1; e >= 0; --e) {
    if (model.eq_type[e] == mjEQ_JOINT && model.eq_obj1id[e] == joint && model.eq_obj2id[e] < 0)
      return e;
  }
  return -1;
}

mjtNum* FieldOf(Environments& env, const char* field, int world) {
  int size = 0;
  auto* rows = static_cast<mjtNum*>(mjb_expand(env.batch(), field, &size, nullptr));
  RW_CHECK(rows != nullptr);
  return rows + static_cast<std::size_t>(world) * size;
}

mjtNum* StateOf(Environments& env, int component, int world) {
  return mjb_stateComponent(env.batch(), component, nullptr) +
         static_cast<std::size_t>(world) * mjb_nstate(env.batch());
}

}  // namespace

void PrepareForFaults(mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_JOINT); e; e = mjs_nextElement(spec, e)) {
    const char* name = mjs_getString(mjs_getName(e));
    if (CanJam(mjs_asJoint(e)->type) && name[0] != 0) AddLock(spec, name);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_ACTUATOR); e; e = mjs_nextElement(spec, e)) {
    mjsActuator& actuator = *mjs_asActuator(e);
    const bool limited = actuator.forcelimited == mjLIMITED_TRUE ||
                         (actuator.forcelimited == mjLIMITED_AUTO &&
                          actuator.forcerange[0] != actuator.forcerange[1]);
    if (limited) continue;
    actuator.forcelimited = mjLIMITED_TRUE;
    actuator.forcerange[0] = -kWideOpen;
    actuator.forcerange[1] = kWideOpen;
  }
}

std::vector<std::string> JammableJoints(const mjModel& model) {
  std::vector<std::string> names;
  for (const int j : JammableIds(model)) names.emplace_back(model.names + model.name_jntadr[j]);
  return names;
}

Result<std::unique_ptr<FaultPhysics>> FaultPhysics::Make(Environments& env, int world, bool jams) {
  const mjModel& model = env.model();
  if (jams && (model.opt.disableflags & (mjDSBL_CONSTRAINT | mjDSBL_EQUALITY)) != 0) {
    return InvalidInput(fmt::format(
        "a joint cannot jam: model {} has the flag 'constraint' or 'equality' disabled; enable it",
        env.task().model_path));
  }
  std::unique_ptr<FaultPhysics> physics(new FaultPhysics(env, world));
  physics->joint_id_ = JammableIds(model);
  for (const int j : physics->joint_id_) {
    physics->lock_id_.push_back(LockOf(model, j));
    RW_CHECK(physics->lock_id_.back() >= 0);
  }
  physics->jammed_.assign(physics->joint_id_.size(), 0);
  physics->dead_.assign(model.nactuator, 0);
  if (!physics->joint_id_.empty()) {
    physics->eq_data_ = FieldOf(env, "eq_data", world);
    physics->eq_active_ = StateOf(env, mjSTATE_EQ_ACTIVE, world);
  }
  if (model.nactuator > 0) {
    physics->force_range_ = FieldOf(env, "actuator_forcerange", world);
    physics->drawn_range_.resize(2 * model.nactuator);
  }
  physics->drawn_strength_.resize(model.nu);
  physics->model_ = CopyModel(model);
  physics->data_ = MakeData(model);
  physics->AfterReset();
  return physics;
}

void FaultPhysics::BeforeReset() {
  std::fill(jammed_.begin(), jammed_.end(), std::uint8_t{0});  // the reset switches the locks off
  for (std::size_t u = 0; u < dead_.size(); ++u) Kill(static_cast<int>(u), false);
}

void FaultPhysics::AfterReset() {
  std::copy_n(force_range_, drawn_range_.size(), drawn_range_.begin());
  const auto settings = env_.actuator_settings(world_);
  for (std::size_t u = 0; u < settings.size(); ++u) drawn_strength_[u] = settings[u].strength;
}

void FaultPhysics::Jam(int joint, bool jammed) {
  if (jammed_[joint] == jammed) return;
  jammed_[joint] = jammed;
  eq_active_[lock_id_[joint]] = jammed ? 1.0 : 0.0;
  if (!jammed) return;
  mjb_getModel(env_.batch(), world_, model_.get());
  const int q = model_->jnt_qposadr[joint_id_[joint]];
  eq_data_[mjNEQDATA * lock_id_[joint]] = env_.qpos(world_)[q] - model_->qpos0[q];
  StopJammedJoints();
}

void FaultPhysics::StopJammedJoints() {
  mjb_getData(env_.batch(), world_, data_.get());
  mj_fwdPosition(model_.get(), data_.get());
  std::vector<int> dofs;
  for (std::size_t j = 0; j < jammed_.size(); ++j) {
    if (jammed_[j]) dofs.push_back(model_->jnt_dofadr[joint_id_[j]]);
  }
  const int n = static_cast<int>(dofs.size());
  const int nv = static_cast<int>(model_->nv);
  std::vector<mjtNum> rows(static_cast<std::size_t>(n) * nv, 0.0);  // J, then J M⁻¹
  for (int i = 0; i < n; ++i) rows[static_cast<std::size_t>(i) * nv + dofs[i]] = 1.0;
  const std::vector<mjtNum> picked = rows;
  mj_solveM(model_.get(), data_.get(), rows.data(), picked.data(), n);
  std::vector<mjtNum> gram(static_cast<std::size_t>(n) * n), impulse(n), speed(n);
  mjtNum* qvel = StateOf(env_, mjSTATE_QVEL, world_);
  for (int i = 0; i < n; ++i) {
    speed[i] = qvel[dofs[i]];
    for (int k = 0; k < n; ++k) gram[i * n + k] = rows[static_cast<std::size_t>(i) * nv + dofs[k]];
  }
  mju_cholFactor(gram.data(), n, 0.0);
  mju_cholSolve(impulse.data(), gram.data(), speed.data(), n);
  for (int i = 0; i < n; ++i)
    mju_addToScl(qvel, rows.data() + static_cast<std::size_t>(i) * nv, -impulse[i], nv);
  for (const int dof : dofs) qvel[dof] = 0.0;  // what rounding left
}

void FaultPhysics::Kill(int actuator, bool dead) {
  if (dead_[actuator] == dead) return;
  dead_[actuator] = dead;
  for (int side = 0; side < 2; ++side) {
    const int at = 2 * actuator + side;
    force_range_[at] = dead ? 0.0 : drawn_range_[at];
  }
}

void FaultPhysics::SetSupply(double factor) {
  const auto settings = env_.mutable_actuator_settings(world_);
  for (std::size_t u = 0; u < settings.size(); ++u)
    settings[u].strength = factor * drawn_strength_[u];
}

}  // namespace realward
