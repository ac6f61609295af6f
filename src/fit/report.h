// One fit from logs to report: identification, validation on held-out logs, derived quantities.
#ifndef REALWARD_FIT_REPORT_H_
#define REALWARD_FIT_REPORT_H_

#include <string>
#include <vector>

#include "base/hash.h"
#include "fit/validate.h"

namespace realward {

// Name and content hash of an input.
struct HashedInput {
  std::string name;
  std::string hash;
};

struct FitReport {
  HashedInput model;
  HashedInput gap;  // the prior
  std::vector<HashedInput> logs;
  std::uint64_t seed = 1;
  FitSpec options;
  Identification identification;
  std::vector<LogValidation> validation;
  std::vector<DerivedQuantity> derived;

  // Hashes of everything the fit was made from: model, prior gap spec, logs in order.
  std::vector<std::string> Parents() const;
};

struct FitInput {
  IdentifyInput identify;
  HashedInput model;                // for the report; identify.model is the compiled one
  std::span<const Log> validation;  // held out; may be empty
  // Window lengths for validation, s; 0 = whole run. Empty: options.validation_window, and the
  // whole run.
  std::vector<double> windows;
};

// Errors: those of Identify; a validation log that the model does not fit.
Result<FitReport> Fit(const FitInput& input, const std::atomic<bool>& stop,
                      const FitCallback& progress = {});

// Complete, and the same bytes for the same report. Infinite and undefined numbers become null.
Json ToJson(const FitReport& report);

// Plain text for a terminal: parameters with their uncertainty, what the data does not determine,
// derived quantities, validation errors.
std::string ToText(const FitReport& report);

}  // namespace realward

#endif  // REALWARD_FIT_REPORT_H_
