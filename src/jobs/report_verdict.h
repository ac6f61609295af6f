// The report's opening box: what a person with a robot needs to know, composed from the numbers so
// that the words cannot disagree with them.
#ifndef REALWARD_JOBS_REPORT_VERDICT_H_
#define REALWARD_JOBS_REPORT_VERDICT_H_

#include <string>

#include "jobs/html_report.h"

namespace realward {

// nullptr when the policy was not evaluated there.
const ReportScore* FindScore(const LoopReport& report, const std::string& policy,
                             const std::string& suite);
const ReportRobotScore* FindRobotScore(const LoopReport& report, const std::string& policy);

// The box as markup.
std::string RenderVerdict(const LoopReport& report);

}  // namespace realward

#endif  // REALWARD_JOBS_REPORT_VERDICT_H_
