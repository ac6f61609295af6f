// A gap spec: the parameters in which simulation and robot differ. The same type is sampled for training,
// fitted from logs, injected into a virtual robot and named in reports.
#ifndef REALWARD_SPEC_GAP_H_
#define REALWARD_SPEC_GAP_H_

#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/view.h"

namespace realward {

enum class GapClass { kPhysics, kVision, kSensors, kActuation, kMechanics };

// When a parameter is drawn. fleet: once for all robots of a kind; unit: once per robot; episode: at each
// reset; step: the drawn value is the scale of noise that is new at each control step.
enum class Level { kFleet, kUnit, kEpisode, kStep };

enum class Operation { kSet, kScale, kAdd };

// What a target names.
enum class TargetKind { kBody, kJoint, kGeom, kActuator, kChannel, kWorld };

// A row of the gap model: what can vary, in which unit, on what.
struct GapKind {
  std::string name;       // for instance "joint_damping"
  GapClass gap_class = GapClass::kPhysics;
  TargetKind target = TargetKind::kWorld;
  std::string dimension;  // base/units.h; the unit of set and add (scale is a ratio). "" = depends on target
  double lowest = 0.0;    // physical limits of the resulting value
  double highest = 0.0;
  Level default_level = Level::kUnit;
  std::string meaning;    // one sentence, for reports and `realward check`
};

// Every kind there is, in a fixed order. docs/howto/add-a-gap-parameter.md says how to add one.
const std::vector<GapKind>& GapKinds();
// nullptr when unknown.
const GapKind* FindGapKind(const std::string& name);

enum class DistributionKind { kConstant, kUniform, kLogUniform, kNormal };

// A distribution of a scalar in SI units. kConstant: value a. kUniform, kLogUniform: [a, b].
// kNormal: mean a, standard deviation b, truncated to [low, high] when those are set.
struct Distribution {
  DistributionKind kind = DistributionKind::kConstant;
  double a = 0.0;
  double b = 0.0;
  std::optional<double> low;
  std::optional<double> high;
};

// Mean of a distribution (of the untruncated normal; the geometric mean of a log-uniform's ends).
double Centre(const Distribution& distribution);

struct GapParameter {
  std::string name;                  // unique within a spec
  std::string kind;                  // a GapKind name
  std::vector<std::string> targets;  // names or globs; empty for TargetKind::kWorld
  Operation operation = Operation::kSet;
  Level level = Level::kUnit;
  Distribution distribution;
  // For fitting: the search interval and the start. Absent when the parameter is not fitted.
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

// Reads a gap spec strictly; all errors in one message with file, line, key and nearest valid names.
// Target names are checked later, against a model (worlds/plan.h).
Result<GapSpec> LoadGap(const std::string& path);

Json ToJson(const GapSpec& gap);
Result<GapSpec> GapFromJson(const Json& json);

// The YAML text that LoadGap reads back to an equal value. Numbers carry their SI unit.
std::string ToYaml(const GapSpec& gap);

// One spec after the other: for each world the parameters act in order, each on what the earlier ones
// left, starting from the compiled nominal. Names that clash get "name@spec".
GapSpec Compose(const std::vector<GapSpec>& layers, const std::string& name);

const char* NameOf(GapClass gap_class);
const char* NameOf(Level level);
const char* NameOf(Operation operation);
const char* NameOf(TargetKind target);

}  // namespace realward

#endif  // REALWARD_SPEC_GAP_H_
