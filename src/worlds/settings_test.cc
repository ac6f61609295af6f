#include "worlds/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/gap_kind.h"

namespace realward {
namespace {

template <class Kinds>
void CheckKinds(const Kinds& kinds, TargetKind target, std::set<std::string>& seen) {
  for (const auto& row : kinds) {
    const GapKind* kind = FindGapKind(row.kind);
    ASSERT_NE(kind, nullptr) << row.kind << " is no kind of the gap model";
    EXPECT_EQ(kind->target, target) << row.kind;
    EXPECT_TRUE(seen.insert(row.kind).second) << row.kind << " stands twice";
  }
}

// A setting that no kind can write would be a setting that never acts.
TEST(Settings, EveryMemberHasAKindOfItsTarget) {
  std::set<std::string> seen;
  CheckKinds(ActuatorSettingKinds(), TargetKind::kActuator, seen);
  CheckKinds(JointSettingKinds(), TargetKind::kJoint, seen);
  CheckKinds(ChannelSettingKinds(), TargetKind::kChannel, seen);
  CheckKinds(WorldSettingKinds(), TargetKind::kWorld, seen);
  const std::size_t doubles = sizeof(ActuatorSettings) + sizeof(JointSettings) +
                              sizeof(ChannelSettings) + sizeof(WorldSettings);
  EXPECT_EQ(seen.size(), doubles / sizeof(double));
}

// What a fresh setting holds changes nothing, and lies within the limits of its kind.
template <class Settings, class Kinds>
void CheckNominal(const Settings& settings, const Kinds& kinds) {
  for (const auto& row : kinds) {
    const GapKind* kind = FindGapKind(row.kind);
    ASSERT_NE(kind, nullptr);
    EXPECT_GE(settings.*row.member, kind->lowest) << row.kind;
    EXPECT_LE(settings.*row.member, kind->highest) << row.kind;
  }
}

TEST(Settings, TheNominalIsWithinPhysics) {
  CheckNominal(ActuatorSettings{}, ActuatorSettingKinds());
  CheckNominal(JointSettings{}, JointSettingKinds());
  CheckNominal(ChannelSettings{}, ChannelSettingKinds());
  CheckNominal(WorldSettings{}, WorldSettingKinds());
  EXPECT_FALSE(HasPath({}));
  EXPECT_FALSE(LimitsForce({}, {}));
  EXPECT_FALSE(HasFriction({}));
}

TEST(Settings, TheModelGivesForceLimitsAndGravity) {
  const ModelPtr model = std::move(LoadModelText(R"(
    <mujoco><option gravity="0 0 -3.7"/><worldbody><body><joint name="j"/><geom size=".1"/></body>
    </worldbody><actuator><motor name="a" joint="j" forcerange="-2 2"/>
    <motor name="b" joint="j"/></actuator></mujoco>)"))
                             .value();
  EXPECT_EQ(NominalActuator(*model, 0).force_limit, 2.0);
  EXPECT_EQ(NominalActuator(*model, 1).force_limit, kNoLimit);
  EXPECT_EQ(NominalWorld(*model).gravity, 3.7);
}

}  // namespace
}  // namespace realward
