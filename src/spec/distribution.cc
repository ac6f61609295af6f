#include "spec/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/text.h"

namespace realward {
namespace {

constexpr std::array<Named<DistributionKind>, 4> kNames = {{
    {DistributionKind::kConstant, "constant"},
    {DistributionKind::kUniform, "uniform"},
    {DistributionKind::kLogUniform, "log_uniform"},
    {DistributionKind::kNormal, "normal"},
}};

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const auto& row : kNames) names.emplace_back(row.name);
  return names;
}

std::optional<Distribution> ReadConstant(const YamlValue& value, NumberRule& rule) {
  const auto number = value.Number(rule);
  if (!number) return std::nullopt;
  rule = Narrowed(rule, number->dimension);
  return Distribution{.kind = DistributionKind::kConstant, .a = number->value};
}

std::optional<Distribution> ReadUniform(const YamlValue& value, NumberRule& rule, bool log) {
  NumberRule ends = rule;
  if (log && ends.low <= 0.0) {
    ends.low = 0.0;
    ends.low_open = true;
  }
  const auto range = value.Range(ends);
  if (!range) return std::nullopt;
  rule = Narrowed(rule, range->dimension);
  return Distribution{.kind = log ? DistributionKind::kLogUniform : DistributionKind::kUniform,
                      .a = range->low,
                      .b = range->high};
}

// The tails of an untruncated side must not leave the limits.
bool CheckTails(const YamlValue& value, const Distribution& d, const NumberRule& rule) {
  const double below = d.low ? 0.0 : NormalBelow(rule.low, d.a, d.b);
  const double above = d.high ? 0.0 : NormalAbove(rule.high, d.a, d.b);
  if (below > kNegligibleTail) {
    value.Fail(
        fmt::format("{:.2g} % of the draws of mean {} and std {} are below {}; truncate it with "
                    "'low'",
                    100.0 * below, d.a, d.b, rule.low));
  }
  if (above > kNegligibleTail) {
    value.Fail(
        fmt::format("{:.2g} % of the draws of mean {} and std {} are above {}; truncate it with "
                    "'high'",
                    100.0 * above, d.a, d.b, rule.high));
  }
  return below <= kNegligibleTail && above <= kNegligibleTail;
}

bool CheckTruncation(const YamlValue& value, const Distribution& d) {
  if (d.low && d.high && *d.low >= *d.high) {
    value.Fail(fmt::format("low {} is not below high {}", *d.low, *d.high));
    return false;
  }
  // The part cut off, from the smaller tail on each side, so that far truncations stay accurate.
  const double cut_low = d.low ? NormalBelow(*d.low, d.a, d.b) : 0.0;
  const double cut_high = d.high ? NormalAbove(*d.high, d.a, d.b) : 0.0;
  if (1.0 - cut_low - cut_high >= kLeastKept) return true;
  value.Fail(fmt::format("the truncation to [{}, {}] keeps nothing of mean {} and std {}",
                         d.low ? fmt::format("{}", *d.low) : "-inf",
                         d.high ? fmt::format("{}", *d.high) : "inf", d.a, d.b));
  return false;
}

std::optional<Distribution> ReadNormal(const YamlValue& value, NumberRule& rule) {
  YamlMap map(value);
  if (!value.is_map()) return std::nullopt;
  const auto mean_value = map.Required("mean");
  const auto std_value = map.Required("std");
  const auto low_value = map.Optional("low");
  const auto high_value = map.Optional("high");
  if (!mean_value || !std_value) return std::nullopt;
  const auto mean = mean_value->Number(rule);
  if (mean) rule = Narrowed(rule, mean->dimension);
  const auto std = std_value->Number(Positive(rule.dimensions));
  if (!mean || !std || !std_value->SameUnitStyle(*mean, *std)) return std::nullopt;
  Distribution d{.kind = DistributionKind::kNormal, .a = mean->value, .b = std->value};
  const auto read_end = [&](const std::optional<YamlValue>& end, std::optional<double>& to) {
    if (!end) return true;
    const auto number = end->Number(rule);
    if (!number || !end->SameUnitStyle(*mean, *number)) return false;
    to = number->value;
    return true;
  };
  const bool low_read = read_end(low_value, d.low);
  const bool high_read = read_end(high_value, d.high);
  if (!low_read || !high_read || !CheckTails(value, d, rule) || !CheckTruncation(value, d)) {
    return std::nullopt;
  }
  return d;
}

}  // namespace

double Centre(const Distribution& distribution) {
  switch (distribution.kind) {
    case DistributionKind::kConstant:
    case DistributionKind::kNormal:
      return distribution.a;
    case DistributionKind::kUniform:
      return 0.5 * distribution.a + 0.5 * distribution.b;
    case DistributionKind::kLogUniform:
      return std::sqrt(distribution.a) * std::sqrt(distribution.b);
  }
  return distribution.a;
}

double NormalBelow(double at, double mean, double std) {
  return 0.5 * std::erfc((mean - at) / (std * std::numbers::sqrt2));
}

double NormalAbove(double at, double mean, double std) {
  return 0.5 * std::erfc((at - mean) / (std * std::numbers::sqrt2));
}

std::optional<Distribution> ReadDistribution(const YamlValue& value, NumberRule& rule) {
  if (value.is_scalar()) return ReadConstant(value, rule);
  if (!value.is_map() || value.node().items.size() != 1) {
    value.Fail("needs one distribution: a number, or one of " + JoinChoices(KindNames()));
    return std::nullopt;
  }
  YamlMap map(value);
  for (const auto& row : kNames) {
    const auto body = map.Optional(row.name);
    if (!body) continue;
    switch (row.value) {
      case DistributionKind::kConstant:
        return ReadConstant(*body, rule);
      case DistributionKind::kUniform:
        return ReadUniform(*body, rule, false);
      case DistributionKind::kLogUniform:
        return ReadUniform(*body, rule, true);
      case DistributionKind::kNormal:
        return ReadNormal(*body, rule);
    }
  }
  return std::nullopt;  // the map reports the unknown key
}

Json NumberJson(double value, const std::string& unit) {
  if (unit.empty()) return value;
  return fmt::format("{} {}", value, unit);
}

Json DistributionJson(const Distribution& d, const std::string& unit) {
  const auto number = [&](double value) { return NumberJson(value, unit); };
  const std::string name = NameIn(std::span<const Named<DistributionKind>>(kNames), d.kind);
  if (d.kind == DistributionKind::kConstant) return {{name, number(d.a)}};
  if (d.kind != DistributionKind::kNormal) return {{name, Json::array({number(d.a), number(d.b)})}};
  Json body = {{"mean", number(d.a)}, {"std", number(d.b)}};
  if (d.low) body["low"] = number(*d.low);
  if (d.high) body["high"] = number(*d.high);
  return {{name, body}};
}

}  // namespace realward
