// The posterior of a fit as a gap spec: what the next training samples.
#ifndef REALWARD_FIT_POSTERIOR_H_
#define REALWARD_FIT_POSTERIOR_H_

#include <string>

#include "fit/report.h"
#include "spec/gap.h"

namespace realward {

// One parameter for each of `prior`, in its order, with its operation and bounds:
// - determined: a normal around the estimate, truncated to the bounds (at a bound: half a normal),
//   drawn once per unit; those inside their bounds share a correlation group;
// - not determined: uniform over the bounds, drawn once per unit; the report names them;
// - without bounds: as in the prior.
// Correlation groups of the prior stay when none of their members was fitted. Parents: the
// report's. `prior` must be the gap spec that was fitted.
GapSpec PosteriorGap(const FitReport& report, const GapSpec& prior, const std::string& name);

}  // namespace realward

#endif  // REALWARD_FIT_POSTERIOR_H_
