// Distributions of a scalar in SI units, and their strict reading.
#ifndef REALWARD_SPEC_DISTRIBUTION_H_
#define REALWARD_SPEC_DISTRIBUTION_H_

#include <optional>
#include <string>

#include "base/hash.h"
#include "spec/yaml_reader.h"

namespace realward {

enum class DistributionKind { kConstant, kUniform, kLogUniform, kNormal };

// kConstant: value a. kUniform, kLogUniform: [a, b]. kNormal: mean a, standard deviation b,
// truncated to [low, high] when those are set.
struct Distribution {
  DistributionKind kind = DistributionKind::kConstant;
  double a = 0.0;
  double b = 0.0;
  std::optional<double> low = {};
  std::optional<double> high = {};

  bool operator==(const Distribution&) const = default;
};

// Mean of a distribution (of the untruncated normal; the geometric mean of a log-uniform's ends).
double Centre(const Distribution& distribution);

// A normal may leave its physical limits by itself in at most this part of the draws (six sigmas).
constexpr double kNegligibleTail = 1e-9;
// A truncated normal must keep at least this part of the untruncated one.
constexpr double kLeastKept = 1e-6;

// P(X < at) of an untruncated normal, accurate in both tails.
double NormalBelow(double at, double mean, double std);
double NormalAbove(double at, double mean, double std);

// Reads one of
//   0.5 N*m   {constant: x}   {uniform: [a, b]}   {log_uniform: [a, b]}
//   {normal: {mean: m, std: s, low: l, high: h}}   (low and high are optional)
// Errors (reported, nothing returned): unknown or several kinds, a number against the rule, a
// reversed or one-ended range, a lower end of log_uniform that is not above 0, a spread that is not
// above 0, a normal whose tail leaves the rule's limits in more than kNegligibleTail of its draws,
// a truncation that keeps less than kLeastKept. The rule keeps the dimension that was found.
std::optional<Distribution> ReadDistribution(const YamlValue& value, NumberRule& rule);

// The form that ReadDistribution reads; numbers followed by " unit" when unit is not empty.
Json DistributionJson(const Distribution& distribution, const std::string& unit = "");
// A number in that form: shortest text that reads back to the same bits.
Json NumberJson(double value, const std::string& unit);

}  // namespace realward

#endif  // REALWARD_SPEC_DISTRIBUTION_H_
