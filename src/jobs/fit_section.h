// The report's section on the fit, made from a fit, and its JSON form, which a cached stage keeps.
#ifndef REALWARD_JOBS_FIT_SECTION_H_
#define REALWARD_JOBS_FIT_SECTION_H_

#include "base/hash.h"
#include "base/mujoco.h"
#include "base/result.h"
#include "fit/report.h"
#include "jobs/html_report.h"

namespace realward {

// `model` tells the units of its joints' channels.
ReportFit MakeFitSection(const FitReport& fit, const mjModel& model);

// Undefined numbers are null.
Json ToJson(const ReportFit& fit);
Result<ReportFit> FitSectionFromJson(const Json& json);

}  // namespace realward

#endif  // REALWARD_JOBS_FIT_SECTION_H_
