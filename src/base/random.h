// Counter-based random streams: a draw is a pure function of (seed, purpose, unit, world, episode,
// step), so it is the same at any thread count and any one episode can be replayed alone.
//
// Generator: Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
// The key holds (seed, purpose), the counter holds (block, step, episode, unit·2³² + world): no two
// streams overlap.
#ifndef REALWARD_BASE_RANDOM_H_
#define REALWARD_BASE_RANDOM_H_

#include <array>
#include <cstdint>

namespace realward {

// What a stream is for. Values are part of every recorded run: add at the end, never renumber.
enum class Purpose : std::uint64_t {
  kGapDraw = 1,        // gap parameters at fleet, unit and episode level
  kSensorNoise = 2,    // per-step sensor noise
  kActuatorNoise = 3,  // per-step command noise
  kReset = 4,          // initial state of an episode
  kPolicyNoise = 5,    // exploration
  kPolicyInit = 6,     // initial weights
  kShuffle = 7,        // minibatch order
  kBootstrap = 8,      // resampling
  kFitStart = 9,       // start points of a fit
  kTest = 10,          // tests and benches
  kSensorDrift = 11,   // wandering biases, jitter and loss of readings
  kFault = 12,         // whether a scripted fault happens in a trial
};

// Which stream. All fields are part of the address.
struct StreamId {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::kTest;
  std::uint32_t unit = 0;
  std::uint32_t world = 0;
  std::uint64_t episode = 0;
  std::uint64_t step = 0;
};

// One Philox4x64-10 block.
std::array<std::uint64_t, 4> Philox(std::array<std::uint64_t, 4> counter,
                                    std::array<std::uint64_t, 2> key);

// Sequential draws from one stream. Cheap to make (no state beyond the address); not thread-safe,
// make one per use. The n-th call always gives the same value for the same id.
class Stream {
 public:
  explicit Stream(const StreamId& id);

  std::uint64_t Bits();
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  // Uniform in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  // Standard normal (Box–Muller; both values of a pair are used).
  double Normal();
  // Uniform integer in [0, n), unbiased; n > 0.
  std::uint64_t Index(std::uint64_t n);

 private:
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> block_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0.0;
};

}  // namespace realward

#endif  // REALWARD_BASE_RANDOM_H_
