#include "base/mujoco.h"

#include <gtest/gtest.h>

#include <fstream>

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
