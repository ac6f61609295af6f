#include "spec/distribution.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace realward {
namespace {

using testing::HasSubstr;

struct Read {
  std::optional<Distribution> distribution;
  std::string errors;
};

Read ReadText(const std::string& text, NumberRule rule = AnyNumber()) {
  const auto document = YamlDocument::Parse(fmt::format("d: {}\n", text), "f.yaml");
  if (!document.ok()) return {std::nullopt, document.error().message};
  Read read;
  {
    YamlMap map(document->root());
    read.distribution = ReadDistribution(*map.Required("d"), rule);
  }
  const Status status = document->status();
  if (!status.ok()) read.errors = status.error().message;
  return read;
}

TEST(Distribution, ReadsEachForm) {
  using enum DistributionKind;
  EXPECT_EQ(ReadText("0.5").distribution, (Distribution{kConstant, 0.5}));
  EXPECT_EQ(ReadText("{constant: 50 %}").distribution, (Distribution{kConstant, 0.5}));
  EXPECT_EQ(ReadText("{uniform: [0.5, 2]}").distribution, (Distribution{kUniform, 0.5, 2}));
  EXPECT_EQ(ReadText("{uniform: [0.4, 0.4]}").distribution, (Distribution{kUniform, 0.4, 0.4}));
  EXPECT_EQ(ReadText("{log_uniform: [0.01, 100]}").distribution,
            (Distribution{kLogUniform, 0.01, 100}));
  EXPECT_EQ(ReadText("{normal: {mean: 1, std: 0.5, low: 0}}", NonNegative()).distribution,
            (Distribution{kNormal, 1, 0.5, 0.0, std::nullopt}));
}

TEST(Distribution, CentreIsTheStart) {
  using enum DistributionKind;
  EXPECT_DOUBLE_EQ(Centre({kConstant, 3}), 3);
  EXPECT_DOUBLE_EQ(Centre({kUniform, 1, 4}), 2.5);
  EXPECT_DOUBLE_EQ(Centre({kLogUniform, 0.01, 100}), 1.0);
  EXPECT_DOUBLE_EQ(Centre({kNormal, 2, 5, 0.0, 3.0}), 2);
  EXPECT_TRUE(std::isfinite(Centre({kUniform, 1.7e308, 1.7e308})));
}

// Table values of the normal distribution.
TEST(Distribution, NormalTailsMatchTables) {
  EXPECT_NEAR(NormalBelow(0, 1, 0.5), 0.02275013194817921, 1e-15);
  EXPECT_NEAR(NormalAbove(1.959963984540054, 0, 1), 0.025, 1e-15);
  EXPECT_NEAR(NormalBelow(-6, 0, 1) / 9.865876450376946e-10, 1.0, 1e-12);
  EXPECT_EQ(NormalBelow(-INFINITY, 0, 1), 0.0);
  EXPECT_EQ(NormalAbove(INFINITY, 0, 1), 0.0);
}

TEST(Distribution, NamesTheProbabilityOfAnUnphysicalTail) {
  EXPECT_THAT(ReadText("{normal: {mean: 1, std: 0.5}}", NonNegative()).errors,
              HasSubstr("2.3 % of the draws"));
  EXPECT_THAT(ReadText("{normal: {mean: 0.1, std: 0.1, low: 0}}", Between(0, 0.2)).errors,
              HasSubstr("16 % of the draws"));
  EXPECT_EQ(ReadText("{normal: {mean: 1, std: 0.1}}", NonNegative()).errors, "") << "ten sigmas";
  EXPECT_EQ(ReadText("{normal: {mean: 1, std: 5}}", AnyNumber()).errors, "") << "no limits";
}

TEST(Distribution, RefusesWhatIsWrong) {
  struct Case {
    const char* text;
    const char* reason;
  };
  for (const auto& [text, reason] : std::vector<Case>{
           {"{unifrom: [1, 2]}", "nearest valid: uniform"},
           {"{uniform: [1.3, 0.7]}", "[1.3, 0.7] is reversed"},
           {"{uniform: [1.0]}", "needs two ends"},
           {"{uniform: [0.8, .nan]}", "'.nan' is not a number"},
           {"{uniform: [0.8, .inf]}", "'.inf' is not a number"},
           {"{uniform: 3}", "needs a range"},
           {"{log_uniform: [0, 2]}", "key 'log_uniform[0]' in d: '0' is out of range; valid: > 0"},
           {"{log_uniform: [-1, 2]}", "'-1' is out of range; valid: > 0"},
           {"{normal: {mean: 1, std: -0.1}}", "key 'std' in d.normal: '-0.1' is out of range"},
           {"{normal: {mean: 1, std: 0}}", "out of range; valid: > 0"},
           {"{normal: {mean: 1}}", "key 'std' in d.normal: is missing"},
           {"{normal: {mean: 1, std: 1, lo: 0}}", "nearest valid: low"},
           {"{normal: {mean: 1, std: 1, low: 3, high: 2}}", "low 3 is not below high 2"},
           {"{normal: {mean: 1, std: 0.1, low: 3, high: 4}}", "keeps nothing"},
           {"{uniform: [0, 1], constant: 1}", "needs one distribution"},
           {"[1, 2]", "needs one distribution"},
           {"{}", "needs one distribution"}}) {
    const Read read = ReadText(text);
    EXPECT_THAT(read.errors, HasSubstr("f.yaml:1: ")) << text;
    EXPECT_THAT(read.errors, HasSubstr(reason)) << text;
  }
  EXPECT_FALSE(ReadText("{uniform: [1.3, 0.7]}").distribution.has_value());
  EXPECT_THAT(ReadText("{normal: {mean: 5 deg, std: 1}}", AnyNumber({"angle"})).errors,
              HasSubstr("one number has a unit"));
}

TEST(Distribution, KeepsOneDimension) {
  NumberRule rule = AnyNumber({"torque", "force"});
  const auto document = YamlDocument::Parse("{uniform: [0 N, 2 N]}", "f.yaml");
  ASSERT_TRUE(ReadDistribution(document->root(), rule).has_value());
  EXPECT_THAT(rule.dimensions, testing::ElementsAre("force"));
}

// Reading inverts writing, bit for bit.
RC_GTEST_PROP(Distribution, RoundTripsThroughJson, (double x, double y, bool with_low)) {
  RC_PRE(std::isfinite(x) && std::isfinite(y) && std::isfinite(x - y));
  std::vector<Distribution> all = {{DistributionKind::kConstant, x},
                                   {DistributionKind::kUniform, std::min(x, y), std::max(x, y)}};
  const double a = std::min(std::abs(x), std::abs(y)), b = std::max(std::abs(x), std::abs(y));
  if (a > 0) all.push_back({DistributionKind::kLogUniform, a, b});
  if (b > 0) {
    all.push_back({DistributionKind::kNormal, x, b});
    if (with_low) all.back().low = x;
  }
  for (const Distribution& distribution : all) {
    const auto document = YamlDocument::FromJson(DistributionJson(distribution), "json");
    NumberRule rule = AnyNumber();
    const auto back = ReadDistribution(document->root(), rule);
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == distribution);
  }
}

}  // namespace
}  // namespace realward
