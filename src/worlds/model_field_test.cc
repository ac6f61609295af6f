#include "worlds/model_field.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace realward {
namespace {

constexpr char kTwoLinks[] = R"(
<mujoco><option gravity="0 0 -9.5"/><worldbody>
  <body><joint name="a" axis="0 1 0" damping="0.1" frictionloss="0.2" armature="0.3" stiffness="4"
    springref="0.5"/><geom size="0.1" friction="0.7 0.01 0.001" pos="0.1 0.2 0.3"/>
    <body pos="0 0 1"><joint name="b" axis="1 0 0" damping="0.6"/><geom size="0.1 0.2 0.3"
      type="box"/></body></body>
</worldbody><actuator><position joint="a" kp="12" kv="3"/><motor joint="b"/></actuator></mujoco>)";

// The engine's own storage of a field, asked for by name, is what the rows point to.
TEST(ModelField, NamesAndRowsAreTheEngines) {
  ModelPtr model = std::move(LoadModelText(kTwoLinks)).value();
  BatchPtr batch = std::move(MakeBatch(*model, 1, 1)).value();
  const FieldRows rows = RowsOf(*model);
  std::set<std::string> names;
  for (int f = 0; f < kModelFieldCount; ++f) {
    const char* name = FieldName(static_cast<ModelField>(f));
    EXPECT_TRUE(names.insert(name).second) << name;
    int size = 0, element = 0;
    const auto* stored = static_cast<const mjtNum*>(mjb_expand(batch.get(), name, &size, &element));
    ASSERT_NE(stored, nullptr) << name;
    ASSERT_EQ(element, static_cast<int>(sizeof(mjtNum))) << name;
    ASSERT_GT(size, 0) << name;
    EXPECT_EQ(std::vector<mjtNum>(stored, stored + size),
              std::vector<mjtNum>(rows[f], rows[f] + size))
        << name;
  }
}

// Every field for which mj_setConst changes something is marked, and only those.
TEST(ModelField, FeedsSetConstAgreesWithTheEngine) {
  for (int f = 0; f < kModelFieldCount; ++f) {
    const auto field = static_cast<ModelField>(f);
    ModelPtr model = std::move(LoadModelText(kTwoLinks)).value();
    BatchPtr batch = std::move(MakeBatch(*model, 1, 1)).value();
    int size = 0;
    auto* row = static_cast<mjtNum*>(mjb_expand(batch.get(), FieldName(field), &size, nullptr));
    ModelPtr before = CopyModel(*model), after = CopyModel(*model);
    for (int i = 0; i < size; ++i) row[i] *= 1.25;
    mjb_getModel(batch.get(), 0, before.get());
    ASSERT_EQ(mjb_setConst(batch.get(), nullptr, 0), 0) << mjb_error(batch.get(), 0);
    mjb_getModel(batch.get(), 0, after.get());
    std::vector<char> a(mj_sizeModel(before.get())), b(a.size());
    mj_saveModel(before.get(), nullptr, a.data(), static_cast<int>(a.size()));
    mj_saveModel(after.get(), nullptr, b.data(), static_cast<int>(b.size()));
    // A change of qpos_spring shows only in models with tendons.
    if (field == ModelField::kQposSpring) continue;
    EXPECT_EQ(FeedsSetConst(field), a != b) << FieldName(field);
  }
}

}  // namespace
}  // namespace realward
