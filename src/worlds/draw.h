// Draws: gap parameters → numbers. A draw is a pure function of its address, so one bad episode can
// be replayed alone and any thread may make it.
#ifndef REALWARD_WORLDS_DRAW_H_
#define REALWARD_WORLDS_DRAW_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "spec/gap.h"

namespace realward {

// Which world of which robot in which episode.
struct WorldId {
  std::uint64_t seed = 0;
  std::uint32_t unit = 0;
  std::uint32_t world = 0;
  std::uint64_t episode = 0;
};

// The value at cumulative probability u in (0, 1), accurate in both tails.
double Quantile(const Distribution& distribution, double u);

// Where draws lie. The open end of a normal is its quantile at kNegligibleTail.
struct Support {
  double low = 0.0;
  double high = 0.0;
};
Support SupportOf(const Distribution& distribution);

// Draws parameter values, in the order of spec.parameters. Each parameter has its own stream,
// addressed by its name and level: fleet draws ignore unit, world and episode; unit (and step, and
// drift) draws ignore world and episode; episode draws use all. Reordering parameters does not
// change them. Parameters of a correlation group share a Gaussian copula.
class Drawer {
 public:
  explicit Drawer(const GapSpec& spec);

  // values.size() == number of parameters. Thread-safe; allocates nothing.
  void Draw(const WorldId& id, std::span<double> values) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Distribution distribution;
    Level level;
    std::uint64_t name_key;  // first 64 bits of the hash of the name
    int group = -1;          // −1: independent
    int row = 0;             // row in the group's Cholesky factor
  };
  struct Group {
    std::vector<int> members;  // parameter indices in the order of the matrix
    Matrix<double> cholesky;   // lower triangular factor of the correlation
  };
  std::vector<Entry> entries_;
  std::vector<Group> groups_;
};

}  // namespace realward

#endif  // REALWARD_WORLDS_DRAW_H_
