// Running mean and variance (Chan, Golub, LeVeque 1979, pairwise update), for observations and
// returns.
#ifndef REALWARD_TRAIN_NORMALISER_H_
#define REALWARD_TRAIN_NORMALISER_H_

#include <span>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/view.h"

namespace realward {

class RunningMoments {
 public:
  explicit RunningMoments(int size) : mean_(size, 0.0), square_(size, 0.0) {}

  // rows × size. Rows are added in order, so the result does not depend on threads.
  void Add(MatrixView<const float> rows);
  double count() const { return count_; }
  const std::vector<double>& mean() const { return mean_; }
  // √(variance + 1e-8); 1 while fewer than two rows were seen.
  double Spread(int i) const;

  void Save(Record& record, const std::string& prefix) const;
  Status Load(const Record& record, const std::string& prefix);

 private:
  double count_ = 0.0;
  std::vector<double> mean_;
  std::vector<double> square_;  // sum of squared deviations
};

// Scales rewards by the spread of the discounted return (Engstrom et al., "Implementation matters
// in deep policy gradients", 2020, section 3: reward scaling).
class RewardScaler {
 public:
  RewardScaler(int worlds, double discount)
      : discount_(discount), returns_(worlds, 0.0f), moments_(1) {}

  // Adds one step: rewards of all worlds, and whether each episode ended. Returns nothing; Scale()
  // changes.
  void Add(std::span<const double> rewards, std::span<const bool> ended);
  double Scale() const { return 1.0 / moments_.Spread(0); }

  void Save(Record& record) const;
  Status Load(const Record& record);

 private:
  double discount_;
  std::vector<float> returns_;
  RunningMoments moments_;
};

}  // namespace realward

#endif  // REALWARD_TRAIN_NORMALISER_H_
