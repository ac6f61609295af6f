// A log made fit for use, with every repair reported.
#ifndef REALWARD_LOGS_PREPARE_H_
#define REALWARD_LOGS_PREPARE_H_

#include <vector>

#include "base/result.h"
#include "logs/log_check.h"

namespace realward {

struct PreparedLog {
  Log log;                        // finite everywhere, time strictly increasing, cut at gaps
  std::vector<Finding> findings;  // of CheckLog
  std::vector<Finding> repairs;   // what was done, one entry per kind of repair and its count
};

// Applies the repairs of findings that have one: equal duplicates and incomplete rows are removed,
// gaps and rows without a command cut the log, angles are unwrapped. Refused, with every reason,
// when an error has no repair or fewer than two samples are left. The hash is that of the repaired
// log.
Result<PreparedLog> PrepareLog(const Log& log, const CheckOptions& options = {});

}  // namespace realward

#endif  // REALWARD_LOGS_PREPARE_H_
