#include "sim/environments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using namespace sim_test;  // NOLINT: the stage's own test support
using testing::HasSubstr;

const GapSpec kNoGap;

// A plain loop over mj_step, its model changed by the plan as told: what a world must equal.
struct PlainLoop {
  PlainLoop(const Environments& env, const TaskSpec& task, const GapSpec& gap,
            const std::vector<double>& values)
      : model(std::move(LoadModel(task.model_path)).value()), task(task) {
    std::fill(model->actuator_ctrllimited, model->actuator_ctrllimited + model->nu, mjtByte{0});
    const WorldPlan plan = std::move(WorldPlan::Make(*model, gap)).value();
    WorldStore store(*model);
    plan.Apply(values, store.On(RowsOf(*model)));
    data = MakeData(*model);
    if (plan.needs_set_const()) mj_setConst(model.get(), data.get());
    mj_resetData(model.get(), data.get());
    std::copy(env.qpos(0).begin(), env.qpos(0).end(), data->qpos);
    std::copy(env.qvel(0).begin(), env.qvel(0).end(), data->qvel);
  }
  void Step(std::span<const float> action) {
    for (std::size_t a = 0; a < task.actions.size(); ++a)
      data->ctrl[a] = CommandOf(task.actions[a], action[a]);
    const int substeps = static_cast<int>(std::lround(task.control_period / model->opt.timestep));
    for (int k = 0; k < substeps; ++k) mj_step(model.get(), data.get());
  }
  ModelPtr model;
  TaskSpec task;
  DataPtr data;
};

void ExpectSamePhysics(const TaskSpec& task, const GapSpec& gap) {
  auto env = MakeEnvironments(task, gap, {.worlds = 1, .seed = 4, .auto_reset = false});
  std::vector<double> values(gap.parameters.size());
  Drawer(gap).Draw({4, 0, 0, 0}, values);
  PlainLoop plain(*env, task, gap, values);
  for (int step = 0; step < env->horizon_steps(); ++step) {
    env->Step(&Explore, nullptr);
    plain.Step(env->actions().row(0));
    ASSERT_EQ(Copy(env->qpos(0)), std::vector<double>(plain.data->qpos, plain.data->qpos + 3));
    ASSERT_EQ(Copy(env->qvel(0)), std::vector<double>(plain.data->qvel, plain.data->qvel + 3));
  }
}

TEST(Environments, NominalPhysicsIsThePlainLoopBitForBit) {
  TaskSpec task = CartTask();
  task.terminations.clear();
  ExpectSamePhysics(task, kNoGap);
}

TEST(Environments, AWorldsPhysicsIsThePlainLoopOnItsModelBitForBit) {
  TaskSpec task = CartTask();
  task.terminations.clear();
  GapSpec gap = CartGap();
  std::erase_if(gap.parameters, [](const GapParameter& p) {
    return p.kind == "actuator_delay" || p.kind == "actuator_strength" ||
           p.kind == "actuator_deadband";
  });
  ExpectSamePhysics(task, gap);
}

// A step of the command, a free mass of 1 kg: velocity = F (t − delay), whatever the grids.
TEST(Environments, ADelayIsContinuousInTime) {
  TaskSpec task = SliderTask();
  for (double period : {0.005, 0.01, 0.02}) {
    for (double delay : {0.0, 0.0013, 0.005, 0.007, 0.0125, 0.04}) {
      task.control_period = period;
      task.horizon = 0.1;
      GapSpec gap;
      gap.parameters = {
          Parameter("actuator_delay", {"push"}, Operation::kSet, Level::kUnit, Constant(delay))};
      auto env = MakeEnvironments(task, gap, {.auto_reset = false});
      const float full = 1.0f;
      while (env->running(0)) env->Step(&Hold, &full);
      EXPECT_NEAR(env->qvel(0)[0], 0.1 - delay, 1e-12) << period << " " << delay;
    }
  }
}

TEST(Environments, StrengthDeadbandAndOffsetActOnTheForce) {
  GapSpec gap;
  gap.parameters = {
      Parameter("actuator_strength", {"push"}, Operation::kSet, Level::kUnit, Constant(0.8)),
      Parameter("actuator_deadband", {"push"}, Operation::kSet, Level::kUnit, Constant(0.25)),
      Parameter("actuator_offset", {"push"}, Operation::kSet, Level::kUnit, Constant(0.1)),
      // No action drives this one: it keeps the command 0, and its offset.
      Parameter("actuator_offset", {"spare"}, Operation::kSet, Level::kUnit, Constant(0.05))};
  auto env = MakeEnvironments(SliderTask(), gap, {.auto_reset = false});
  const float full = 1.0f;
  env->Step(&Hold, &full);
  EXPECT_NEAR(env->qvel(0)[0], 0.01 * (0.8 * (1.0 - 0.25) + 0.1 + 0.05), 1e-15);
}

TEST(Environments, ObservationsHoldMeasurementsAndActions) {
  TaskSpec task = SliderTask();
  task.observations = {{ObservationKind::kPosition, "x"},
                       {ObservationKind::kVelocity, "x", 1.0, 1e3, 2},
                       {ObservationKind::kLastAction, "", 1.0, 1e3, 2}};
  GapSpec gap;
  gap.parameters = {
      Parameter("sensor_offset", {"x.position"}, Operation::kSet, Level::kUnit, Constant(0.5))};
  auto env = MakeEnvironments(task, gap, {.auto_reset = false});
  EXPECT_EQ(Copy(env->observations().row(0)), (std::vector<float>{0.5f, 0, 0, 0, 0}));
  for (float action : {1.0f, -3.0f}) env->Step(&Hold, &action);
  const auto observation = env->observations().row(0);
  EXPECT_FLOAT_EQ(observation[0], static_cast<float>(0.5 + env->qpos(0)[0]));
  EXPECT_NEAR(observation[1], 0.0, 1e-9);   // 10 ms forward, 10 ms back
  EXPECT_NEAR(observation[2], 0.01, 1e-9);  // one step ago
  EXPECT_EQ(observation[3], -1.0f);         // clipped
  EXPECT_EQ(observation[4], 1.0f);
  EXPECT_EQ(env->actions()(0, 0), -3.0f);  // as chosen
  EXPECT_EQ(env->measurements()(0, 0), 0.5 + env->qpos(0)[0]);
}

// Values per episode and per step are separate sources (the reward sees neither).
TEST(Environments, OffsetsStayForAnEpisodeAndNoiseForAStep) {
  TaskSpec task = SliderTask();
  task.actions.clear();
  task.rewards = {{RewardKind::kNear, "x", 0.0, 0.01, 1.0}};
  GapSpec gap;
  gap.parameters = {
      Parameter("sensor_offset", {"x.position"}, Operation::kSet, Level::kEpisode, Uniform(-1, 1)),
      Parameter("sensor_noise", {"x.velocity"}, Operation::kSet, Level::kStep, Constant(0.1))};
  auto env = MakeEnvironments(task, gap, {.worlds = 2, .auto_reset = true});
  std::vector<double> offsets, noises;
  for (int episode = 0; episode < 3; ++episode) {
    const double offset = env->measurements()(0, 0);
    offsets.push_back(offset);
    EXPECT_NE(offset, env->measurements()(1, 0));
    for (int step = 0; step < env->horizon_steps(); ++step) {
      EXPECT_EQ(env->measurements()(0, 0), offset);
      noises.push_back(env->measurements()(0, 1));
      env->Step(&Explore, nullptr);
      EXPECT_EQ(env->rewards()[0], 1.0);
    }
  }
  std::sort(noises.begin(), noises.end());
  EXPECT_EQ(std::unique(noises.begin(), noises.end()), noises.end());
  EXPECT_NE(offsets[0], offsets[1]);
  EXPECT_NE(offsets[1], offsets[2]);
}

// Puts the block inside the goal in the control steps that are marked, and far away in the others.
EpisodeSummary RunScript(TaskSpec task, const std::string& inside) {
  task.success = {{ConditionKind::kNear, "x", 0.0, 0.1}};
  task.success_hold = 0.03;
  task.horizon = 0.01 * static_cast<double>(inside.size());
  auto env = MakeEnvironments(task, kNoGap, {.auto_reset = false});
  const float still = 0.0f;
  for (char mark : inside) {
    const double x = mark == '+' ? 0.05 : 1.0, v = 0.0;
    env->SetState(0, {&x, 1}, {&v, 1});
    env->Step(&Hold, &still);
  }
  EXPECT_EQ(env->finished().size(), 1u);
  return env->finished().empty() ? EpisodeSummary{} : env->finished()[0];
}

TEST(Environments, SuccessIsTrueAtTheEndAndHeld) {
  const TaskSpec task = SliderTask();
  const EpisodeSummary all = RunScript(task, "++++++++++");
  EXPECT_TRUE(all.success);
  EXPECT_EQ(all.end, EpisodeEnd::kHorizon);
  EXPECT_EQ(all.steps, 10);
  EXPECT_EQ(all.settle_time, 0.0);
  EXPECT_EQ(all.episode_return, 10.0);
  const EpisodeSummary late = RunScript(task, "-+-----+++");
  EXPECT_TRUE(late.success);
  EXPECT_NEAR(late.settle_time, 0.07, 1e-12);
  for (const char* failed : {"--------++", "+++++++++-", "++++++++-+", "----------"}) {
    const EpisodeSummary summary = RunScript(task, failed);
    EXPECT_FALSE(summary.success) << failed;
    EXPECT_EQ(summary.settle_time, -1.0) << failed;
  }
}

TEST(Environments, ATerminationBeatsSuccess) {
  TaskSpec task = SliderTask();
  task.terminations = {{ConditionKind::kPositionAbove, "x", 0.0, 0.04}};
  const EpisodeSummary summary = RunScript(task, "+");  // inside the goal, and above the limit
  EXPECT_EQ(summary.end, EpisodeEnd::kTerminated);
  EXPECT_FALSE(summary.success);
}

TEST(Environments, WithoutConditionsReachingTheHorizonIsSuccess) {
  auto env = MakeEnvironments(SliderTask(), kNoGap, {.auto_reset = false});
  const float still = 0.0f;
  while (env->running(0)) env->Step(&Hold, &still);
  ASSERT_EQ(env->finished().size(), 1u);
  EXPECT_TRUE(env->finished()[0].success);
}

TEST(Environments, AWorldThatEndedStaysAsItEnded) {
  TaskSpec task = SliderTask();
  task.terminations = {{ConditionKind::kPositionAbove, "x", 0.0, 0.5}};
  auto env = MakeEnvironments(task, kNoGap, {.worlds = 3, .auto_reset = false});
  const double x = 1.0, v = 0.0;
  env->SetState(1, {&x, 1}, {&v, 1});
  const float full = 1.0f;
  env->Step(&Hold, &full);
  EXPECT_EQ(env->ends()[1], EpisodeEnd::kTerminated);
  EXPECT_EQ(env->rewards()[1], 1.0);
  EXPECT_EQ(env->running_count(), 2);
  const auto stopped = Copy(env->qpos(1));
  env->Step(&Hold, &full);
  EXPECT_EQ(Copy(env->qpos(1)), stopped);
  EXPECT_EQ(env->ends()[1], EpisodeEnd::kRunning);
  EXPECT_EQ(env->rewards()[1], 0.0);
  EXPECT_TRUE(env->finished().empty());
  while (env->running_count() > 0) env->Step(&Hold, &full);
  ASSERT_EQ(env->finished().size(), 2u);
  EXPECT_EQ(env->finished()[0].world, 0);
  EXPECT_EQ(env->finished()[1].world, 2);
  env->Step(&Hold, &full);  // nobody runs
  EXPECT_TRUE(env->finished().empty());
  env->Reset(1, 5);
  EXPECT_TRUE(env->running(1));
  EXPECT_EQ(env->qpos(1)[0], 0.0);
}

TEST(Environments, FinalObservationsAreThoseOfTheEnd) {
  auto stopping = MakeEnvironments(CartTask(), CartGap(), {.worlds = 4, .auto_reset = false});
  auto restarting = MakeEnvironments(CartTask(), CartGap(), {.worlds = 4, .auto_reset = true});
  std::vector<bool> ended(4, false);
  for (int step = 0; step < 30; ++step) {
    stopping->Step(&React, nullptr);
    restarting->Step(&React, nullptr);
    for (int w = 0; w < 4; ++w) {
      if (ended[w]) continue;
      EXPECT_EQ(Copy(restarting->final_observations().row(w)),
                Copy(stopping->observations().row(w)));
      ended[w] = restarting->ends()[w] != EpisodeEnd::kRunning;
      // Before the new episode, not its first observation.
      EXPECT_EQ(
          Copy(restarting->final_observations().row(w)) == Copy(restarting->observations().row(w)),
          !ended[w]);
    }
  }
  EXPECT_TRUE(ended[0] && ended[1] && ended[2] && ended[3]);
}

// Runs four worlds, one of them disturbed at the third step; the others must not notice.
template <class Disturb>
EpisodeSummary DisturbWorldOne(const TaskSpec& task, ActFunction act, const Disturb& disturb) {
  EnvironmentOptions options{.worlds = 4, .threads = 2, .auto_reset = false};
  auto quiet = MakeEnvironments(task, kNoGap, options);
  auto env = MakeEnvironments(task, kNoGap, options);
  EpisodeSummary summary;
  int divergences = 0;
  for (int step = 0; step < env->horizon_steps(); ++step) {
    if (step == 2) disturb(*env);
    env->Step(act, nullptr);
    quiet->Step(&Explore, nullptr);
    for (const EpisodeSummary& s : env->finished()) {
      if (s.end != EpisodeEnd::kDiverged) continue;
      ++divergences;
      summary = s;
      EXPECT_EQ(env->rewards()[1], 0.0);
    }
    for (int w : {0, 2, 3}) {
      EXPECT_EQ(Copy(env->qpos(w)), Copy(quiet->qpos(w)));
      EXPECT_EQ(Copy(env->observations().row(w)), Copy(quiet->observations().row(w)));
    }
    for (float o : env->observations().flat()) EXPECT_TRUE(std::isfinite(o));
  }
  EXPECT_EQ(divergences, 1);
  return summary;
}

void ExpectDivergedInStepThree(const EpisodeSummary& summary) {
  EXPECT_EQ(summary.world, 1);
  EXPECT_EQ(summary.end, EpisodeEnd::kDiverged);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(summary.episode_return, 2.0);
  EXPECT_FALSE(summary.success);
}

TEST(Environments, AnUnstableWorldEndsAsDivergedAndTheOthersGoOn) {
  // The engine resets such a state by itself and goes on.
  ExpectDivergedInStepThree(DisturbWorldOne(SliderTask(), &Explore, [](Environments& env) {
    const double x = 0.0, v = 1e12;
    env.SetState(1, {&x, 1}, {&v, 1});
  }));
}

TEST(Environments, AStateThatLeavesPhysicsInTheLastSubstepIsSeenAtOnce) {
  // Below the engine's limit of 1e10 before the step, above it after; the engine would look later.
  TaskSpec task = SliderTask();
  ExpectDivergedInStepThree(DisturbWorldOne(task, &Explore, [](Environments& env) {
    const double x = 1e10 - 5e7, v = 9.9e9;
    env.SetState(1, {&x, 1}, {&v, 1});
  }));
}

// A policy that returns no number, or whose computation makes the engine raise an error.
enum class Fault { kNan, kEngine };
template <Fault fault>
void ExploreWithFault(const void*, const StreamId& id, std::span<const float> observation,
                      std::span<float> action) {
  Explore(nullptr, id, observation, action);
  if (id.unit != 1 || id.step != 2) return;
  if (fault == Fault::kNan) action[0] = std::nanf("");
  if (fault == Fault::kEngine) mju_error("stopped in step 3");
}

TEST(Environments, AnActionThatIsNoNumberEndsItsWorld) {
  ExpectDivergedInStepThree(
      DisturbWorldOne(SliderTask(), &ExploreWithFault<Fault::kNan>, [](Environments&) {}));
}

TEST(Environments, AnEngineErrorEndsItsWorld) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the engine leaves the callback by longjmp, past the note of where it ends";
#endif
  ExpectDivergedInStepThree(
      DisturbWorldOne(SliderTask(), &ExploreWithFault<Fault::kEngine>, [](Environments&) {}));
}

TEST(Environments, ADivergedWorldBeginsAnew) {
  auto env = MakeEnvironments(SliderTask(), kNoGap, {.worlds = 2, .auto_reset = true});
  const double x = 0.0, v = 1e12;
  env->SetState(0, {&x, 1}, {&v, 1});
  const float full = 1.0f;
  env->Step(&Hold, &full);
  ASSERT_EQ(env->finished().size(), 1u);
  EXPECT_EQ(env->ends()[0], EpisodeEnd::kDiverged);
  EXPECT_EQ(env->qvel(0)[0], 0.0);
  for (int step = 0; step < 9; ++step) {
    env->Step(&Hold, &full);
    EXPECT_EQ(env->ends()[0], EpisodeEnd::kRunning) << step;
  }
  EXPECT_NEAR(env->qvel(0)[0], 0.09, 1e-12);
}

TEST(Environments, UnitsAndEpisodesCountAsToldOrAreFresh) {
  GapSpec gap;
  gap.parameters = {
      Parameter("sensor_offset", {"x.position"}, Operation::kSet, Level::kUnit, Uniform(-1, 1))};
  for (bool fresh : {false, true}) {
    auto env =
        MakeEnvironments(SliderTask(), gap, {.worlds = 3, .fresh_units = fresh, .first_unit = 10});
    std::vector<std::vector<double>> offsets;
    for (std::uint64_t episode = 0; episode < 3; ++episode) {
      offsets.emplace_back();
      for (int w = 0; w < 3; ++w) offsets.back().push_back(env->channel_settings(w)[0].offset);
      while (env->finished().empty()) env->Step(&Explore, nullptr);
      ASSERT_EQ(env->finished().size(), 3u);
      for (const EpisodeSummary& s : env->finished()) {
        EXPECT_EQ(s.episode, episode);
        EXPECT_EQ(s.unit, 10 + s.world + (fresh ? 3 * episode : 0));
      }
      env->Step(&Explore, nullptr);
    }
    EXPECT_EQ(offsets[0] == offsets[1], !fresh);
    EXPECT_EQ(offsets[1] == offsets[2], !fresh);
    EXPECT_NE(offsets[0][0], offsets[0][1]);
  }
}

// A constraint that holds the rail where it was compiled, switched off.
void AddLock(mjSpec* spec) {
  mjsEquality* lock = mjs_addEquality(spec, nullptr);
  lock->type = mjEQ_JOINT;
  lock->objtype = mjOBJ_JOINT;
  lock->active = 0;
  mjs_setString(lock->name1, "rail");
}

TEST(Environments, AnEditOfTheModelThatIsSwitchedOffChangesNoBit) {
  const auto trace = [](ModelEdit edit) {
    const auto env = MakeEnvironments(CartTask(), CartGap(), {.seed = 6, .edit_model = edit});
    std::vector<double> values;
    for (int step = 0; step < 60; ++step) {
      env->Step(&React, nullptr);
      for (double q : env->qpos(0)) values.push_back(q);
      for (double z : env->measurements().row(0)) values.push_back(z);
    }
    return values;
  };
  EXPECT_EQ(trace(nullptr), trace(&AddLock));
}

TEST(Environments, AHookBetweenStepsReachesConstraintsAndSettingsUntilTheReset) {
  TaskSpec task = CartTask();
  task.resets.clear();
  const auto env = MakeEnvironments(task, kNoGap, {.auto_reset = false, .edit_model = &AddLock});
  const float push = 0.5f;
  *mjb_stateComponent(env->batch(), mjSTATE_EQ_ACTIVE, nullptr) = 1.0;
  for (int step = 0; step < 5; ++step) env->Step(&Hold, &push);
  const double locked = std::abs(env->qpos(0)[0]);
  env->Reset(0, 0);
  for (int step = 0; step < 5; ++step) env->Step(&Hold, &push);
  const double free = std::abs(env->qpos(0)[0]);
  EXPECT_LT(locked, 0.05 * free);
  env->mutable_actuator_settings(0)[0].strength = 0.25;
  EXPECT_EQ(env->actuator_settings(0)[0].strength, 0.25);
  env->Reset(0, 0);
  EXPECT_EQ(env->actuator_settings(0)[0].strength, 1.0);
}

TEST(Environments, MakeErrorsNameWhatIsWrong) {
  const auto error = [](const TaskSpec& task, const GapSpec& gap) {
    const auto made = Environments::Make(task, gap, {});
    return made.ok() ? std::string("accepted") : made.error().message;
  };
  TaskSpec task = SliderTask();
  task.control_period = 0.012;
  EXPECT_THAT(error(task, kNoGap), HasSubstr("0.012"));
  task = SliderTask();
  task.actions[0].actuator = "pusch";
  EXPECT_THAT(error(task, kNoGap), HasSubstr("push"));
  task = SliderTask();
  task.resets = {{"y"}};
  EXPECT_THAT(error(task, kNoGap), HasSubstr("'y'"));
  task = SliderTask();
  task.observations[0].joint = "z";
  EXPECT_THAT(error(task, kNoGap), HasSubstr("z.position"));
  task = SliderTask();
  task.actions.resize(1000, task.actions[0]);
  EXPECT_THAT(error(task, kNoGap), HasSubstr("1000"));
  task = SliderTask();
  task.model_path = "/no/such/model.xml";
  EXPECT_THAT(error(task, kNoGap), HasSubstr("/no/such/model.xml"));
  GapSpec gap;
  gap.parameters = {
      Parameter("body_mass", {"blok"}, Operation::kScale, Level::kUnit, Constant(1.1))};
  EXPECT_THAT(error(SliderTask(), gap), HasSubstr("block"));
}

}  // namespace
}  // namespace realward
