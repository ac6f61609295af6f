// Whether the position and velocity of a joint are in the units and signs that the mapping
// declares.
#ifndef REALWARD_LOGS_UNIT_CHECK_H_
#define REALWARD_LOGS_UNIT_CHECK_H_

#include <cstddef>
#include <vector>

#include "logs/finding.h"
#include "logs/log.h"

namespace realward {

// How the change of a position over short windows compares with the integral of the velocity.
struct MotionAgreement {
  double factor = 0.0;  // velocity integral / position change, sign included; 1 when they agree
  double correlation = 0.0;  // of the two over the windows; the factor means little below 0.7
  std::size_t windows = 0;
};

// Compares over windows of `samples` steps. Windows over cuts, gaps, jumps of more than half the
// position's range and over NaN are left out. Changes rather than derivatives, so that encoder
// steps do not swamp slow motion.
MotionAgreement CompareMotion(const Log& log, std::size_t position, std::size_t velocity,
                              std::size_t samples = 20);

// Findings about one joint; velocity is kNoIndex when it is not logged. Errors: degrees declared as
// radians (against the velocity; by wraps at 360; by more than 20 turns unless many_turns),
// opposite sign, another factor. Warnings: wraps of one turn (repair: unwrap), more than 6 turns.
std::vector<Finding> CheckJointUnits(const Log& log, std::size_t position, std::size_t velocity,
                                     bool many_turns);

}  // namespace realward

#endif  // REALWARD_LOGS_UNIT_CHECK_H_
