// From logs to what a fit starts with: segments, the noise of each channel, and a first guess of
// the state at a time.
#ifndef REALWARD_FIT_SEGMENTS_H_
#define REALWARD_FIT_SEGMENTS_H_

#include <span>
#include <vector>

#include "fit/shooting.h"

namespace realward {

// A stretch of a log with fewer samples is too short to fit.
inline constexpr std::size_t kLeastSamples = 5;

// Cuts each continuous stretch of a log (logs/segment.h) into round(duration / length) equal
// segments (one at least) on the physics grid. Samples belong to one segment each; the last one of
// a piece ends at the grid step of its last sample. Pieces of fewer than kLeastSamples samples are
// left out.
std::vector<Segment> CutLog(const Shooter& shooter, int log, double length);

// The segment [begin, begin + length) of a log, begin and length rounded to the physics grid.
// Nothing looks at the log's cuts.
Segment CutWindow(const Shooter& shooter, int log, double begin, double length);

// True state at a time: positions and velocities from a local quadratic of the measured positions
// less the channel offsets (logged velocities are often filtered and late),
// within the stretch that the time is in. A joint
// without a logged position starts at its reference position, with the logged velocity if there is
// one.
std::vector<double> GuessState(const Shooter& shooter, int log, double at,
                               std::span<const ChannelSettings> settings);

// Standard deviation of each channel of a log, robust (1.4826 · median absolute deviation): a
// position about its local quadratic, a velocity about the slope of its position's local quadratic
// (about its own quadratic if the position is missing). At least the rounding noise of the
// channel's smallest step, and 1e-4 of its range. 0 for channels the log does not have.
std::vector<double> ChannelSigmas(const Shooter& shooter, int log);

}  // namespace realward

#endif  // REALWARD_FIT_SEGMENTS_H_
