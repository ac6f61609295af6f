// A log cut into stretches of a given length, none over a gap.
#ifndef REALWARD_LOGS_SEGMENT_H_
#define REALWARD_LOGS_SEGMENT_H_

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "logs/log.h"

namespace realward {

// Samples [first, last) of a log; segments that follow each other share no sample. begin_s and
// end_s are the times of its first and last samples.
struct LogSegment {
  std::size_t first = 0;
  std::size_t last = 0;
  double begin_s = 0.0;
  double end_s = 0.0;

  std::size_t samples() const { return last - first; }
};

// Stretches without a cut (log.cuts) or a gap (a step of more than gap_steps median steps).
std::vector<LogSegment> ContinuousStretches(const Log& log, double gap_steps = 3.0);

// Cuts each stretch into segments of length_s > 0 (a sample belongs to floor((t − start) /
// length_s)). A tail shorter than half of that joins no segment and is left out. A segment has at
// least two samples. Needs increasing time stamps (PrepareLog).
std::vector<LogSegment> CutSegments(const Log& log, double length_s, double gap_steps = 3.0);

}  // namespace realward

#endif  // REALWARD_LOGS_SEGMENT_H_
