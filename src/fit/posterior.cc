#include "fit/posterior.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace realward {
namespace {

constexpr double kLargestCorrelation = 0.9999;
// Shrinks a correlation matrix towards independence until rounding cannot make it indefinite.
constexpr double kShrink = 1e-6;

const ParameterEstimate* FindEstimate(const FitReport& report, const std::string& name) {
  for (const ParameterEstimate& p : report.identification.parameters) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

Distribution DistributionOf(const ParameterEstimate& p) {
  Distribution distribution;
  if (!p.determined) {
    distribution.kind = DistributionKind::kUniform;
    distribution.a = p.low;
    distribution.b = p.high;
    return distribution;
  }
  distribution.kind = DistributionKind::kNormal;
  distribution.a = p.estimate;
  distribution.b = p.sd;
  distribution.low = p.low;
  distribution.high = p.high;
  return distribution;
}

void AddCorrelations(const Identification& id, GapSpec& posterior) {
  std::vector<std::size_t> members;
  for (std::size_t j = 0; j < id.parameters.size(); ++j) {
    if (id.parameters[j].determined && id.parameters[j].bound == BoundState::kInside)
      members.push_back(j);
  }
  if (members.size() < 2) return;
  CorrelationGroup group;
  group.correlation = Matrix<double>(members.size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    group.parameters.push_back(id.parameters[members[i]].name);
    group.correlation(i, i) = 1.0;
    for (std::size_t j = 0; j < i; ++j) {
      const double scale =
          std::sqrt(id.covariance(members[i], members[i]) * id.covariance(members[j], members[j]));
      const double r = (1.0 - kShrink) * id.covariance(members[i], members[j]) / scale;
      group.correlation(i, j) = group.correlation(j, i) =
          std::clamp(r, -kLargestCorrelation, kLargestCorrelation);
    }
  }
  posterior.correlations.push_back(std::move(group));
}

}  // namespace

GapSpec PosteriorGap(const FitReport& report, const GapSpec& prior, const std::string& name) {
  GapSpec posterior;
  posterior.name = name;
  posterior.parents = report.Parents();
  for (const GapParameter& from : prior.parameters) {
    GapParameter parameter = from;
    parameter.line = 0;
    if (from.bound_low && from.bound_high) {
      const ParameterEstimate* estimate = FindEstimate(report, from.name);
      RW_CHECK(estimate != nullptr);
      parameter.distribution = DistributionOf(*estimate);
      parameter.level = Level::kUnit;
    }
    posterior.parameters.push_back(std::move(parameter));
  }
  for (const CorrelationGroup& group : prior.correlations) {
    const bool is_fitted = std::any_of(
        group.parameters.begin(), group.parameters.end(), [&](const std::string& member) {
          const ParameterEstimate* estimate = FindEstimate(report, member);
          return estimate != nullptr;
        });
    if (!is_fitted) posterior.correlations.push_back(group);
  }
  AddCorrelations(report.identification, posterior);
  return posterior;
}

}  // namespace realward
