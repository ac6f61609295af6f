#include "logs/segment.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "logs/log_check.h"

namespace realward {
namespace {

LogSegment Between(const Log& log, std::size_t first, std::size_t last) {
  return {first, last, log.time_s[first], log.time_s[last - 1]};
}

}  // namespace

std::vector<LogSegment> ContinuousStretches(const Log& log, double gap_steps) {
  std::vector<LogSegment> stretches;
  const double limit = gap_steps * MedianStep(log.time_s);
  std::size_t first = 0;
  for (std::size_t i = 1; i <= log.samples(); ++i) {
    const bool joined = i < log.samples() && log.time_s[i] - log.time_s[i - 1] <= limit &&
                        !std::binary_search(log.cuts.begin(), log.cuts.end(), i);
    if (joined) continue;
    stretches.push_back(Between(log, first, i));
    first = i;
  }
  return stretches;
}

std::vector<LogSegment> CutSegments(const Log& log, double length_s, double gap_steps) {
  RW_CHECK(length_s > 0.0);
  std::vector<LogSegment> segments;
  const double step = MedianStep(log.time_s);
  for (const LogSegment& stretch : ContinuousStretches(log, gap_steps)) {
    std::size_t first = stretch.first;
    const auto number = [&](std::size_t i) {
      // A thousandth of a step keeps 0.3 / 0.1 from rounding down to 2.
      return std::floor((log.time_s[i] - stretch.begin_s + 1e-3 * step) / length_s);
    };
    for (std::size_t i = stretch.first + 1; i <= stretch.last; ++i) {
      if (i < stretch.last && number(i) == number(first)) continue;
      const LogSegment segment = Between(log, first, i);
      // A sample stands for the step after it.
      const double covered = segment.end_s - segment.begin_s + step;
      if (segment.samples() >= 2 && covered >= 0.5 * length_s * (1.0 - 1e-9))
        segments.push_back(segment);
      first = i;
    }
  }
  return segments;
}

}  // namespace realward
