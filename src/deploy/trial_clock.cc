#include "deploy/trial_clock.h"

#include <algorithm>

namespace realward {

LinkTime::duration WallSeconds(double seconds) {
  return std::chrono::duration_cast<LinkTime::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e6)));
}

TrialClock::TrialClock(LinkClock kind, double control_period_s, double speed, LinkTime start)
    : kind_(kind),
      control_period_s_(control_period_s),
      speed_(kind == LinkClock::kReal ? speed : 1.0),
      start_(start) {
  if (kind == LinkClock::kReal) next_tick_ = start + Wall(control_period_s);
}

std::int64_t TrialClock::FinishPeriod(LinkTime done) {
  const LinkTime::duration period = Wall(control_period_s_);
  next_tick_ += period;
  if (done < next_tick_ + period) return 0;
  const std::int64_t dropped = (done - next_tick_) / period;
  next_tick_ = done + period;
  overruns_ += dropped;
  return dropped;
}

double TrialClock::RobotTime(std::int64_t seq, LinkTime now) const {
  if (seq == 0) return 0.0;
  if (kind_ == LinkClock::kVirtual) return static_cast<double>(seq) * control_period_s_;
  return std::chrono::duration<double>(now - start_).count() * speed_;
}

}  // namespace realward
