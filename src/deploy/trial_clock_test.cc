#include "deploy/trial_clock.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

LinkTime At(double seconds) { return LinkTime{} + WallSeconds(seconds); }

TEST(TrialClock, LockstepCountsPeriodsAndNeverTicks) {
  const TrialClock clock(LinkClock::kVirtual, 0.02, 4.0, At(7.0));
  EXPECT_EQ(clock.next_tick(), LinkTime::max());
  EXPECT_EQ(clock.RobotTime(0, At(9.0)), 0.0);
  EXPECT_EQ(clock.RobotTime(3, At(9.0)), 3 * 0.02);
  EXPECT_EQ(clock.Wall(0.3), WallSeconds(0.3));  // the speed is for a real clock
}

TEST(TrialClock, ARealClockIsScaledWallTime) {
  TrialClock clock(LinkClock::kReal, 0.02, 2.0, At(7.0));
  EXPECT_EQ(clock.next_tick(), At(7.01));
  EXPECT_NEAR(clock.RobotTime(1, At(7.01)), 0.02, 1e-9);
  EXPECT_EQ(clock.RobotTime(0, At(7.01)), 0.0);
  EXPECT_EQ(clock.Wall(0.3), WallSeconds(0.15));
  EXPECT_EQ(clock.FinishPeriod(At(7.012)), 0);
  EXPECT_EQ(clock.next_tick(), At(7.02));
}

TEST(TrialClock, DroppedPeriodsAreCounted) {
  TrialClock clock(LinkClock::kReal, 0.01, 1.0, At(0.0));
  EXPECT_EQ(clock.FinishPeriod(At(0.0295)), 0);  // late by less than a whole period after the next
  EXPECT_EQ(clock.next_tick(), At(0.02));
  // The period due at 0.02 ends at 0.0755; those of 0.03, 0.04, 0.05 and 0.06 have passed whole.
  EXPECT_EQ(clock.FinishPeriod(At(0.0755)), 4);
  EXPECT_EQ(clock.next_tick(), At(0.0855));
  EXPECT_EQ(clock.FinishPeriod(At(0.086)), 0);
  EXPECT_EQ(clock.FinishPeriod(At(0.1156)), 1);
  EXPECT_EQ(clock.overruns(), 5);
}

}  // namespace
}  // namespace realward
