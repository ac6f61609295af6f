#include "deploy/fault_script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numbers>

namespace realward {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAll = R"(faults:
  - {fault: sensor_freezes, target: hinge.position, trials: [3, 7], from: 2.0 s, for: 0.5 s}
  - {fault: sensor_drops_out, target: "*.velocity", from: 1 s, for: 200 ms}
  - {fault: sensor_jumps, target: hinge.position, from: 1 s, by: 5 deg}
  - {fault: joint_jams, target: hinge, from: 3 s, for: 1 s}
  - {fault: actuator_dies, target: motor, from: 4 s}
  - {fault: voltage_drops, to: 0.7, from: 2 s, for: 1 s, probability: 0.2}
  - {fault: link_stalls, from: 1 s, for: 300 ms}
  - {fault: link_breaks, from: 5 s}
  - {fault: robot_process_dies, from: 5 s}
)";

FaultSites Sites() {
  return {{{"arm.position", "rad"},
           {"arm.velocity", "rad/s"},
           {"hinge.position", "rad"},
           {"hinge.velocity", "rad/s"},
           {"rail.position", "m"}},
          {"arm", "hinge", "rail"},
          {"motor", "servo"}};
}

FaultScript Read(const std::string& text) {
  auto script = ParseFaults(text, "faults.yaml");
  EXPECT_TRUE(script.ok()) << script.error().message;
  return script.ok() ? *script : FaultScript();
}

// The errors of a file with these faults, of reading or of binding; line 2 is the first.
std::string ErrorsOf(const std::vector<std::string>& faults) {
  std::string text = "faults:\n";
  for (const std::string& fault : faults) text += fmt::format("  - {{{}}}\n", fault);
  const auto script = ParseFaults(text, "faults.yaml");
  if (!script.ok()) return script.error().message;
  const auto bound = BindFaults(*script, Sites(), 0.01);
  return bound.ok() ? "" : bound.error().message;
}

TEST(FaultScript, ReadsTheDocumentedForm) {
  const FaultScript script = Read(kAll);
  ASSERT_EQ(script.faults.size(), 9u);
  EXPECT_EQ(script.faults[0].kind, FaultKind::kSensorFreezes);
  EXPECT_THAT(script.faults[0].trials, ElementsAre(3, 7));
  EXPECT_EQ(script.faults[0].line, 2);
  EXPECT_EQ(script.faults[0].duration, 0.5);
  EXPECT_DOUBLE_EQ(*script.faults[1].duration, 0.2);
  EXPECT_DOUBLE_EQ(script.faults[2].amount, 5 * std::numbers::pi / 180);
  EXPECT_EQ(script.faults[2].dimension, "angle");
  EXPECT_FALSE(script.faults[4].duration.has_value());
  EXPECT_EQ(script.faults[5].amount, 0.7);
  EXPECT_EQ(script.faults[5].probability, 0.2);
  EXPECT_TRUE(Read("faults: []\n").faults.empty());
}

TEST(FaultScript, BindsNamesGlobsAndTimes) {
  const auto bound = BindFaults(Read(kAll), Sites(), 0.01);
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_THAT((*bound)[0].targets, ElementsAre(2));
  EXPECT_THAT((*bound)[1].targets, ElementsAre(1, 3));
  EXPECT_THAT((*bound)[3].targets, ElementsAre(1));
  EXPECT_EQ((*bound)[0].begin, 200);
  EXPECT_EQ((*bound)[0].end, 250);
  EXPECT_EQ((*bound)[4].end, kNeverEnds);
  EXPECT_EQ((*bound)[3].Text(), "joint_jams of 'hinge'");
}

// k · period need not be the double that people write for it.
TEST(FaultScript, AFaultBeginsWithTheFirstPeriodAtOrAfterItsTime) {
  for (const double period : {0.01, 0.02, 1.0 / 30.0, 0.001}) {
    for (int k = 1; k < 2000; ++k) {
      const auto begin = [&](double from) {
        FaultScript script;
        script.faults.emplace_back();
        script.faults[0].kind = FaultKind::kLinkBreaks;
        script.faults[0].from = from;
        return (*BindFaults(script, Sites(), period))[0].begin;
      };
      ASSERT_EQ(begin(k * period), k);
      ASSERT_EQ(begin((k - 0.4) * period), k);
    }
  }
}

TEST(FaultScript, ErrorsNameFileLineValueAndTheNearest) {
  EXPECT_THAT(ErrorsOf({"fault: sensor_freeze, target: hinge.position, from: 1 s"}),
              AllOf(HasSubstr("faults.yaml:2"), HasSubstr("nearest valid: sensor_freezes"),
                    Not(HasSubstr("key 'target'"))));
  EXPECT_THAT(
      ErrorsOf({"fault: link_breaks, from: 1 s",
                "fault: sensor_freezes, target: hinge.positon, from: 1 s"}),
      AllOf(HasSubstr("faults.yaml:3"), HasSubstr("'hinge.positon'"), HasSubstr("hinge.position")));
  EXPECT_THAT(
      ErrorsOf({"fault: joint_jams, target: hinje, from: 1 s"}),
      AllOf(HasSubstr("faults.yaml:2"), HasSubstr("unknown joint 'hinje'"), HasSubstr("hinge")));
  EXPECT_THAT(ErrorsOf({"fault: actuator_dies, target: \"wheel*\", from: 1 s"}),
              HasSubstr("unknown actuator 'wheel*'"));
  EXPECT_THAT(ErrorsOf({"fault: joint_jams, target: hinge, from: -1 s"}),
              AllOf(HasSubstr("faults.yaml:2"), HasSubstr("'from'")));
  EXPECT_THAT(ErrorsOf({"fault: joint_jams, target: hinge, from: 1 s, for: -1 s"}),
              HasSubstr("'for'"));
  EXPECT_THAT(ErrorsOf({"fault: joint_jams, target: hinge, from: 1 s, for: 0 s"}),
              HasSubstr("'for'"));
  EXPECT_THAT(ErrorsOf({"fault: joint_jams, target: hinge, from: 1 deg"}), HasSubstr("time"));
  EXPECT_THAT(ErrorsOf({"fault: joint_jams, target: hinge, form: 1 s"}),
              AllOf(HasSubstr("'form'"), HasSubstr("'from'")));
  EXPECT_THAT(ErrorsOf({"fault: link_breaks, target: hinge, from: 1 s"}), HasSubstr("'target'"));
  EXPECT_THAT(ErrorsOf({"fault: link_breaks, from: 1 s, for: 1 s"}), HasSubstr("'for'"));
  EXPECT_THAT(ErrorsOf({"fault: voltage_drops, from: 1 s"}), HasSubstr("'to'"));
  EXPECT_THAT(ErrorsOf({"fault: voltage_drops, from: 1 s, to: 1.5"}), HasSubstr("1.5"));
  EXPECT_THAT(ErrorsOf({"fault: link_stalls, from: 1 s, probability: 2"}),
              HasSubstr("'probability'"));
  EXPECT_THAT(ErrorsOf({"fault: link_stalls, from: 1 s, trials: []"}), HasSubstr("no trial"));
  EXPECT_THAT(ErrorsOf({"fault: link_stalls, from: 1 s, trials: [4, 4]"}), HasSubstr("twice"));
  EXPECT_THAT(ErrorsOf({"fault: link_stalls, from: 1 s, trials: [-1]"}), HasSubstr("-1"));
  EXPECT_THAT(ErrorsOf({"fault: link_stalls, from: 1.001 s, for: 2 ms"}),
              HasSubstr("no control period begins"));
  EXPECT_THAT(ErrorsOf({"fault: sensor_jumps, target: hinge.position, from: 1 s, by: 0"}),
              HasSubstr("changes nothing"));
  EXPECT_THAT(ErrorsOf({"fault: sensor_jumps, target: \"*.position\", from: 1 s, by: 5 deg"}),
              AllOf(HasSubstr("faults.yaml:2"), HasSubstr("'rail.position' is in m"),
                    Not(HasSubstr("'hinge.position'"))));
}

TEST(FaultScript, FaultsThatContradictEachOtherAreRefusedByLine) {
  const std::string frozen = "fault: sensor_freezes, target: hinge.position, from: 1 s, for: 1 s";
  EXPECT_THAT(ErrorsOf({frozen, "fault: sensor_drops_out, target: \"hinge.*\", from: 1.5 s"}),
              AllOf(HasSubstr("faults.yaml:3"), HasSubstr("contradicts"), HasSubstr("line 2")));
  EXPECT_THAT(ErrorsOf({"fault: voltage_drops, from: 1 s, to: 0.5",
                        "fault: voltage_drops, from: 2 s, to: 0.4, trials: [1]"}),
              HasSubstr("contradicts"));
  // One after the other, other targets, other trials, and what adds up.
  EXPECT_EQ(ErrorsOf({frozen, "fault: sensor_drops_out, target: hinge.position, from: 2 s"}), "");
  EXPECT_EQ(ErrorsOf({frozen, "fault: sensor_drops_out, target: hinge.velocity, from: 1 s"}), "");
  EXPECT_EQ(ErrorsOf({frozen + ", trials: [1, 2]",
                      "fault: sensor_drops_out, target: hinge.position, from: 1 s, trials: [3]"}),
            "");
  EXPECT_EQ(ErrorsOf({frozen, "fault: sensor_jumps, target: hinge.position, from: 0 s, by: 1"}),
            "");
  EXPECT_EQ(ErrorsOf({"fault: joint_jams, target: arm, from: 0 s",
                      "fault: joint_jams, target: hinge, from: 0 s"}),
            "");
}

TEST(FaultScript, AProbabilityIsAShareOfTheTrialsDrawnByAddress) {
  Fault fault;
  fault.probability = 0.2;
  int happened = 0, same_as_other_unit = 0, same_as_other_index = 0;
  constexpr int kTrials = 20000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const bool here = Happens(fault, 1, 5, 2, trial);
    happened += here;
    same_as_other_unit += here == Happens(fault, 1, 5, 3, trial);
    same_as_other_index += here == Happens(fault, 0, 5, 2, trial);
    ASSERT_EQ(here, Happens(fault, 1, 5, 2, trial));
  }
  // Five standard deviations of a binomial are 5 √(n p q) = 283; independent draws agree with
  // probability p² + q² = 0.68.
  EXPECT_NEAR(happened, 0.2 * kTrials, 283);
  EXPECT_NEAR(same_as_other_unit, 0.68 * kTrials, 330);
  EXPECT_NEAR(same_as_other_index, 0.68 * kTrials, 330);
  fault.probability = 1.0;
  fault.trials = {4};
  EXPECT_TRUE(Happens(fault, 0, 5, 2, 4));
  EXPECT_FALSE(Happens(fault, 0, 5, 2, 5));
  fault.probability = 0.0;
  EXPECT_FALSE(Happens(fault, 0, 5, 2, 4));
}

bool Equal(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.target == b.target && a.trials == b.trials && a.from == b.from &&
         a.duration == b.duration && a.probability == b.probability && a.amount == b.amount &&
         a.dimension == b.dimension;
}

RC_GTEST_PROP(FaultScript, ToYamlRoundTrips, ()) {
  const auto number = [] {
    return static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1'000'000'007)) / 1e6 / 3.0;
  };
  FaultScript script;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    Fault fault;
    fault.kind = static_cast<FaultKind>(*rc::gen::inRange(0, 9));
    const bool targeted = fault.kind <= FaultKind::kActuatorDies;
    if (targeted)
      fault.target = *rc::gen::element<std::string>("*", "hinge.position", "a b", "é", "\"q\"", "#",
                                                    "- x", "null", "a: b", "~", "1e3");
    for (int t = *rc::gen::inRange(0, 3); t > 0; --t) fault.trials.push_back(7 * t);
    fault.from = *rc::gen::inRange(0, 2) * number();
    if (fault.kind < FaultKind::kLinkBreaks && *rc::gen::arbitrary<bool>())
      fault.duration = number();
    if (*rc::gen::arbitrary<bool>()) fault.probability = number() / 1000.0;
    if (fault.kind == FaultKind::kVoltageDrops) fault.amount = number() / 1000.0;
    if (fault.kind == FaultKind::kSensorJumps) {
      fault.amount = -number();
      fault.dimension =
          *rc::gen::element<std::string>("", "angle", "length", "angular_velocity", "velocity");
    }
    script.faults.push_back(fault);
  }
  const std::string text = ToYaml(script);
  const auto back = ParseFaults(text, "back.yaml");
  if (!back.ok()) RC_FAIL(back.error().message + "\n" + text);
  RC_ASSERT(back->faults.size() == script.faults.size());
  for (std::size_t i = 0; i < script.faults.size(); ++i) {
    if (!Equal(back->faults[i], script.faults[i])) RC_FAIL(text);
  }
}

}  // namespace
}  // namespace realward
