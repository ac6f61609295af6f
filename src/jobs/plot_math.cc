#include "jobs/plot_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace realward {
namespace {

constexpr const char* kMinus = "\u2212";
constexpr int kDensityPoints = 96;

std::string WithTrueMinus(std::string text) {
  if (text.empty() || text[0] != '-') return text;
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return fmt::format("{}{}", zero ? "" : kMinus, text.substr(1));
}

std::string TenTo(int exponent) {
  static constexpr const char* kSuper[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "×10⁻" : "×10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kSuper[digit - '0'];
  return text;
}

// The decimal exponent of a value rounded to `significant` digits.
int DecimalExponent(double value, int significant) {
  const std::string text = fmt::format("{:.{}e}", std::abs(value), significant - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

std::string TrimZeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string NotFinite(double value) {
  if (std::isnan(value)) return "undefined";
  return value > 0 ? "∞" : std::string(kMinus) + "∞";
}

// n · m · 10^k, correctly rounded for the magnitudes of an axis.
double TimesPower(double n, int exponent) {
  const double power = std::pow(10.0, std::abs(exponent));
  return exponent >= 0 ? n * power : n / power;
}

}  // namespace

std::string FormatNumber(double value, int significant) {
  if (!std::isfinite(value)) return NotFinite(value);
  if (value == 0.0) return "0";
  const int exponent = DecimalExponent(value, significant);
  if (exponent >= -4 && exponent < 7) {
    return WithTrueMinus(
        TrimZeros(fmt::format("{:.{}f}", value, std::max(0, significant - 1 - exponent))));
  }
  const std::string text = fmt::format("{:.{}e}", value, significant - 1);
  return WithTrueMinus(TrimZeros(text.substr(0, text.find('e')))) + TenTo(exponent);
}

std::string FormatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return NotFinite(value);
  return WithTrueMinus(fmt::format("{:.{}f}", value, decimals));
}

std::string FormatSigned(double value, int decimals) {
  const std::string text = FormatFixed(value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return std::isfinite(value) && value > 0 && !zero ? "+" + text : text;
}

std::string FormatCount(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t start = digits[0] == '-' ? 1 : 0;
  std::string text;
  for (std::size_t i = start; i < digits.size(); ++i) {
    if (i > start && (digits.size() - i) % 3 == 0) text += "\u202f";
    text += digits[i];
  }
  return fmt::format("{}{}", start == 1 ? kMinus : "", text);
}

std::string FormatPercent(double share) {
  return std::isfinite(share) ? FormatFixed(100.0 * share, 1) + "\u202f%" : NotFinite(share);
}

MeasuredText FormatMeasured(double value, double low, double high, double nominal) {
  const double half = 0.5 * (high - low);
  if (!std::isfinite(value) || !std::isfinite(half) || half <= 0.0) {
    return {FormatNumber(value), FormatNumber(low), FormatNumber(high), FormatNumber(nominal)};
  }
  const double largest = std::max({std::abs(value), std::abs(low), std::abs(high)});
  const int scale = DecimalExponent(largest, 3);
  const int power = scale < -3 || scale > 6 ? scale : 0;
  const int decimals = std::clamp(1 - DecimalExponent(half, 2) + power, 0, 9);
  const auto text = [&](double v) {
    return FormatFixed(TimesPower(v, -power), decimals) + (power == 0 ? "" : TenTo(power));
  };
  // A datasheet value keeps its own digits: 0.5 stays 0.5, and 0.0125 is not cut to 0.01.
  return {text(value), text(low), text(high), FormatNumber(nominal)};
}

Ticks NiceTicks(double low, double high, int most) {
  RW_CHECK(most >= 1);
  Ticks ticks;
  const double range = high - low;
  if (!std::isfinite(range) || range <= 0.0) return ticks;
  const double rough = range / most;
  int exponent = static_cast<int>(std::floor(std::log10(rough)));
  double mantissa = rough / std::pow(10.0, exponent);
  constexpr double kSlack = 1e-9;  // a range of exactly `most` steps is not pushed to the next step
  double multiple = 1.0;
  if (mantissa > 5.0 * (1 + kSlack)) {
    ++exponent;
  } else if (mantissa > 2.0 * (1 + kSlack)) {
    multiple = 5.0;
  } else if (mantissa > 1.0 + kSlack) {
    multiple = 2.0;
  }
  ticks.step = TimesPower(multiple, exponent);
  const double first = std::ceil(low / ticks.step - kSlack);
  const double last = std::floor(high / ticks.step + kSlack);
  for (double i = first; i <= last; ++i)
    ticks.at.push_back(TimesPower(i * multiple, exponent) + 0.0);
  return ticks;
}

TickTexts LabelTicks(const Ticks& ticks) {
  TickTexts labels;
  if (ticks.at.empty()) return labels;
  double largest = 0.0;
  for (const double at : ticks.at) largest = std::max(largest, std::abs(at));
  const int power = largest >= 1e9                    ? 9
                    : largest >= 1e6                  ? 6
                    : largest >= 1e4                  ? 3
                    : largest > 0.0 && largest < 1e-3 ? DecimalExponent(largest, 1)
                                                      : 0;
  if (power < 0) labels.factor = TenTo(power);
  if (power > 0) labels.factor.assign(1, power == 9 ? 'G' : power == 6 ? 'M' : 'k');
  const int decimals = std::max(0, power - DecimalExponent(ticks.step, 1));
  for (const double at : ticks.at) {
    labels.texts.push_back(FormatFixed(TimesPower(at, -power), decimals));
  }
  return labels;
}

std::vector<std::vector<std::size_t>> Decimate(std::span<const double> x, std::span<const double> y,
                                               double low, double high, int columns) {
  RW_CHECK(x.size() == y.size() && columns >= 1);
  const bool keep_all = x.size() <= 4 * static_cast<std::size_t>(columns) || !(high > low);
  const auto column_of = [&](std::size_t i) {
    return static_cast<long>(std::floor((x[i] - low) / (high - low) * columns));
  };
  std::vector<std::vector<std::size_t>> runs;
  std::size_t i = 0;
  while (i < x.size()) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      ++i;
      continue;
    }
    std::vector<std::size_t> run;
    while (i < x.size() && std::isfinite(x[i]) && std::isfinite(y[i])) {
      if (keep_all) {
        run.push_back(i++);
        continue;
      }
      const long column = column_of(i);
      const std::size_t first = i;
      std::size_t least = i, most = i;
      for (; i < x.size() && std::isfinite(x[i]) && std::isfinite(y[i]) && column_of(i) == column;
           ++i) {
        if (y[i] < y[least]) least = i;
        if (y[i] > y[most]) most = i;
      }
      std::size_t kept[] = {first, std::min(least, most), std::max(least, most), i - 1};
      for (const std::size_t index : kept) {
        if (run.empty() || run.back() < index) run.push_back(index);
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Curve NormalDensity(double mean, double sd, double low, double high) {
  RW_CHECK(sd > 0.0);
  const double from = std::max(low, mean - 4.0 * sd);
  const double to = std::min(high, mean + 4.0 * sd);
  Curve curve;
  if (!(to > from)) return curve;
  const auto cumulative = [&](double v) {
    return 0.5 * std::erfc((mean - v) / (sd * std::numbers::sqrt2));
  };
  const double mass = std::max(cumulative(high) - cumulative(low), 1e-12);
  for (int i = 0; i < kDensityPoints; ++i) {
    const double v = from + (to - from) * i / (kDensityPoints - 1);
    const double z = (v - mean) / sd;
    curve.x.push_back(v);
    curve.y.push_back(std::exp(-0.5 * z * z) / (sd * std::sqrt(2.0 * std::numbers::pi) * mass));
  }
  return curve;
}

Curve UniformDensity(double low, double high) {
  RW_CHECK(high > low);
  const double height = 1.0 / (high - low);
  return {{low, low, high, high}, {0.0, height, height, 0.0}};
}

Curve LogUniformDensity(double low, double high) {
  RW_CHECK(low > 0.0 && high > low);
  const double scale = 1.0 / std::log(high / low);
  Curve curve{{low}, {0.0}};
  for (int i = 0; i < kDensityPoints; ++i) {
    const double v = low * std::pow(high / low, static_cast<double>(i) / (kDensityPoints - 1));
    curve.x.push_back(v);
    curve.y.push_back(scale / v);
  }
  curve.x.push_back(high);
  curve.y.push_back(0.0);
  return curve;
}

Curve HistogramDensity(std::span<const double> samples) {
  std::vector<double> sorted;
  for (const double v : samples) {
    if (std::isfinite(v)) sorted.push_back(v);
  }
  std::sort(sorted.begin(), sorted.end());
  Curve curve;
  if (sorted.size() < 2 || !(sorted.back() > sorted.front())) return curve;
  const double n = static_cast<double>(sorted.size());
  const double spread = sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4];
  const double range = sorted.back() - sorted.front();
  const double wanted = spread > 0.0 ? range / (2.0 * spread / std::cbrt(n)) : 10.0;
  const int bins = static_cast<int>(std::clamp(std::ceil(wanted), 6.0, 40.0));
  std::vector<double> counts(bins, 0.0);
  for (const double v : sorted) {
    const int bin = static_cast<int>((v - sorted.front()) / range * bins);
    counts[std::min(bin, bins - 1)] += 1.0;
  }
  const double width = range / bins;
  curve = {{sorted.front()}, {0.0}};
  for (int b = 0; b < bins; ++b) {
    for (const int edge : {b, b + 1}) {
      curve.x.push_back(sorted.front() + edge * width);
      curve.y.push_back(counts[b] / (n * width));
    }
  }
  curve.x.push_back(curve.x.back());
  curve.y.push_back(0.0);
  return curve;
}

}  // namespace realward
