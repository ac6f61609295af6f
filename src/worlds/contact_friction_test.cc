#include "worlds/contact_friction.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

constexpr char kScene[] = R"(
<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.6 0.01 0.002"/>
  <geom name="ghost" type="sphere" size="0.3" contype="0" conaffinity="0"/>
  <body name="a" pos="0 0 0.099"><freejoint/>
    <geom name="a" size=".1" friction="0.9 0.005 0.001" condim="6"/>
    <geom name="a2" size=".05" pos="0 0 .1"/>
    <body name="child" pos="0 0 .3"><joint/><geom name="child" size=".1"/></body></body>
  <body name="b" pos="0.19 0 0.099"><freejoint/>
    <geom name="b" size=".1" priority="1" friction="0.2 0.001 0.0001"/></body>
  <body name="c" pos="-0.19 0 0.099"><freejoint/><geom name="c" size=".1"/></body>
</worldbody><contact><exclude body1="a" body2="c"/></contact></mujoco>)";

int Geom(const mjModel& m, const char* name) { return mj_name2id(&m, mjOBJ_GEOM, name); }

// Against what the engine made of the contacts that there are.
TEST(ContactFriction, IsWhatTheEngineUses) {
  const ModelPtr m = std::move(LoadModelText(kScene)).value();
  DataPtr d = MakeData(*m);
  mj_forward(m.get(), d.get());
  ASSERT_GE(d->ncon, 4);
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    const auto friction = CombinedFriction(*m, contact.geom[0], contact.geom[1]);
    EXPECT_DOUBLE_EQ(contact.friction[0], friction[0]);
    EXPECT_DOUBLE_EQ(contact.friction[2], friction[1]);
    EXPECT_DOUBLE_EQ(contact.friction[3], friction[2]);
    EXPECT_TRUE(CanTouch(*m, contact.geom[0], contact.geom[1]));
  }
}

TEST(ContactFriction, KnowsWhatCannotTouch) {
  const ModelPtr m = std::move(LoadModelText(kScene)).value();
  const auto can = [&](const char* a, const char* b) {
    EXPECT_EQ(CanTouch(*m, Geom(*m, a), Geom(*m, b)), CanTouch(*m, Geom(*m, b), Geom(*m, a)));
    return CanTouch(*m, Geom(*m, a), Geom(*m, b));
  };
  EXPECT_TRUE(can("floor", "a"));
  EXPECT_TRUE(can("a", "b"));
  EXPECT_TRUE(can("floor", "child"));
  EXPECT_FALSE(can("a", "a2")) << "one body";
  EXPECT_FALSE(can("a", "child")) << "parent and child";
  EXPECT_FALSE(can("a", "c")) << "excluded";
  EXPECT_FALSE(can("floor", "ghost")) << "no affinity";
  EXPECT_TRUE(TouchableBy(*m, Geom(*m, "ghost")).empty());
  EXPECT_EQ(TouchableBy(*m, Geom(*m, "floor")).size(), 5u);
}

}  // namespace
}  // namespace realward
