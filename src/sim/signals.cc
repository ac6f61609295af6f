#include "sim/signals.h"

#include <algorithm>
#include <cmath>

namespace realward {

double CommandOf(const ActionTerm& term, double action) {
  return term.low + 0.5 * (std::clamp(action, -1.0, 1.0) + 1.0) * (term.high - term.low);
}

double ActionOf(const ActionTerm& term, double command) {
  return std::clamp(2.0 * (command - term.low) / (term.high - term.low) - 1.0, -1.0, 1.0);
}

double MeasuredValue(const ChannelSettings& settings, double truth, double z) {
  const double value = truth + settings.offset + settings.noise * z;
  return settings.quantization > 0.0
             ? settings.quantization * std::round(value / settings.quantization)
             : value;
}

}  // namespace realward
