#include "spec/gap.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPendulum = R"(gap: pendulum-wide
parameters:
  - name: friction
    kind: joint_frictionloss
    target: hinge
    operation: scale
    level: unit
    distribution: {uniform: [0.5, 2]}
    bounds: [0.1, 10]
  - kind: body_mass
    target: [bob, "rod*"]
    distribution: {normal: {mean: 546 g, std: 10 g}}
    bounds: [0.1 kg, 1 kg]
  - {kind: actuator_delay, target: motor, distribution: {uniform: [0 ms, 30 ms]}}
  - {kind: sensor_noise, target: hinge.velocity, distribution: 5 deg/s}
  - {kind: gravity, distribution: {constant: 9.81 m/s^2}}
correlations:
  - {parameters: [friction, body_mass.bob+rod*], matrix: [[1, 0.3], [0.3, 1]]}
)";

std::string ErrorsOf(const std::string& yaml) {
  const auto gap = LoadGap(WriteTestFile("gap.yaml", yaml));
  return gap.ok() ? "" : gap.error().message;
}

// The errors of a file with one parameter; its keys start in line 3.
std::string ParameterErrors(const std::string& keys) {
  return ErrorsOf(fmt::format("gap: g\nparameters:\n  - {{{}}}\n", keys));
}

TEST(Gap, ReadsTheDocumentedForm) {
  const auto gap = LoadGap(WriteTestFile("gap.yaml", kPendulum));
  ASSERT_TRUE(gap.ok()) << gap.error().message;
  EXPECT_EQ(gap->name, "pendulum-wide");
  ASSERT_EQ(gap->parameters.size(), 5u);
  const GapParameter& friction = gap->parameters[0];
  EXPECT_EQ(friction.name, "friction");
  EXPECT_EQ(friction.operation, Operation::kScale);
  EXPECT_EQ(friction.line, 3);
  EXPECT_EQ(friction.bound_low, 0.1);
  EXPECT_EQ(friction.bound_high, 10.0);
  const GapParameter& mass = gap->parameters[1];
  EXPECT_EQ(mass.name, "body_mass.bob+rod*") << "the default: kind and targets";
  EXPECT_THAT(mass.targets, ElementsAre("bob", "rod*"));
  EXPECT_EQ(mass.operation, Operation::kSet);
  EXPECT_DOUBLE_EQ(mass.distribution.a, 0.546);
  EXPECT_DOUBLE_EQ(mass.distribution.b, 0.010);
  EXPECT_DOUBLE_EQ(gap->parameters[2].distribution.b, 0.030);
  EXPECT_FALSE(gap->parameters[2].bound_low.has_value());
  EXPECT_EQ(gap->parameters[3].level, Level::kStep) << "the default of noise";
  EXPECT_DOUBLE_EQ(gap->parameters[3].distribution.a, 5 * std::numbers::pi / 180);
  EXPECT_EQ(gap->parameters[4].level, Level::kFleet);
  EXPECT_TRUE(gap->parameters[4].targets.empty());
  ASSERT_EQ(gap->correlations.size(), 1u);
  EXPECT_EQ(gap->correlations[0].correlation(0, 1), 0.3);
}

TEST(Gap, JsonAndYamlReadBackToAnEqualValue) {
  const auto gap = LoadGap(WriteTestFile("gap.yaml", kPendulum));
  ASSERT_TRUE(gap.ok());
  const auto from_json = GapFromJson(ToJson(*gap));
  ASSERT_TRUE(from_json.ok()) << from_json.error().message;
  EXPECT_EQ(ToJson(*from_json), ToJson(*gap));
  const std::string yaml = ToYaml(*gap);
  EXPECT_THAT(yaml, HasSubstr("mean: 0.546 kg"));
  const auto from_yaml = LoadGap(WriteTestFile("back.yaml", yaml));
  ASSERT_TRUE(from_yaml.ok()) << from_yaml.error().message << "\n" << yaml;
  EXPECT_EQ(ToJson(*from_yaml), ToJson(*gap));
  EXPECT_EQ(HashJson(ToJson(*from_yaml)), HashJson(ToJson(*gap)));
}

rc::Gen<double> Finite(double low, double high) {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(0, 1'000'000'007), [=](std::int64_t i) {
    return low + (high - low) * static_cast<double>(i) / 1'000'000'007.0;
  });
}

// Any spec, also with names that YAML would take for something else.
GapSpec RandomGap() {
  GapSpec gap;
  gap.name = *rc::gen::element<std::string>("g", "true", "- x", "a: b", "null", "#", "\"q\"", "é",
                                            "[x", "-", "~", "*a", "1e3", "x #y", "---");
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    const GapKind kind = *rc::gen::elementOf(GapKinds());
    GapParameter parameter;
    parameter.name = fmt::format("{}{}", gap.name, i);
    parameter.kind = kind.name;
    if (kind.target == TargetKind::kChannel)
      parameter.targets = {"*", "a.velocity"};
    else if (kind.target != TargetKind::kWorld)
      parameter.targets = {"a b", gap.name};
    parameter.operation = *rc::gen::element(Operation::kSet, Operation::kScale, Operation::kAdd);
    if (kind.lowest > 0.0001 || kind.highest < 0.2) parameter.operation = Operation::kAdd;
    parameter.level =
        *rc::gen::element(Level::kFleet, Level::kUnit, Level::kEpisode, Level::kDrift);
    if (parameter.level == Level::kDrift) {
      if (parameter.operation == Operation::kSet) parameter.operation = Operation::kAdd;
      parameter.drift = *rc::gen::element(DriftDriver::kHours, DriftDriver::kTemperature);
      parameter.drift_per = *Finite(1.0, 1e7);
    }
    const double a = *Finite(0.001, 0.1), b = *Finite(0.1, 0.2);
    parameter.distribution =
        *rc::gen::element(Distribution{DistributionKind::kConstant, a},
                          Distribution{DistributionKind::kUniform, a, b},
                          Distribution{DistributionKind::kLogUniform, a, b},
                          Distribution{DistributionKind::kNormal, a, b, 0.0001, 0.2});
    if (*rc::gen::arbitrary<bool>()) {
      parameter.bound_low = 0.0005;
      parameter.bound_high = 0.2;
    }
    gap.parameters.push_back(parameter);
  }
  if (*rc::gen::arbitrary<bool>()) gap.parents = {"00ff"};
  return gap;
}

RC_GTEST_PROP(Gap, ToYamlRoundTrips, ()) {
  const GapSpec gap = RandomGap();
  const auto from_json = GapFromJson(ToJson(gap));
  if (!from_json.ok()) RC_FAIL(from_json.error().message);
  RC_ASSERT(ToJson(*from_json) == ToJson(gap));
  const auto from_yaml = LoadGap(WriteTestFile("gap.yaml", ToYaml(gap)));
  if (!from_yaml.ok()) RC_FAIL(from_yaml.error().message + "\n" + ToYaml(gap));
  RC_ASSERT(ToJson(*from_yaml) == ToJson(gap));
}

TEST(Gap, UnknownNamesGiveTheNearest) {
  EXPECT_THAT(
      ParameterErrors("kind: body_mas, target: link, distribution: 1"),
      HasSubstr("gap.yaml:3: key 'kind' in parameters[0]: 'body_mas' is unknown; nearest valid: "
                "body_mass"));
  EXPECT_THAT(
      ParameterErrors("kind: body_mass, target: link, distribuion: {uniform: [1, 2]}"),
      HasSubstr("key 'distribuion' in parameters[0]: unknown key; nearest valid: distribution"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: l, level: unt, distribution: 1"),
              HasSubstr("'unt' is unknown; nearest valid: unit"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: l, operation: scal, distribution: 1"),
              HasSubstr("'scal' is unknown; nearest valid: scale"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: l, distribution: {gaussian: 1}"),
              HasSubstr("unknown key; nearest valid: "));
  EXPECT_THAT(ErrorsOf("gap: g\nparametres: []\n"), HasSubstr("nearest valid: parameters"));
  // A wrong kind does not make the other keys unknown, nor hide an unknown one.
  const std::string errors =
      ParameterErrors("kind: body_mas, target: l, distribution: 1, bond: [1, 2]");
  EXPECT_THAT(errors,
              HasSubstr("key 'bond' in parameters[0]: unknown key; nearest valid: kind or bounds"));
  EXPECT_THAT(errors, Not(HasSubstr("'target'")));
}

TEST(Gap, ChecksNumbersAgainstKindAndOperation) {
  const auto errors = [](const std::string& kind, const std::string& operation,
                         const std::string& distribution) {
    return ParameterErrors(fmt::format("kind: {}, target: x, operation: {}, distribution: {}", kind,
                                       operation, distribution));
  };
  EXPECT_THAT(errors("body_mass", "set", "0 kg"), HasSubstr("out of range; valid: > 0 kg"));
  EXPECT_THAT(errors("body_mass", "scale", "{uniform: [-0.1, 1]}"), HasSubstr("valid: > 0"));
  EXPECT_THAT(errors("joint_damping", "scale", "{uniform: [-0.1, 1]}"), HasSubstr("valid: >= 0"));
  EXPECT_EQ(errors("joint_damping", "scale", "{uniform: [0, 1]}"), "");
  EXPECT_EQ(errors("body_com_x", "set", "{uniform: [-1 cm, 1 cm]}"), "");
  EXPECT_THAT(errors("body_com_x", "scale", "-1"), HasSubstr("valid: >= 0"));
  EXPECT_EQ(errors("body_mass", "add", "{uniform: [-3, 0.5]}"), "")
      << "needs the nominal: see worlds";
  EXPECT_THAT(errors("body_mass", "scale", "1.1 kg"), HasSubstr("'1.1 kg' is in kg (mass)"));
  EXPECT_THAT(errors("body_mass", "set", "1 m"), HasSubstr("kg or g (mass)"));
  EXPECT_THAT(errors("actuator_delay", "set", "{uniform: [-10 ms, 20 ms]}"),
              HasSubstr("'-10 ms' is out of range; valid: >= 0 s and <= 0.2 s"));
  EXPECT_THAT(errors("actuator_delay", "set", "0.3 s"), HasSubstr("<= 0.2 s"));
  EXPECT_THAT(errors("joint_damping", "set", "{uniform: [0.1 N*m*s/rad, 1 N*s/m]}"),
              HasSubstr("'1 N*s/m' is in N*s/m (linear_damping)"));
  EXPECT_EQ(errors("joint_damping", "set", "{uniform: [0.1 N*s/m, 1 N*s/m]}"), "");
  EXPECT_THAT(ParameterErrors("kind: sensor_offset, target: q.position, distribution: 1 rad/s"),
              HasSubstr("angle"));
}

TEST(Gap, ChecksTargets) {
  EXPECT_THAT(ParameterErrors("kind: body_mass, distribution: 1"),
              HasSubstr("key 'target' in parameters"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: [], distribution: 1"),
              HasSubstr("names no body"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: [a, a], distribution: 1"),
              HasSubstr("names 'a' twice"));
  EXPECT_THAT(ParameterErrors("kind: gravity, target: a, distribution: 1"),
              HasSubstr("has no target"));
  EXPECT_THAT(ParameterErrors("kind: sensor_noise, target: hinge.speed, distribution: 1"),
              HasSubstr("valid: 'hinge.position' or 'hinge.velocity'"));
  EXPECT_THAT(ParameterErrors("kind: sensor_noise, target: hinge, distribution: 1"),
              HasSubstr("valid: 'hinge.position' or 'hinge.velocity'"));
}

TEST(Gap, ChecksBounds) {
  const auto errors = [](const std::string& bounds) {
    return ParameterErrors("kind: body_mass, target: a, distribution: 1 kg, bounds: " + bounds);
  };
  EXPECT_EQ(errors("[0.5 kg, 2 kg]"), "");
  EXPECT_EQ(errors("[1 kg, 2 kg]"), "") << "the start may be on a bound";
  EXPECT_THAT(errors("[2 kg, 0.5 kg]"), HasSubstr("is reversed"));
  EXPECT_THAT(errors("[2 kg, 3 kg]"), HasSubstr("[2, 3] does not contain the start 1"));
  EXPECT_THAT(errors("[1 kg, 1 kg]"), HasSubstr("nothing to fit"));
  EXPECT_THAT(errors("[0 kg, 2 kg]"), HasSubstr("out of range; valid: > 0 kg"));
  EXPECT_THAT(errors("[1 kg]"), HasSubstr("needs two ends"));
}

TEST(Gap, ChecksNamesAndLevels) {
  EXPECT_THAT(
      ErrorsOf("gap: g\nparameters:\n"
               "  - {kind: body_mass, target: a, distribution: 1}\n"
               "  - {kind: body_mass, target: a, distribution: 2}\n"),
      HasSubstr("gap.yaml:4: key 'parameters[1]': the name 'body_mass.a' stands twice (first in "
                "line 3)"));
  EXPECT_THAT(ParameterErrors("kind: body_mass, target: a, level: step, distribution: 1"),
              HasSubstr("'step' is for noise; body_mass can be fleet, unit, episode or drift"));
  EXPECT_THAT(ErrorsOf("parameters: []\n"), HasSubstr("key 'gap': is missing"));
}

TEST(Gap, ReadsADriftAndWhatItFollows) {
  const auto gap = LoadGap(WriteTestFile("gap.yaml", R"(
gap: wear
parameters:
  - {kind: operating_hours, distribution: {uniform: [0 h, 2000 h]}}
  - kind: joint_frictionloss
    target: knee
    level: drift
    per: 1000 h
    operation: scale
    distribution: {uniform: [-0.05, 0.2]}
  - {kind: sensor_offset, target: knee.position, level: drift, per: 10 K, operation: add,
     distribution: 0.1 deg}
)"));
  ASSERT_TRUE(gap.ok()) << gap.error().message;
  EXPECT_EQ(gap->parameters[1].level, Level::kDrift);
  EXPECT_EQ(gap->parameters[1].drift, DriftDriver::kHours);
  EXPECT_EQ(gap->parameters[1].drift_per, 3.6e6);
  EXPECT_EQ(gap->parameters[2].drift, DriftDriver::kTemperature);
  EXPECT_EQ(gap->parameters[2].drift_per, 10.0);
}

TEST(Gap, ChecksDrifts) {
  const std::string start = "kind: joint_damping, target: a, distribution: 0.1, ";
  EXPECT_THAT(ParameterErrors(start + "level: drift, operation: add"),
              HasSubstr("a drift needs 'per'"));
  EXPECT_THAT(ParameterErrors(start + "level: drift, operation: add, per: 1000"),
              HasSubstr("needs its unit"));
  EXPECT_THAT(ParameterErrors(start + "level: drift, operation: add, per: 5 kg"), HasSubstr("kg"));
  EXPECT_THAT(ParameterErrors(start + "level: drift, operation: add, per: -1 h"), HasSubstr("-1"));
  EXPECT_THAT(ParameterErrors(start + "level: drift, operation: set, per: 1 h"),
              HasSubstr("it cannot set"));
  EXPECT_THAT(ParameterErrors(start + "level: unit, operation: add, per: 1 h"),
              HasSubstr("is of level 'drift'; remove it"));
}

TEST(Gap, ChecksCorrelations) {
  const auto errors = [](const std::string& group) {
    return ErrorsOf(
        fmt::format("gap: g\nparameters:\n"
                    "  - {{name: a, kind: body_mass, target: x, distribution: 1}}\n"
                    "  - {{name: b, kind: body_mass, target: y, distribution: 1}}\n"
                    "  - {{name: e, kind: body_mass, target: z, level: episode, "
                    "distribution: 1}}\n"
                    "correlations:\n  - {{{}}}\n",
                    group));
  };
  EXPECT_EQ(errors("parameters: [a, b], matrix: [[1, 0.99], [0.99, 1]]"), "");
  EXPECT_THAT(errors("parameters: [a, b], matrix: [[1, 0.3], [0.2, 1]]"),
              HasSubstr("is not symmetric"));
  EXPECT_THAT(errors("parameters: [a, b], matrix: [[1, 0.3], [0.3, 0.9]]"),
              HasSubstr("diagonal is 1"));
  EXPECT_THAT(errors("parameters: [a, b], matrix: [[1, 1], [1, 1]]"),
              HasSubstr("gap.yaml:7: key 'matrix' in correlations[0]: is not positive definite"));
  EXPECT_THAT(errors("parameters: [a, b], matrix: [[1, 1.5], [1.5, 1]]"),
              HasSubstr("out of range"));
  EXPECT_THAT(errors("parameters: [a, b], matrix: [[1, 0], [0]]"), HasSubstr("needs 2 rows of 2"));
  EXPECT_THAT(errors("parameters: [a, c], matrix: [[1, 0], [0, 1]]"),
              HasSubstr("'c' is no parameter of this file; nearest valid: "));
  EXPECT_THAT(errors("parameters: [a, a], matrix: [[1, 0], [0, 1]]"),
              HasSubstr("more than one place"));
  EXPECT_THAT(errors("parameters: [a], matrix: [[1]]"), HasSubstr("two parameters or more"));
  EXPECT_THAT(errors("parameters: [a, e], matrix: [[1, 0], [0, 1]]"),
              HasSubstr("'a' is drawn per unit and 'e' per episode"));
  EXPECT_THAT(errors("parameters: [a, b]"),
              HasSubstr("key 'matrix' in correlations[0]: is missing"));
}

// Three pairwise correlations, each possible alone, that no three variables can have together.
TEST(Gap, RefusesAnIndefiniteCorrelation) {
  std::string yaml = "gap: g\nparameters:\n";
  for (const char* name : {"a", "b", "c"}) {
    yaml += fmt::format("  - {{name: {0}, kind: body_mass, target: {0}, distribution: 1}}\n", name);
  }
  yaml += "correlations:\n  - parameters: [a, b, c]\n    matrix: ";
  EXPECT_THAT(ErrorsOf(yaml + "[[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]\n"),
              HasSubstr("not positive definite"));
  EXPECT_EQ(ErrorsOf(yaml + "[[1, 0.9, 0.9], [0.9, 1, 0.9], [0.9, 0.9, 1]]\n"), "");
}

// The requests of the case of invalid ranges (own names and numbers), in one file and one pass.
// Adding to a nominal (r4, r5) is checked against the model in worlds.
TEST(Gap, ListsAllInvalidRangesInOnePass) {
  const std::string errors = ErrorsOf(R"(gap: ranges
parameters:
  - {name: r1, kind: body_mass, target: link, operation: scale, distribution: {uniform: [1.3, 0.7]}}
  - {name: r2, kind: joint_damping, target: q, operation: scale, distribution: {log_uniform: [0, 2]}}
  - {name: r3, kind: joint_damping, target: q, operation: scale, distribution: {log_uniform: [-1, 2]}}
  - {name: r6, kind: body_mass, target: link, operation: scale, distribution: {normal: {mean: 1.0, std: -0.1}}}
  - {name: r7, kind: body_mass, target: link, operation: scale, distribution: {normal: {mean: 1.0, std: 0.5}}}
  - {name: r8, kind: actuator_delay, target: motor, distribution: {uniform: [-0.01, 0.02]}}
  - {name: r9, kind: body_mass, target: link, operation: scale, distribution: {uniform: [0.8, .nan]}}
  - {name: r10, kind: body_mass, target: link, operation: scale, distribution: {uniform: [1.0]}}
  - {name: ok1, kind: body_mass, target: link, operation: add, distribution: {uniform: [0.4, 0.4]}}
  - {name: ok2, kind: joint_damping, target: q, operation: scale, distribution: {log_uniform: [0.01, 100]}}
  - {name: ok3, kind: body_mass, target: link, operation: add, distribution: {uniform: [-0.5, 0.5]}}
)");
  for (int line = 3; line <= 10; ++line) {
    EXPECT_THAT(errors, HasSubstr(fmt::format("gap.yaml:{}: ", line)));
  }
  for (int line = 11; line <= 13; ++line) {
    EXPECT_THAT(errors, Not(HasSubstr(fmt::format("gap.yaml:{}: ", line))));
  }
  EXPECT_THAT(errors, HasSubstr("2.3 % of the draws of mean 1 and std 0.5 are below 0"));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 7) << "one line for each";
}

GapParameter Mass(const std::string& name) {
  GapParameter parameter;
  parameter.name = name;
  parameter.kind = "body_mass";
  parameter.targets = {"x"};
  parameter.distribution.a = 1.0;
  return parameter;
}

TEST(Gap, ComposeKeepsOrderAndRenamesClashes) {
  GapSpec fit;
  fit.name = "fit";
  fit.parameters = {Mass("a"), Mass("b")};
  GapSpec wide;
  wide.name = "wide";
  wide.parameters = {Mass("b"), Mass("c")};
  wide.correlations = {{{"b", "c"}, Matrix<double>(2, 2)}};
  const GapSpec all = Compose({fit, wide, wide}, "all");
  std::vector<std::string> names;
  for (const GapParameter& parameter : all.parameters) names.push_back(parameter.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "b@wide", "c", "b@wide#2", "c@wide"));
  ASSERT_EQ(all.correlations.size(), 2u);
  EXPECT_THAT(all.correlations[0].parameters, ElementsAre("b@wide", "c"));
  EXPECT_THAT(all.correlations[1].parameters, ElementsAre("b@wide#2", "c@wide"));
  EXPECT_THAT(all.parents,
              ElementsAre(HashJson(ToJson(fit)), HashJson(ToJson(wide)), HashJson(ToJson(wide))));
  EXPECT_TRUE(Compose({}, "none").parameters.empty());
}

TEST(Gap, JsonErrorsHaveNoLine) {
  const auto gap = GapFromJson({{"gap", "g"}, {"parameters", {{{"kind", "body_mas"}}}}});
  ASSERT_FALSE(gap.ok());
  EXPECT_THAT(gap.error().message, HasSubstr("gap spec: key 'kind' in parameters[0]"));
  EXPECT_FALSE(GapFromJson(Json()).ok());
  EXPECT_FALSE(GapFromJson(Json::array({1, 2})).ok());
}

// Any damage to a valid file ends in a value or in errors.
RC_GTEST_PROP(Gap, DamagedFilesNeverCrash, ()) {
  std::string text = kPendulum;
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
        break;
      case 1:
        text.insert(at, 1, *rc::gen::arbitrary<char>());
        break;
      default:
        text[at] =
            *rc::gen::element('[', ']', '{', '}', ':', '-', '\n', ' ', '*', '&', '!', '\'', '0');
    }
    if (text.empty()) text.assign(1, ' ');
  }
  const auto gap = LoadGap(WriteTestFile("gap.yaml", text));
  if (!gap.ok()) RC_ASSERT(gap.error().kind == ErrorKind::kInvalidInput);
  if (gap.ok()) RC_ASSERT(GapFromJson(ToJson(*gap)).ok());
}

}  // namespace
}  // namespace realward
