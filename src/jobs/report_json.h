// The report's numbers in machine-readable and terminal form: the same as on the page.
#ifndef REALWARD_JOBS_REPORT_JSON_H_
#define REALWARD_JOBS_REPORT_JSON_H_

#include <string>

#include "base/hash.h"
#include "jobs/html_report.h"

namespace realward {

// null when the number is undefined.
Json Number(double value);
Json ToJson(const Estimate& estimate);

// Undefined numbers are null. Curves and overlays are left out: they lie beside the stages'
// results.
Json ReportJson(const LoopReport& report);

// The table that ends a loop on the terminal: where the data came from, success by policy and suite
// with intervals, the robot, and the verdict.
std::string ReportTable(const LoopReport& report);

}  // namespace realward

#endif  // REALWARD_JOBS_REPORT_JSON_H_
