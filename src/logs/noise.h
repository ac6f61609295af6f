// How noisy each channel of a log is: white noise, quantization and the unevenness of its clock.
#ifndef REALWARD_LOGS_NOISE_H_
#define REALWARD_LOGS_NOISE_H_

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "logs/log.h"

namespace realward {

struct ChannelNoise {
  std::string channel;
  double white_sigma = 0.0;  // standard deviation of white noise, channel's unit; includes rounding
  double quantum = 0.0;      // step between neighbouring values; 0 when they are not on a grid
};

struct ClockNoise {
  double median_step_s = 0.0;
  double step_sigma_s = 0.0;  // robust standard deviation of the steps
  double longest_step_s = 0.0;
};

// White noise about a local quadratic: each sample against the one predicted from its three
// neighbours on each side, divided by the prediction's own spread; 1.4826 × median absolute
// deviation, and at least quantum / √12. Motion that a quadratic follows over seven samples does
// not count as noise.
double EstimateWhiteSigma(std::span<const double> time_s, std::span<const double> values);

// The largest step of which nearly all changes between neighbouring samples are whole multiples
// (within a tenth, small multiples only). 0 when there is none, or fewer than 10 changes.
double EstimateQuantum(std::span<const double> values);

std::vector<ChannelNoise> EstimateNoise(const Log& log);
ClockNoise EstimateClock(std::span<const double> time_s);

}  // namespace realward

#endif  // REALWARD_LOGS_NOISE_H_
