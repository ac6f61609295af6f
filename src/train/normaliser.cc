#include "train/normaliser.h"

#include <cmath>

namespace realward {

void RunningMoments::Add(MatrixView<const float> rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    count_ += 1.0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const double delta = rows(r, i) - mean_[i];
      mean_[i] += delta / count_;
      square_[i] += delta * (rows(r, i) - mean_[i]);
    }
  }
}

double RunningMoments::Spread(int i) const {
  return count_ < 2.0 ? 1.0 : std::sqrt(square_[i] / count_ + 1e-8);
}

void RunningMoments::Save(Record& record, const std::string& prefix) const {
  record.Put(prefix + ".count", std::span<const double>(&count_, 1));
  record.Put(prefix + ".mean", mean_);
  record.Put(prefix + ".square", square_);
}

Status RunningMoments::Load(const Record& record, const std::string& prefix) {
  RW_TRY(record.Get(prefix + ".count", std::span<double>(&count_, 1)));
  RW_TRY(record.Get(prefix + ".mean", mean_));
  return record.Get(prefix + ".square", square_);
}

void RewardScaler::Add(std::span<const double> rewards, std::span<const bool> ended) {
  for (std::size_t w = 0; w < returns_.size(); ++w) {
    returns_[w] = static_cast<float>(returns_[w] * discount_ + rewards[w]);
  }
  moments_.Add({returns_.data(), returns_.size(), 1});
  for (std::size_t w = 0; w < returns_.size(); ++w) {
    if (ended[w]) returns_[w] = 0.0f;
  }
}

void RewardScaler::Save(Record& record) const {
  record.Put("reward_scaler.returns", returns_);
  moments_.Save(record, "reward_scaler");
}

Status RewardScaler::Load(const Record& record) {
  RW_TRY(record.Get("reward_scaler.returns", returns_));
  return moments_.Load(record, "reward_scaler");
}

}  // namespace realward
