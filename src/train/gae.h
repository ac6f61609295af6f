// Generalised advantage estimation (Schulman et al., "High-dimensional continuous control using
// generalized advantage estimation", 2016, equations 11–16) with the two ends of an episode told
// apart.
#ifndef REALWARD_TRAIN_GAE_H_
#define REALWARD_TRAIN_GAE_H_

#include <cstdint>

#include "base/view.h"

namespace realward {

// How a step ended its episode, for bootstrapping: a truncated episode (time limit) would have gone
// on, so the value of its true last observation counts; a terminated one would not.
enum class StepEnd : std::uint8_t { kNone, kTruncated, kTerminated };

// All matrices are steps × worlds. next_values(t, w) is the value of the observation that followed
// step t in the same episode: of the terminal observation where it ended, never of the reset one.
// Writes advantages; returns are advantages + values. No advantage crosses an episode's end.
void ComputeAdvantages(MatrixView<const float> rewards, MatrixView<const float> values,
                       MatrixView<const float> next_values, MatrixView<const StepEnd> ends,
                       double discount, double lambda, MatrixView<float> advantages);

}  // namespace realward

#endif  // REALWARD_TRAIN_GAE_H_
