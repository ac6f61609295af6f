// What is wrong with a log. See logs/prepare.h for what is done about it.
#ifndef REALWARD_LOGS_LOG_CHECK_H_
#define REALWARD_LOGS_LOG_CHECK_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "logs/finding.h"
#include "logs/log.h"
#include "logs/mapping.h"

namespace realward {

struct CheckOptions {
  double gap_steps = 3.0;               // a step of more than this many median steps is a gap
  double jitter = 0.1;                  // warn above this (median absolute deviation / median step)
  double clipped_share = 0.05;          // warn when more samples than this sit on an extreme
  std::vector<std::string> many_turns;  // angles that are expected to pass 20 turns
};

// Options with the mapping's many_turns.
CheckOptions CheckOptionsOf(const Mapping& mapping);

// Median of the positive steps, s; 0 when there is none.
double MedianStep(const std::vector<double>& time_s);

// Everything found: log.reading, then time stamps, missing values, channels that stand still,
// position against velocity (NAME.position and NAME.velocity), clipped commands. A pure function of
// the log.
std::vector<Finding> CheckLog(const Log& log, const CheckOptions& options = {});

}  // namespace realward

#endif  // REALWARD_LOGS_LOG_CHECK_H_
