// From what the stages gave to what the report says: statistics, comparisons, words.
#ifndef REALWARD_JOBS_LOOP_REPORT_H_
#define REALWARD_JOBS_LOOP_REPORT_H_

#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "jobs/html_report.h"
#include "jobs/loop_state.h"

namespace realward {

// Every rate with a Wilson interval, every return with a BCa bootstrap, comparisons paired by world
// with the exact McNemar test, Δ and GapRatio against the robot. Resampling draws come from (seed,
// kBootstrap).
Result<LoopReport> MakeLoopReport(const LoopState& state);

// "nominal world", "fit, then gap_wide": what a list of gap names means to a reader.
std::string DescribeGaps(const std::vector<std::string>& gaps);

// False when success was asked for and the recommended policy (or, without one, every policy)
// misses it in a held-out suite.
bool MeetsWantedSuccess(const LoopReport& report);

}  // namespace realward

#endif  // REALWARD_JOBS_LOOP_REPORT_H_
