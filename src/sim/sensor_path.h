// From the truth to a reading, one control step at a time. The memory of a channel is the caller's.
#ifndef REALWARD_SIM_SENSOR_PATH_H_
#define REALWARD_SIM_SENSOR_PATH_H_

#include <span>

#include "worlds/settings.h"

namespace realward {

// What a channel remembers from one reading to the next.
struct ChannelMemory {
  double play = 0.0;         // where the read side of the play stands, channel unit
  double walk = 0.0;         // random walk of the bias
  double instability = 0.0;  // Gauss–Markov bias
  double reading = 0.0;      // the last one given
  double stuck = 0.0;        // 1 once it is stuck
};

// Random numbers of one reading: standard normals and uniforms of [0, 1).
struct ReadingNoise {
  double white = 0.0;  // normal
  double walk = 0.0;   // normal
  double drift = 0.0;  // normal
  double late = 0.0;   // uniform
  double loss = 0.5;   // uniform
  double stick = 0.5;  // uniform
};

// Whether a channel does more than cross-talk, offset, noise and quantisation.
bool HasMemory(const ChannelSettings& settings);

// The truth at `age` seconds before the newest of `history` (newest first, `period` apart, ≥ 1
// entries), linear between entries; older than the oldest: the oldest.
double TruthAt(std::span<const double> history, double period, double age);

// The read side of a play of a width: it stays until the truth has used the play up.
double PlayOperator(double position, double truth, double width);

// The first reading of an episode: the play is centred, the wandering bias is drawn from its
// stationary distribution, nothing is lost.
double FirstReading(const ChannelSettings& settings, const WorldSettings& world, double truth,
                    double period, const ReadingNoise& noise, ChannelMemory& memory);

// The next reading. `history` holds the truth at control steps, newest first.
//   x = play(truth(t − latency − jitter · late))
//   y = scale · x + offset + walk + instability + drift · (T − 298.15 K) + σ · white
//   σ² = noise² + noise_density² / period
// then saturation and quantisation. A lost or stuck reading is the one before. Noise terms: IEEE
// Std 952-1997, annex B (N: noise_density, K: walk); the instability is its Gauss–Markov model,
// whose Allan deviation has its maximum 0.617 · sd at 1.89 correlation times.
double NextReading(const ChannelSettings& settings, const WorldSettings& world,
                   std::span<const double> history, double period, const ReadingNoise& noise,
                   ChannelMemory& memory);

}  // namespace realward

#endif  // REALWARD_SIM_SENSOR_PATH_H_
