#include "worlds/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kScene[] = R"(
<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.8 0.005 0.0001"/>
  <body name="box" pos="0 0 .1"><joint name="slide" type="slide" axis="1 0 0"/>
    <inertial pos="0 0 0" mass="2" diaginertia="0.01 0.02 0.025"/>
    <geom name="box" type="box" size=".1 .1 .1" friction="0.5 0.005 0.0001"/>
    <geom name="paint" size=".05" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>)";

GapParameter Parameter(const std::string& kind, const std::string& target, Operation operation,
                       double value) {
  GapParameter parameter;
  parameter.name = parameter.kind = kind;
  parameter.targets = {target};
  parameter.operation = operation;
  parameter.distribution.a = value;
  return parameter;
}

struct Audited {
  explicit Audited(GapParameter parameter) : model(std::move(LoadModelText(kScene)).value()) {
    GapSpec gap;
    gap.parameters = {parameter};
    auto made = WorldPlan::Make(*model, gap);
    EXPECT_TRUE(made.ok()) << made.error().message;
    plan = std::make_unique<WorldPlan>(std::move(made).value());
    const double value = parameter.distribution.a;
    audit = AuditWorld(*model, *plan, {&value, 1});
  }
  std::vector<std::string> no_ops() const { return NoOps(*model, *plan, {&audit, 1}); }
  ModelPtr model;
  std::unique_ptr<WorldPlan> plan;
  WorldAudit audit;
};

TEST(Audit, ShowsTheFrictionThatAContactHas) {
  const Audited slippery(Parameter("geom_friction", "floor", Operation::kSet, 0.3));
  ASSERT_EQ(slippery.audit.contacts.size(), 1u);
  EXPECT_EQ(slippery.audit.contacts[0].name, "sliding friction of 'floor' with 'box'");
  EXPECT_EQ(slippery.audit.contacts[0].nominal, 0.8);
  EXPECT_EQ(slippery.audit.contacts[0].drawn, 0.5) << "the box's is larger now";
  EXPECT_THAT(slippery.no_ops(), IsEmpty());
}

TEST(Audit, WarnsOfAFrictionThatNoContactHas) {
  const Audited outdone(Parameter("geom_friction", "box", Operation::kSet, 0.3));
  EXPECT_EQ(outdone.audit.values[0].effective, 0.3);
  EXPECT_FALSE(outdone.audit.contacts[0].changed());
  EXPECT_THAT(outdone.no_ops(), ElementsAre(HasSubstr("the other geom's is larger")));
  const Audited paint(Parameter("geom_friction", "paint", Operation::kSet, 0.3));
  EXPECT_THAT(paint.no_ops(), ElementsAre(HasSubstr("can touch nothing")));
}

TEST(Audit, WarnsOfAValueThatStays) {
  const Audited same(Parameter("body_mass", "box", Operation::kScale, 1.0));
  EXPECT_THAT(same.no_ops(), ElementsAre(HasSubstr("'body_mass' changes nothing in 1 draws")));
}

TEST(Audit, ShowsWhatTheEngineDerives) {
  const Audited heavy(Parameter("body_mass", "box", Operation::kScale, 1.5));
  ASSERT_EQ(heavy.audit.derived.size(), 2u);
  EXPECT_EQ(heavy.audit.derived[0].name, "total mass");
  EXPECT_DOUBLE_EQ(heavy.audit.derived[0].drawn, 3.0);
  EXPECT_EQ(heavy.audit.derived[1].name, "inertia seen by joint 'slide'");
  EXPECT_DOUBLE_EQ(heavy.audit.derived[1].nominal, 2.0);
  EXPECT_DOUBLE_EQ(heavy.audit.derived[1].drawn, 3.0);
  EXPECT_THAT(heavy.audit.impossible, IsEmpty());
}

TEST(Audit, NamesBodiesThatCannotExist) {
  ModelPtr model = std::move(LoadModelText(kScene)).value();
  model->body_inertia[3] = 0.06;  // above 0.02 + 0.025
  EXPECT_THAT(ImpossibleValues(*model),
              ElementsAre(HasSubstr("body 'box' has principal inertias")));
  model->body_inertia[3] = 0.01;
  model->body_mass[1] = -1.0;
  EXPECT_THAT(ImpossibleValues(*model), ElementsAre(HasSubstr("a mass of -1 kg")));
}

}  // namespace
}  // namespace realward
