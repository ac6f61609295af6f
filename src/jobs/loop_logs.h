// Where a loop's recordings come from: a data set, plain files, or the virtual robot when there is
// no data.
#ifndef REALWARD_JOBS_LOOP_LOGS_H_
#define REALWARD_JOBS_LOOP_LOGS_H_

#include <atomic>
#include <string>
#include <vector>

#include "jobs/cache.h"
#include "jobs/html_report.h"
#include "logs/log.h"
#include "spec/loop.h"

namespace realward {

struct DatasetPlaces {
  std::vector<std::string> descriptions;  // folders with NAME.yaml
  std::vector<std::string> mirrors;       // folders that hold data sets
};

struct LoopLogs {
  ReportSource source;
  std::vector<Log> fit;
  std::vector<Log> validate;
  std::vector<ReportLogFinding> findings;
  std::vector<ReportItem> items;  // each file with its hash
  Json identity;                  // what the logs are, for hashes
};

struct LogSources {
  const LoopSpec* loop = nullptr;
  const DatasetPlaces* places = nullptr;
  const StageCache* cache = nullptr;
  std::string program;
};

// Reads, checks and cuts the logs. A log with an error that has no defined repair is refused; the
// message lists what was found. A data set that is not to be had is replaced by the virtual robot's
// logs when the loop names a fallback, and `source` says so.
Result<LoopLogs> GatherLogs(const LogSources& sources);

}  // namespace realward

#endif  // REALWARD_JOBS_LOOP_LOGS_H_
