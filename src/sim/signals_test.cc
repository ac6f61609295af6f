#include "sim/signals.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace realward {
namespace {

TEST(Signals, CommandsSpanTheRangeAndClip) {
  const ActionTerm term{"motor", -2.0, 6.0};
  EXPECT_EQ(CommandOf(term, -1.0), -2.0);
  EXPECT_EQ(CommandOf(term, 0.0), 2.0);
  EXPECT_EQ(CommandOf(term, 1.0), 6.0);
  EXPECT_EQ(CommandOf(term, 7.0), 6.0);
  EXPECT_EQ(CommandOf(term, -7.0), -2.0);
  EXPECT_EQ(ActionOf(term, 100.0), 1.0);
  EXPECT_EQ(ActionOf(term, -100.0), -1.0);
}

TEST(Signals, ActionAndCommandAreInverse) {
  EXPECT_TRUE(rc::check([](int raw) {
    const double action = std::remainder(0.001 * raw, 2.0);
    const ActionTerm term{"motor", -0.3, 1.7};
    RC_ASSERT(std::abs(ActionOf(term, CommandOf(term, action)) - action) < 1e-14);
  }));
}

TEST(Signals, Measurement) {
  EXPECT_EQ(MeasuredValue({}, 0.1234, 5.0), 0.1234);
  EXPECT_DOUBLE_EQ(MeasuredValue({0.5, 0.0, 0.0}, 1.0, 5.0), 1.5);
  EXPECT_DOUBLE_EQ(MeasuredValue({0.5, 0.2, 0.0}, 1.0, -2.0), 1.1);
  // A 12-bit encoder turn: the error is at most half a count, and the reading a whole count.
  const double count = 2.0 * M_PI / 4096;
  for (double q : {-1.0, -0.3, 0.0, 0.77, 3.0}) {
    const double reading = MeasuredValue({0.0, 0.0, count}, q, 0.0);
    EXPECT_LE(std::abs(reading - q), count / 2 * (1 + 1e-12));
    EXPECT_NEAR(reading / count, std::round(reading / count), 1e-9);
  }
  EXPECT_EQ(MeasuredValue({0.0, 0.0, 0.5}, 0.25, 0.0), 0.5);
  EXPECT_EQ(MeasuredValue({0.0, 0.0, 0.5}, -0.25, 0.0), -0.5);
  // Noise acts before the quantisation.
  EXPECT_EQ(MeasuredValue({0.0, 0.3, 0.5}, 0.0, 1.0), 0.5);
}

}  // namespace
}  // namespace realward
