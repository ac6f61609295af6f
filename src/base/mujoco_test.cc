#include "base/mujoco.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace realward {
namespace {

constexpr char kPendulum[] =
    R"(<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02"/></body></worldbody>
  <actuator><motor joint="hinge"/></actuator></mujoco>)";

TEST(Mujoco, LoadsAndNamesObjects) {
  ModelPtr model = std::move(LoadModelText(kPendulum)).value();
  EXPECT_EQ(ObjectNames(*model, mjOBJ_JOINT), std::vector<std::string>{"hinge"});
  EXPECT_EQ(ObjectNames(*model, mjOBJ_BODY), (std::vector<std::string>{"world", "rod"}));
  EXPECT_EQ(ObjectNames(*model, mjOBJ_ACTUATOR), std::vector<std::string>{"actuator#0"});
  ModelPtr copy = CopyModel(*model);
  EXPECT_EQ(copy->body_mass[1], model->body_mass[1]);
}

TEST(Mujoco, ErrorsNameTheFileAndTheReason) {
  const std::string path = testing::TempDir() + "/broken.xml";
  std::ofstream(path)
      << "<mujoco><worldbody><body><joint axis=\"0 0 0\"/></body></worldbody></mujoco>";
  const auto broken = LoadModel(path);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::kInvalidInput);
  EXPECT_NE(broken.error().message.find(path), std::string::npos);
  const auto missing = LoadModel("/no/such/model.xml");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("/no/such/model.xml"), std::string::npos);
}

TEST(Mujoco, ApplyBatchRunsEachIdOnceAndSavesIfAsked) {
  ModelPtr model = std::move(LoadModelText(kPendulum)).value();
  BatchPtr batch = std::move(MakeBatch(*model, 16, 2)).value();
  const std::vector<int> ids = {1, 3, 4, 15};
  std::vector<int> calls(16, 0);
  const auto move = [](const mjModel*, mjData* data, int id, void* argument) {
    ++(*static_cast<std::vector<int>*>(argument))[id];
    data->qpos[0] = id;
  };
  int size = 0;
  const mjtNum* qpos = mjb_stateComponent(batch.get(), mjSTATE_QPOS, &size);
  const int stride = mjb_nstate(batch.get());
  EXPECT_EQ(ApplyBatch(batch.get(), ids, move, &calls, false), 0);
  EXPECT_EQ(qpos[3 * stride], 0.0);
  EXPECT_EQ(ApplyBatch(batch.get(), ids, move, &calls, true), 0);
  for (int id = 0; id < 16; ++id) {
    const bool named = std::find(ids.begin(), ids.end(), id) != ids.end();
    EXPECT_EQ(calls[id], named ? 2 : 0) << id;
    EXPECT_EQ(qpos[id * stride], named ? id : 0) << id;
  }
}

// MuJoCo resets a state that diverges and leaves only a counter.
TEST(Mujoco, DivergenceShowsInTheCounters) {
  ModelPtr model = std::move(LoadModelText(kPendulum)).value();
  BatchPtr batch = std::move(MakeBatch(*model, 2, 1)).value();
  int size = 0;
  mjtNum* qvel = mjb_stateComponent(batch.get(), mjSTATE_QVEL, &size);
  ASSERT_EQ(size, 1);
  qvel[mjb_nstate(batch.get())] = 1e12;  // world 1 only
  mjb_step(batch.get(), nullptr, 0, 1, mjSTAGE_NONE);
  const mjWarningStat* warnings = mjb_warning(batch.get());
  EXPECT_EQ(DivergenceCount(warnings), 0);
  EXPECT_GT(DivergenceCount(warnings + mjNWARNING), 0);
}

}  // namespace
}  // namespace realward
