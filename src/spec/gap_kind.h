// The rows of the gap model: what can differ between simulation and robot, on what, in which unit.
#ifndef REALWARD_SPEC_GAP_KIND_H_
#define REALWARD_SPEC_GAP_KIND_H_

#include <span>
#include <string>
#include <vector>

#include "spec/yaml_reader.h"

namespace realward {

enum class GapClass { kPhysics, kVision, kSensors, kActuation, kMechanics };

// When a parameter is drawn. fleet: once for all robots of a kind; unit: once per robot; episode:
// at each reset; step: the drawn value is the scale of noise that is new at each control step;
// drift: once per robot, a rate per operating hour or kelvin.
enum class Level { kFleet, kUnit, kEpisode, kStep, kDrift };

// What a drift follows: the unit's operating hours, or the temperature above 298.15 K.
enum class DriftDriver { kHours, kTemperature };

enum class Operation { kSet, kScale, kAdd };

// What a target names. A channel is a measured signal: "<joint>.position",
// "<joint>.velocity", or an axis of a sensor, "<sensor>.x".
enum class TargetKind { kBody, kJoint, kGeom, kActuator, kChannel, kWorld };

// A row of the gap model.
struct GapKind {
  std::string name;  // for instance "joint_damping"
  GapClass gap_class = GapClass::kPhysics;
  TargetKind target = TargetKind::kWorld;
  std::string dimension;  // base/units.h; the unit of set and add (scale is a ratio). "" = depends
                          // on target
  double lowest = 0.0;    // physical limits of the resulting value, SI; may be infinite
  double highest = 0.0;
  Level default_level = Level::kUnit;
  std::string meaning;       // one sentence, for reports and `realward check`
  bool lowest_open = false;  // the value must be above lowest
  // When dimension is "": the dimensions it can have (a hinge or a slide, a motor or a servo).
  std::vector<std::string> alternatives;
};

// Every kind there is, in a fixed order. docs/howto/add-a-gap-parameter.md says how to add one.
const std::vector<GapKind>& GapKinds();
// nullptr when unknown.
const GapKind* FindGapKind(const std::string& name);
std::vector<std::string> GapKindNames();

// Only kinds that are noise can be drawn anew at each step.
inline bool AllowsStep(const GapKind& kind) { return kind.default_level == Level::kStep; }

// What a number of this kind must be under an operation on these targets. set: the kind's unit and
// limits; scale: a ratio ≥ 0 (> 0 where the value itself must be); add: the kind's unit, any size,
// because whether the sum stays physical depends on the model.
NumberRule RuleFor(const GapKind& kind, Operation operation,
                   const std::vector<std::string>& targets);

// Names, shared by YAML, JSON and messages.
std::span<const Named<Level>> LevelNames();
std::span<const Named<Operation>> OperationNames();
const char* NameOf(GapClass gap_class);
const char* NameOf(Level level);
const char* NameOf(Operation operation);
const char* NameOf(TargetKind target);

}  // namespace realward

#endif  // REALWARD_SPEC_GAP_KIND_H_
