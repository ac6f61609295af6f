#include "logs/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <sstream>

namespace realward {
namespace {

using ::testing::HasSubstr;

constexpr char kSimple[] = R"(mapping: simple
time: {column: time, unit: ms}
channels:
  - {channel: hinge.position, column: position, unit: deg}
  - {channel: hinge.velocity, column: velocity, unit: rad/s, scale: -1, offset: 0.5}
commands:
  - {actuator: motor, column: torque, unit: N*m}
)";

std::string With(const std::string& from, const std::string& to) {
  std::string text = kSimple;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string ErrorOf(const std::string& text) {
  const auto mapping = ParseMapping(text, "m.yaml");
  return mapping.ok() ? "no error" : mapping.error().message;
}

TEST(Mapping, ReadsColumnsUnitsAndSigns) {
  const auto mapping = ParseMapping(kSimple, "m.yaml");
  ASSERT_TRUE(mapping.ok()) << mapping.error().message;
  EXPECT_EQ(mapping->name, "simple");
  EXPECT_EQ(mapping->time.unit.factor, 1e-3);
  ASSERT_EQ(mapping->channels.size(), 2u);
  EXPECT_DOUBLE_EQ(mapping->channels[0].unit.factor, std::numbers::pi / 180);
  EXPECT_EQ(mapping->channels[1].scale, -1.0);
  EXPECT_EQ(mapping->channels[1].offset, 0.5);
  EXPECT_EQ(mapping->commands[0].name, "motor");
}

TEST(Mapping, ErrorsNameFileLineKeyAndNearest) {
  EXPECT_EQ(ErrorOf(With("unit: rad/s", "unit: rads")),
            "m.yaml:5: key 'unit' in channels[1]: unknown unit 'rads'; nearest valid: rad/s");
  EXPECT_THAT(ErrorOf(With("unit: deg", "unit: N*m")),
              HasSubstr("m.yaml:4: key 'unit' in channels[0]"));
  EXPECT_THAT(ErrorOf(With("unit: deg", "unit: N*m")), HasSubstr("rad, deg"));
  EXPECT_THAT(ErrorOf(With("unit: ms", "unit: rad")), HasSubstr("m.yaml:2"));
  EXPECT_THAT(ErrorOf(With("column: torque", "colum: torque")),
              HasSubstr("m.yaml:7: unknown key 'colum'; nearest valid: column"));
  EXPECT_THAT(ErrorOf(With("hinge.velocity, column: velocity, unit: rad/s",
                           "hinge.position, column: velocity, unit: rad")),
              HasSubstr("mapped twice"));
  EXPECT_THAT(ErrorOf(With("scale: -1", "scale: 0")), HasSubstr("m.yaml:5"));
  EXPECT_THAT(ErrorOf(With("mapping: simple\n", "")), HasSubstr("key 'mapping': is missing"));
  EXPECT_THAT(ErrorOf(With("unit: ms", "unit: ms, counter_bits: 7")), HasSubstr("8 to 63"));
  EXPECT_THAT(ErrorOf(std::string(kSimple) + "csv: {separator: x}\n"), HasSubstr("m.yaml:8"));
  EXPECT_FALSE(LoadMapping("/nonexistent.yaml").ok());
}

TEST(Mapping, TextReadsBack) {
  for (const std::string tail :
       {"", "csv: {separator: ';', decimal: ','}\n", "csv: {separator: tab}\n"}) {
    const auto mapping = ParseMapping(std::string(kSimple) + tail, "m.yaml");
    ASSERT_TRUE(mapping.ok()) << mapping.error().message;
    const std::string text = ToYaml(*mapping);
    const auto again = ParseMapping(text, "m.yaml");
    ASSERT_TRUE(again.ok()) << again.error().message << text;
    EXPECT_EQ(ToYaml(*again), text);
    EXPECT_EQ(again->csv.separator, mapping->csv.separator);
    EXPECT_EQ(again->channels[1].offset, 0.5);
  }
}

TEST(Mapping, FindsColumnsAndContradictions) {
  const auto mapping = ParseMapping(kSimple, "m.yaml");
  ASSERT_TRUE(mapping.ok());
  const auto find = [&](const std::string& header) {
    std::istringstream stream(header + "\n");
    return FindColumns(*mapping, *ParseCsv(stream, "log.csv"));
  };
  const auto places = find("torque,time [ms],velocity,position [deg]");
  ASSERT_TRUE(places.ok()) << places.error().message;
  EXPECT_EQ(places->time, 1u);
  EXPECT_EQ(places->channels, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(places->commands, (std::vector<std::size_t>{0}));
  EXPECT_THAT(
      find("time,positon,velocity,torque").error().message,
      HasSubstr(
          "m.yaml:4: key 'column': log.csv: unknown column 'position'; nearest valid: positon"));
  EXPECT_THAT(find("time,position [rad],velocity,torque").error().message, HasSubstr("says [rad]"));
  EXPECT_TRUE(find("time,position [counts],velocity,torque").ok());
}

}  // namespace
}  // namespace realward
