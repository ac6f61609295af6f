// The drawings of the loop's report. Each gives markup: a figure, or a sentence when there is
// nothing to draw.
#ifndef REALWARD_JOBS_REPORT_FIGURES_H_
#define REALWARD_JOBS_REPORT_FIGURES_H_

#include <string>
#include <vector>

#include "jobs/html_report.h"
#include "jobs/svg_plot.h"

namespace realward {

// A policy keeps its colour through the whole report: by its place among the policies.
int PolicyColour(const LoopReport& report, const std::string& policy);

// "0.153 (0.151 to 0.155)"; "undefined: why" without a value.
std::string EstimateText(const Estimate& estimate);
// The same for a share or a difference of shares, in per cent or percentage points.
std::string ShareText(const Estimate& estimate);
std::string PointsText(const Estimate& estimate);
// EstimateText with a sign: for differences.
std::string DifferenceText(const Estimate& estimate);

// "recorded", "datasheet" and "fitted" over time; the error plot shows simulation minus recording.
Plot OverlayPlot(const ReportOverlay& overlay, int width, int height);
Plot ErrorPlot(const ReportOverlay& overlay, int width, int height);

std::string OverlayFigure(const ReportOverlay& overlay);
std::string PriorPosteriorFigure(const std::vector<ReportParameter>& parameters);
std::string CorrelationFigure(const ReportFit& fit);
std::string LearningFigure(const LoopReport& report);
std::string ComparisonFigure(const LoopReport& report);
std::string GapFigure(const LoopReport& report, const ReportGap& gap);

}  // namespace realward

#endif  // REALWARD_JOBS_REPORT_FIGURES_H_
