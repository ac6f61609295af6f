#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace realward {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidInput("odd: " + std::to_string(value));
  return value / 2;
}

Result<int> Quarter(int value) {
  RW_ASSIGN(int half, Half(value));
  return Half(half);
}

Status Check(int value) {
  RW_TRY(Quarter(value));
  return {};
}

TEST(Result, CarriesValuesAndErrorsThroughCalls) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd: 3");
  EXPECT_TRUE(Check(8).ok());
  EXPECT_EQ(Check(7).error().message, "odd: 7");
}

TEST(Result, MovesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

Result<std::vector<int>> Numbers() { return std::vector<int>{1, 2, 3}; }

TEST(Result, ATemporaryGivesItsValueAway) {
  int sum = 0;
  for (int number : *Numbers()) sum += number;
  EXPECT_EQ(sum, 6);
}

TEST(Result, ExitStatusFollowsTheKind) {
  EXPECT_EQ(ExitStatus(ErrorKind::kRefused), 1);
  EXPECT_EQ(ExitStatus(ErrorKind::kInvalidInput), 2);
  EXPECT_EQ(ExitStatus(ErrorKind::kEnvironment), 3);
  EXPECT_EQ(ExitStatus(ErrorKind::kInterrupted), 3);
}

}  // namespace
}  // namespace realward
