#include "base/units.h"

#include <gtest/gtest.h>

#include <numbers>

namespace realward {
namespace {

TEST(Units, ConvertsSpellingsToSi) {
  EXPECT_DOUBLE_EQ(*ParseQuantity("7 ms", "time"), 0.007);
  EXPECT_DOUBLE_EQ(*ParseQuantity("-30 deg", "angle"), -std::numbers::pi / 6);
  EXPECT_DOUBLE_EQ(*ParseQuantity("90°/s", "angular_velocity"), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(*ParseQuantity("2 N·m", "torque"), 2.0);
  EXPECT_DOUBLE_EQ(*ParseQuantity("2Nm", "torque"), 2.0);
  EXPECT_DOUBLE_EQ(*ParseQuantity("1e-3", "torque"), 1e-3);
  EXPECT_DOUBLE_EQ(*ParseQuantity("85 %", "ratio"), 0.85);
  EXPECT_EQ(SiUnit("torque"), "N*m");
}

TEST(Units, WrongDimensionNamesBoth) {
  const auto result = ParseQuantity("7 deg", "time");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("'7 deg'"), std::string::npos);
  EXPECT_NE(result.error().message.find("time"), std::string::npos);
}

TEST(Units, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "abc", "nan", "inf", "1,5", "1 parsec", "--1", "1e999"}) {
    EXPECT_FALSE(ParseQuantity(text, "time").ok()) << text;
  }
}

// Every unit of a dimension converts to SI and back.
TEST(Units, TableIsConsistent) {
  for (const std::string& name : UnitNames()) {
    const Unit unit = *ParseUnit(name);
    EXPECT_GT(unit.factor, 0.0);
    EXPECT_EQ(ParseUnit(SiUnit(unit.dimension))->factor, 1.0) << name;
  }
}

}  // namespace
}  // namespace realward
