#include "sim/joint_coupling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

// c follows b, which follows a, which is declared last; d is free; e stands still.
constexpr const char* kChain = R"(<mujoco><compiler angle="radian"/><worldbody>
  <body><joint name="c" type="slide" ref="0.1"/><geom size=".1"/></body>
  <body pos="0 1 0"><joint name="b" ref="-0.2"/><geom size=".1"/></body>
  <body pos="0 2 0"><joint name="a" ref="0.3"/><geom size=".1"/></body>
  <body pos="0 3 0"><joint name="d"/><geom size=".1"/></body>
  <body pos="0 4 0"><joint name="e"/><geom size=".1"/></body>
  <body pos="0 5 0"><joint name="ball" type="ball"/><geom size=".1"/></body>
</worldbody><actuator><motor name="m" joint="a"/></actuator><equality>
  <joint joint1="c" joint2="b" polycoef="0.01 2 0 0 0"/>
  <joint joint1="b" joint2="a" polycoef="0 0.5 -1 0.25 0.1"/>
  <joint joint1="d" joint2="a" active="false"/>
  <joint joint1="e" polycoef="0.7 0 0 0 0"/></equality></mujoco>)";

TEST(JointCoupling, FollowersStandWhereTheirLeadersPutThem) {
  const ModelPtr m = std::move(LoadModelText(kChain)).value();
  const auto couplings = JointCouplings(*m);
  ASSERT_EQ(couplings.size(), 3u);
  std::vector<mjtNum> qpos(m->qpos0, m->qpos0 + m->nq), qvel(m->nv, 0.0);
  const auto at = [&](const char* name) {
    return m->jnt_qposadr[mj_name2id(m.get(), mjOBJ_JOINT, name)];
  };
  const auto dof = [&](const char* name) {
    return m->jnt_dofadr[mj_name2id(m.get(), mjOBJ_JOINT, name)];
  };
  qpos[at("a")] = 0.9;
  qpos[at("d")] = 0.4;
  qvel[dof("a")] = 3.0;
  FollowLeaders(couplings, qpos.data(), qvel.data());
  const double x = 0.9 - 0.3;
  const double b = -0.2 + 0.5 * x - x * x + 0.25 * x * x * x + 0.1 * std::pow(x, 4);
  const double slope = 0.5 - 2 * x + 0.75 * x * x + 0.4 * std::pow(x, 3);
  EXPECT_NEAR(qpos[at("b")], b, 1e-15);
  EXPECT_NEAR(qpos[at("c")], 0.1 + 0.01 + 2 * (b + 0.2), 1e-15);
  EXPECT_NEAR(qvel[dof("b")], slope * 3.0, 1e-14);
  EXPECT_NEAR(qvel[dof("c")], 2 * slope * 3.0, 1e-14);
  EXPECT_EQ(qpos[at("d")], 0.4);
  EXPECT_EQ(qpos[at("e")], 0.7);
}

// The engine agrees: the constraint's residual is zero.
TEST(JointCoupling, TheEngineSeesNoError) {
  const ModelPtr m = std::move(LoadModelText(kChain)).value();
  const DataPtr d = MakeData(*m);
  const auto residual = [&] {
    mj_forward(m.get(), d.get());
    double worst = 0.0;
    for (int i = 0; i < d->ne; ++i) worst = std::max(worst, std::abs(d->efc_pos[i]));
    return worst;
  };
  d->qpos[m->jnt_qposadr[2]] = 0.9;
  EXPECT_GT(residual(), 0.1);
  FollowLeaders(JointCouplings(*m), d->qpos, d->qvel);
  EXPECT_EQ(d->ne, 3);
  EXPECT_LT(residual(), 1e-15);
}

TEST(JointCoupling, OnlyLeadersAreIndependent) {
  const ModelPtr m = std::move(LoadModelText(kChain)).value();
  EXPECT_EQ(IndependentJoints(*m), (std::vector<std::string>{"a", "d"}));
}

TEST(JointCoupling, AnEpisodeBeginsCoupled) {
  using namespace sim_test;  // NOLINT
  TaskSpec task;
  task.name = "chain";
  task.model_path = ModelFile("sim_chain", kChain);
  task.control_period = 0.01;
  task.horizon = 0.05;
  task.actions = {{"m", -1.0, 1.0}};
  task.observations = {{ObservationKind::kPosition, "a"}};
  task.rewards = {{RewardKind::kAlive, "", 0.0, 1.0, 1.0}};
  task.resets = {{"a", 0.0, 0.6, -1.0, 1.0}};
  auto env = MakeEnvironments(task, {}, {.worlds = 3});
  const auto couplings = JointCouplings(env->model());
  for (int w = 0; w < 3; ++w) {
    std::vector<mjtNum> qpos(env->qpos(w).begin(), env->qpos(w).end());
    std::vector<mjtNum> qvel(env->qvel(w).begin(), env->qvel(w).end());
    const auto before = qpos;
    FollowLeaders(couplings, qpos.data(), qvel.data());
    EXPECT_EQ(qpos, before);
    EXPECT_NE(qvel[1], 0.0);
  }
}

}  // namespace
}  // namespace realward
