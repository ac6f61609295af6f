#include "spec/yaml_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <filesystem>
#include <numbers>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The message of the errors that `read` meets in `text`; empty when there are none.
template <class F>
std::string ErrorsOf(const std::string& text, F read) {
  const auto document = YamlDocument::Parse(text, "f.yaml");
  if (!document.ok()) return document.error().message;
  {
    YamlMap map(document->root());
    read(map);
  }
  const Status status = document->status();
  return status.ok() ? "" : status.error().message;
}

TEST(YamlReader, ReadsEachType) {
  const auto document = YamlDocument::Parse(
      "t: hello\nb: true\nn: 7 ms\nw: 1e3\ns: 18446744073709551615\nr: [-5 deg, 90 deg]\nl: one\n",
      "f.yaml");
  ASSERT_TRUE(document.ok());
  {
    YamlMap map(document->root());
    EXPECT_EQ(map.Text("t"), "hello");
    EXPECT_TRUE(map.Bool("b"));
    EXPECT_DOUBLE_EQ(map.Number("n", Positive({"time"})), 0.007);
    EXPECT_EQ(map.Whole("w", 0, 5000), 1000);
    EXPECT_EQ(map.Seed("s"), 18446744073709551615u);
    const auto range = map.Required("r")->Range(AnyNumber({"angle"}));
    ASSERT_TRUE(range.has_value());
    EXPECT_DOUBLE_EQ(range->high, std::numbers::pi / 2);
    EXPECT_EQ(range->dimension, "angle");
    EXPECT_THAT(map.Texts("l", true), ElementsAre("one"));
    EXPECT_EQ(map.Text("absent", "default"), "default");
  }
  EXPECT_TRUE(document->status().ok());
}

TEST(YamlReader, ListsAllErrorsByLine) {
  const std::string errors =
      ErrorsOf("horizon: -3 s\nmodle: x.xml\nrate: 7 deg\nrate: 8 Hz\n", [](YamlMap& map) {
        map.Text("model");
        map.Number("rate", Positive({"frequency"}));
        map.Number("horizon", Positive({"time"}));
      });
  EXPECT_EQ(
      errors,
      "f.yaml:1: key 'model': is missing, and there is no default\n"
      "f.yaml:1: key 'horizon': '-3 s' is out of range; valid: > 0 s\n"
      "f.yaml:2: key 'modle': unknown key; nearest valid: model\n"
      "f.yaml:3: key 'rate': '7 deg' is in deg (angle), but a value in Hz or kHz (frequency) is "
      "needed here\n"
      "f.yaml:4: key 'rate': stands twice in one map (first in line 3); keep one");
}

TEST(YamlReader, NamesThePlaceInNestedLists) {
  const std::string errors = ErrorsOf("actions:\n  - {range: [3, 1]}\n", [](YamlMap& map) {
    for (const YamlValue& item : map.Items("actions", true)) {
      YamlMap inner(item);
      inner.Required("range")->Range(AnyNumber());
    }
  });
  EXPECT_EQ(
      errors,
      "f.yaml:2: key 'range' in actions[0]: the range [3, 1] is reversed; the low end comes first");
}

struct BadNumber {
  const char* text;
  const char* reason;
};

TEST(YamlReader, RefusesBadNumbers) {
  const NumberRule rule = Between(0.0, 0.2, {"time"});
  for (const auto& [text, reason] : std::vector<BadNumber>{{".nan", "not a number"},
                                                           {"nan", "not a finite number"},
                                                           {"1e999", "not a number"},
                                                           {"[1]", "has a list"},
                                                           {"{a: 1}", "has a map"},
                                                           {"", "has nothing"},
                                                           {"1,5", "unknown unit ',5'"},
                                                           {"0.3", ">= 0 s and <= 0.2 s"},
                                                           {"-1 ms", "out of range"},
                                                           {"3 parsec", "unknown unit"},
                                                           {"true", "not a number"}}) {
    const std::string errors =
        ErrorsOf(fmt::format("x: {}\n", text), [&](YamlMap& map) { map.Number("x", rule); });
    EXPECT_THAT(errors, HasSubstr("f.yaml:1: key 'x'")) << text;
    EXPECT_THAT(errors, HasSubstr(reason)) << text;
  }
  // Finite as written, not in SI.
  EXPECT_THAT(ErrorsOf("x: 1e308 h", [](YamlMap& map) { map.Number("x", AnyNumber({"time"})); }),
              HasSubstr("finite"));
}

TEST(YamlReader, LimitsAreExact) {
  const auto errors = [](const std::string& text, const NumberRule& rule) {
    return ErrorsOf(fmt::format("x: {}", text), [&](YamlMap& map) { map.Number("x", rule); });
  };
  EXPECT_EQ(errors("0", NonNegative()), "");
  EXPECT_NE(errors("0", Positive()), "");
  EXPECT_EQ(errors("0.2", Between(0.0, 0.2)), "");
  EXPECT_NE(errors("0.2000001", Between(0.0, 0.2)), "");
}

TEST(YamlReader, OneOfSeveralDimensions) {
  const NumberRule rule = AnyNumber({"torque", "voltage"});
  const auto read = [&](const std::string& text) {
    return ErrorsOf(fmt::format("x: {}", text),
                    [&](YamlMap& map) { map.Required("x")->Range(rule); });
  };
  EXPECT_EQ(read("[-1 N*m, 1 N*m]"), "");
  EXPECT_EQ(read("[-6 V, 6 V]"), "");
  EXPECT_EQ(read("[-6, 6]"), "");
  EXPECT_EQ(read("[0, 6 V]"), "") << "zero is zero in every unit";
  EXPECT_THAT(read("[-1 N*m, 6 V]"), HasSubstr("'6 V' is in V (voltage)"));
  EXPECT_THAT(read("[-1 kg, 1 kg]"), HasSubstr("torque (N*m, mN*m) or voltage (V, mV)"));
  EXPECT_THAT(read("[-6, 6 V]"), HasSubstr("one number has a unit and another has none"));
  EXPECT_THAT(read("[1 V]"), HasSubstr("needs two ends [low, high], has 1"));
  EXPECT_THAT(read("1 V"), HasSubstr("needs a range [low, high], has a single value"));
}

TEST(YamlReader, WholeNumbersAndSeeds) {
  const auto whole = [](const std::string& text) {
    return ErrorsOf(fmt::format("x: {}", text), [](YamlMap& map) { map.Whole("x", 1, 10); });
  };
  EXPECT_EQ(whole("10"), "");
  EXPECT_THAT(whole("11"), HasSubstr("11 is out of range; valid: 1 to 10"));
  EXPECT_THAT(whole("1.5"), HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(whole("1e300"), HasSubstr("not a whole number"));
  EXPECT_THAT(whole("nan"), HasSubstr("not a whole number"));
  EXPECT_THAT(whole("99999999999999999999"), HasSubstr("not a whole number"));
  EXPECT_THAT(ErrorsOf("x: -1", [](YamlMap& map) { map.Seed("x"); }), HasSubstr("seed"));
  EXPECT_THAT(ErrorsOf("x: yes", [](YamlMap& map) { map.Bool("x"); }),
              HasSubstr("needs true or false, has 'yes'"));
}

TEST(YamlReader, ChoicesGiveTheNearestNames) {
  enum class Colour { kRed, kGreen };
  static constexpr std::array<Named<Colour>, 2> kNames = {
      {{Colour::kRed, "red"}, {Colour::kGreen, "green"}}};
  const std::span<const Named<Colour>> table = kNames;
  EXPECT_EQ(ErrorsOf("c: green",
                     [&](YamlMap& map) { EXPECT_EQ(map.Choice("c", table), Colour::kGreen); }),
            "");
  EXPECT_EQ(ErrorsOf("{}",
                     [&](YamlMap& map) {
                       EXPECT_EQ(map.Choice<Colour>("c", table, Colour::kRed), Colour::kRed);
                     }),
            "");
  EXPECT_THAT(ErrorsOf("c: gren", [&](YamlMap& map) { EXPECT_FALSE(map.Choice("c", table)); }),
              HasSubstr("key 'c': 'gren' is unknown; nearest valid: green"));
}

TEST(YamlReader, RootMustBeAMapAndIsReportedOnce) {
  for (const char* text : {"", "[1]", "hello", "~"}) {
    const std::string errors = ErrorsOf(text, [](YamlMap& map) {
      map.Text("a");
      map.Number("b", AnyNumber());
    });
    EXPECT_THAT(errors, HasSubstr("needs a map of keys")) << text;
    EXPECT_THAT(errors, Not(HasSubstr("\n"))) << text;
  }
}

TEST(YamlReader, ManyErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += fmt::format("key{}: 1\n", i);
  const std::string errors = ErrorsOf(text, [](YamlMap& map) { map.Text("name", ""); });
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 50);
  EXPECT_THAT(errors, HasSubstr("and 30 more errors"));
}

TEST(YamlReader, HostileTextsStayShortInMessages) {
  const std::string huge(500'000, 'k');
  const std::string errors = ErrorsOf(huge + ": 1\nx: \"a\\x07b\"\n", [](YamlMap& map) {
    map.Text("x");
    map.Text("name", "");
  });
  EXPECT_LT(errors.size(), 1000u);
  EXPECT_EQ(errors.find('\a'), std::string::npos);
}

TEST(YamlReader, LoadRefusesMissingAndHugeFiles) {
  const auto missing = YamlDocument::Load(testing::TempDir() + "rw_no_such_file.yaml");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::kEnvironment);
  const auto huge = YamlDocument::Load(WriteTestFile("huge.yaml", std::string((1 << 20) + 1, '#')));
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(huge.error().message, HasSubstr("1048577 bytes"));
}

TEST(YamlReader, PathsAreBesideTheFile) {
  EXPECT_EQ(PathBeside("/a/b/task.yaml", "model.xml"), "/a/b/model.xml");
  EXPECT_EQ(PathBeside("/a/b/task.yaml", "../m.xml"), "/a/m.xml");
  EXPECT_EQ(PathBeside("/a/b/task.yaml", "/m.xml"), "/m.xml");
  EXPECT_TRUE(std::filesystem::path(PathBeside("task.yaml", "m.xml")).is_absolute());
}

// Whatever a value is, reading it as anything either gives it or reports; never both, never
// neither.
RC_GTEST_PROP(YamlReader, EveryReadGivesOrReports, ()) {
  const auto text = *rc::gen::element<std::string>(
      "1", "-1", "1.5 s", "[1, 2]", "[2, 1]", "{a: 1}", "x", "true", "''", "\"\\x01\"", "[.nan, 1]",
      "1e999", "[]", "[1 s, 2 m]", "~", "18446744073709551616");
  const int how = *rc::gen::inRange(0, 6);
  const auto document = YamlDocument::Parse(text, "f.yaml");
  RC_ASSERT(document.ok());
  const YamlValue value = document->root();
  bool given = false;
  if (how == 0) given = value.Text().has_value();
  if (how == 1) given = value.Bool().has_value();
  if (how == 2) given = value.Number(AnyNumber({"time"})).has_value();
  if (how == 3) given = value.Whole(0, 100).has_value();
  if (how == 4) given = value.Seed().has_value();
  if (how == 5) given = value.Range(AnyNumber({"time", "length"})).has_value();
  RC_ASSERT(given == document->status().ok());
}

}  // namespace
}  // namespace realward
