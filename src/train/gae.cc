#include "train/gae.h"

namespace realward {

void ComputeAdvantages(MatrixView<const float> rewards, MatrixView<const float> values,
                       MatrixView<const float> next_values, MatrixView<const StepEnd> ends,
                       double discount, double lambda, MatrixView<float> advantages) {
  for (std::size_t w = 0; w < rewards.cols(); ++w) {
    double advantage = 0.0;
    for (std::size_t t = rewards.rows(); t-- > 0;) {
      const StepEnd end = ends(t, w);
      const double bootstrap = end == StepEnd::kTerminated ? 0.0 : discount * next_values(t, w);
      const double carried = end == StepEnd::kNone ? discount * lambda * advantage : 0.0;
      advantage = rewards(t, w) + bootstrap - values(t, w) + carried;
      advantages(t, w) = static_cast<float>(advantage);
    }
  }
}

}  // namespace realward
