// What each parameter of a gap spec does to the motion and to the readings of a task: an answer by
// experiment, because a draw that is written everywhere it should be can still change nothing.
#ifndef REALWARD_SIM_EFFECT_H_
#define REALWARD_SIM_EFFECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/gap.h"
#include "spec/task.h"

namespace realward {

struct EffectOptions {
  int units = 4;
  double seconds = 1.0;  // of each world, from the task's start states
  std::uint64_t seed = 1;
  int threads = 1;
};

// Differences between two sets of worlds under the same actions, start states and noise.
struct ResponseDifference {
  double state = 0.0;    // largest RMS over time of any entry of qpos or qvel, SI
  double reading = 0.0;  // the same of any channel
  std::string channel;   // which channel that was; empty when no reading differs
  bool any() const { return state > 0.0 || reading > 0.0; }
};

struct ParameterEffect {
  std::string parameter;
  // This parameter against the nominal world, and all parameters against all but this one. Empty
  // when such a world cannot be: a wear that scales what another parameter sets.
  std::optional<ResponseDifference> alone;
  std::optional<ResponseDifference> within;

  bool acts_alone() const { return alone && alone->any(); }
  bool acts_within() const { return within && within->any(); }
  // Not a single bit differs: within this time, from these starts, the draw does nothing.
  bool is_without_effect() const { return (alone || within) && !acts_alone() && !acts_within(); }
};

// One entry per parameter, in order. Actions are random, held for a tenth of a second. Operating
// conditions (hours, temperature) stay in both sets of a comparison that is about a drift.
// Errors: those of Environments::Make.
Result<std::vector<ParameterEffect>> MeasureEffects(const TaskSpec& task, const GapSpec& gap,
                                                    const EffectOptions& options);

}  // namespace realward

#endif  // REALWARD_SIM_EFFECT_H_
