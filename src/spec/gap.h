// A gap spec: the parameters in which simulation and robot differ. The same type is sampled for
// training, fitted from logs, injected into a virtual robot and named in reports.
#ifndef REALWARD_SPEC_GAP_H_
#define REALWARD_SPEC_GAP_H_

#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/view.h"
#include "spec/distribution.h"
#include "spec/gap_kind.h"

namespace realward {

struct GapParameter {
  std::string name;                  // unique within a spec
  std::string kind;                  // a GapKind name
  std::vector<std::string> targets;  // names or globs; empty for TargetKind::kWorld
  Operation operation = Operation::kSet;
  Level level = Level::kUnit;
  Distribution distribution;
  // Of level drift: the value of the distribution is reached after this many seconds of operation
  // or kelvins. add: value · elapsed / per; scale: 1 + value · elapsed / per.
  DriftDriver drift = DriftDriver::kHours;
  double drift_per = 1.0;  // s or K, > 0
  // For fitting: the search interval; the start is Centre(distribution). Both or none; absent when
  // the parameter is not fitted.
  std::optional<double> bound_low;
  std::optional<double> bound_high;
  int line = 0;  // where it stands in its file, 0 if none
};

// Parameters drawn together: a correlation matrix over their underlying normals (Gaussian copula).
struct CorrelationGroup {
  std::vector<std::string> parameters;
  Matrix<double> correlation;  // n × n, symmetric, unit diagonal, positive definite
};

struct GapSpec {
  std::string name;
  std::string file;  // where it came from, for messages; not part of its identity
  std::vector<GapParameter> parameters;
  std::vector<CorrelationGroup> correlations;
  std::vector<std::string> parents;  // content hashes (a fit, its logs)
};

// Reads a gap spec strictly; all errors in one message with file, line, key and nearest valid
// names. README.md gives the form. Target names are checked later, against a model (worlds/plan.h),
// and so is what depends on nominal values: whether an added number keeps a mass positive.
Result<GapSpec> LoadGap(const std::string& path);

// Canonical form: the keys of the YAML form, defaults written out, numbers in SI without units.
Json ToJson(const GapSpec& gap);
// Its inverse, just as strict; `file` stays empty and lines 0.
Result<GapSpec> GapFromJson(const Json& json);

// The YAML text that LoadGap reads back to an equal value. Numbers carry their SI unit; where the
// target decides the dimension (joint_damping of a hinge or a slide) they carry none and are SI.
std::string ToYaml(const GapSpec& gap);

// One spec after the other: for each world the parameters act in order, each on what the earlier
// ones left, starting from the compiled nominal. Names that clash get "name@spec" (and "#2", "#3",
// ... when that clashes too). The parents are the hashes of the layers' canonical forms.
GapSpec Compose(const std::vector<GapSpec>& layers, const std::string& name);

}  // namespace realward

#endif  // REALWARD_SPEC_GAP_H_
