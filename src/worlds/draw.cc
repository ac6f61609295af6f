#include "worlds/draw.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/hash.h"

namespace realward {
namespace {

// The standard normal's value with probability p below it and q = 1 − p above it. Taking the
// smaller of the two keeps the tails accurate and off infinity.
double NormalQuantile(double p, double q) {
  const double z = std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * std::min(p, q));
  return p < q ? -z : z;
}

// A uniform draw that is neither 0 nor 1, so that quantiles stay finite.
double OpenUniform(Stream& stream) {
  return std::min(stream.Uniform() + 0x1.0p-54, 1.0 - 0x1.0p-53);
}

StreamId Address(const WorldId& id, Level level, std::uint64_t name_key) {
  StreamId address{id.seed, Purpose::kGapDraw, 0, 0, 0, name_key};
  if (level == Level::kUnit || level == Level::kStep || level == Level::kDrift)
    address.unit = id.unit;
  if (level == Level::kEpisode) {
    address.unit = id.unit;
    address.world = id.world;
    address.episode = id.episode + 1;  // 0 is the address of draws that ignore the episode
  }
  return address;
}

Matrix<double> Cholesky(const Matrix<double>& a) {
  const std::size_t n = a.rows();
  Matrix<double> l(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j) {
        RW_CHECK(sum > 0.0);  // the spec's reader refuses other matrices
        l(i, i) = std::sqrt(sum);
      } else {
        l(i, j) = sum / l(j, j);
      }
    }
  }
  return l;
}

}  // namespace

double Quantile(const Distribution& d, double u) {
  switch (d.kind) {
    case DistributionKind::kConstant:
      return d.a;
    case DistributionKind::kUniform:
      return d.a + (d.b - d.a) * u;
    case DistributionKind::kLogUniform:
      return d.a * std::pow(d.b / d.a, u);
    case DistributionKind::kNormal: {
      if (d.b == 0.0) return d.a;
      const double below = d.low ? NormalBelow(*d.low, d.a, d.b) : 0.0;
      const double above = d.high ? NormalAbove(*d.high, d.a, d.b) : 0.0;
      const double kept = 1.0 - below - above;
      double value = d.a + d.b * NormalQuantile(below + kept * u, above + kept * (1.0 - u));
      if (d.low) value = std::max(value, *d.low);
      if (d.high) value = std::min(value, *d.high);
      return value;
    }
  }
  return d.a;
}

Support SupportOf(const Distribution& d) {
  switch (d.kind) {
    case DistributionKind::kConstant:
      return {d.a, d.a};
    case DistributionKind::kUniform:
    case DistributionKind::kLogUniform:
      return {d.a, d.b};
    case DistributionKind::kNormal:
      return {d.low.value_or(Quantile(d, kNegligibleTail)),
              d.high.value_or(Quantile(d, 1.0 - kNegligibleTail))};
  }
  return {d.a, d.a};
}

Drawer::Drawer(const GapSpec& spec) {
  for (const GapParameter& parameter : spec.parameters) {
    const std::string hash = HashBytes(parameter.name);
    entries_.push_back(
        {parameter.distribution, parameter.level, std::stoull(hash.substr(0, 16), nullptr, 16)});
  }
  for (const CorrelationGroup& group : spec.correlations) {
    Group compiled{{}, Cholesky(group.correlation)};
    for (const std::string& name : group.parameters) {
      const auto found = std::find_if(spec.parameters.begin(), spec.parameters.end(),
                                      [&](const GapParameter& p) { return p.name == name; });
      RW_CHECK(found != spec.parameters.end());
      const int index = static_cast<int>(found - spec.parameters.begin());
      entries_[index].group = static_cast<int>(groups_.size());
      entries_[index].row = static_cast<int>(compiled.members.size());
      compiled.members.push_back(index);
    }
    groups_.push_back(std::move(compiled));
  }
}

void Drawer::Draw(const WorldId& id, std::span<double> values) const {
  RW_CHECK(values.size() == entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    double u;
    if (entry.group < 0) {
      Stream stream(Address(id, entry.level, entry.name_key));
      u = OpenUniform(stream);
    } else {
      // z = L n: row `entry.row` of the factor times the members' own normals.
      const Group& group = groups_[entry.group];
      double z = 0.0;
      for (int k = 0; k <= entry.row; ++k) {
        const Entry& member = entries_[group.members[k]];
        Stream stream(Address(id, entry.level, member.name_key));
        const double member_u = OpenUniform(stream);
        z += group.cholesky(entry.row, k) * NormalQuantile(member_u, 1.0 - member_u);
      }
      u = std::clamp(NormalBelow(z, 0.0, 1.0), 0x1.0p-54, 1.0 - 0x1.0p-53);
    }
    values[i] = Quantile(entry.distribution, u);
  }
}

}  // namespace realward
