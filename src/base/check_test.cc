#include "base/check.h"

#include <gtest/gtest.h>

namespace {

TEST(CheckDeathTest, NamesTheConditionThatFailed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  RW_CHECK(1 + 1 == 2);
  EXPECT_DEATH(RW_CHECK(1 + 1 == 3), "check failed: 1 \\+ 1 == 3");
}

}  // namespace
