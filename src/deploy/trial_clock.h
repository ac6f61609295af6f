// The time of one trial: counted control periods in lockstep, scaled wall time on a real clock.
#ifndef REALWARD_DEPLOY_TRIAL_CLOCK_H_
#define REALWARD_DEPLOY_TRIAL_CLOCK_H_

#include <cstdint>

#include "deploy/link_message.h"
#include "deploy/link_socket.h"

namespace realward {

// `seconds` as a duration; more than 10⁶ s are that many.
LinkTime::duration WallSeconds(double seconds);

class TrialClock {
 public:
  TrialClock() = default;
  // speed: robot time per wall time on a real clock, > 0. A trial that starts at `start`.
  TrialClock(LinkClock kind, double control_period_s, double speed, LinkTime start);

  // When the robot moves on by itself: never on a virtual clock.
  LinkTime next_tick() const { return next_tick_; }

  // Books the period that was due. When the next one is overdue by a whole period at `done`, the
  // periods that passed are dropped and not caught up, because their readings would not be of their
  // time. Gives how many.
  std::int64_t FinishPeriod(LinkTime done);
  std::int64_t overruns() const { return overruns_; }

  // s since the reset, of state `seq`.
  double RobotTime(std::int64_t seq, LinkTime now) const;
  // What `robot_s` take on the wall clock; the same in lockstep.
  LinkTime::duration Wall(double robot_s) const { return WallSeconds(robot_s / speed_); }

 private:
  LinkClock kind_ = LinkClock::kVirtual;
  double control_period_s_ = 0.0;
  double speed_ = 1.0;
  LinkTime start_{};
  LinkTime next_tick_ = LinkTime::max();
  std::int64_t overruns_ = 0;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_TRIAL_CLOCK_H_
