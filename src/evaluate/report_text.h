// An EvalReport for people: plain text, no colour, UTF-8.
#ifndef REALWARD_EVALUATE_REPORT_TEXT_H_
#define REALWARD_EVALUATE_REPORT_TEXT_H_

#include <string>

#include "evaluate/report.h"

namespace realward {

// "97.5 % [94.3, 98.9]", or "not measured". A rate or limit below 100 % never shows as 100, nor
// one above 0 as 0.
std::string FormatRate(const Proportion& proportion);
// "-12.3 [-14.1, -10.9]" with as many decimals as the interval's width supports; "3.2 (one value)",
// "3.2 (no spread)", "not measured".
std::string FormatMean(const MeanEstimate& estimate);

// Plain text for a terminal: the table by policy and suite, then gaps, comparisons and remarks
// (trials that did not finish with the bounds they leave, emergency stops, ignored retries,
// excluded pairs).
std::string FormatReport(const EvalReport& report);

}  // namespace realward

#endif  // REALWARD_EVALUATE_REPORT_TEXT_H_
