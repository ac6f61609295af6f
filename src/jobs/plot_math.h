// The arithmetic behind plots and tables: ticks, number texts, decimation of long series,
// densities. Pure functions; nothing here depends on a locale or a clock, so equal input gives
// equal bytes.
#ifndef REALWARD_JOBS_PLOT_MATH_H_
#define REALWARD_JOBS_PLOT_MATH_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace realward {

// Numbers as texts. The minus is U+2212, powers of ten are written ×10⁻⁵, NaN is "undefined".
// `significant` digits, trailing zeros left out.
std::string FormatNumber(double value, int significant = 4);
// A fixed number of decimals; a zero has no sign.
std::string FormatFixed(double value, int decimals);
// As FormatFixed, and a plus before a positive value: for differences.
std::string FormatSigned(double value, int decimals);
// Groups of three with narrow no-break spaces: 1 000 000.
std::string FormatCount(std::int64_t count);
// A share in [0, 1] as per cent with one decimal: "97.5 %".
std::string FormatPercent(double share);

// A value and its interval with as many decimals as the interval supports: two significant digits
// of its half width (JCGM 100:2008, 7.2.6). An interval that is empty or not finite falls back to
// FormatNumber.
struct MeasuredText {
  std::string value;
  std::string low;
  std::string high;
  std::string nominal;  // of the extra value given, with the same decimals or more if it needs them
};
MeasuredText FormatMeasured(double value, double low, double high, double nominal = 0.0);

// Round axis positions. step is 1, 2 or 5 times a power of ten, every tick lies in [low, high] and
// there are at most `most` + 1 of them. An empty or non-finite range gives no ticks.
struct Ticks {
  std::vector<double> at;
  double step = 0.0;
};
Ticks NiceTicks(double low, double high, int most);

// Texts for ticks, equal decimals; when the numbers are very large or small they are divided by a
// factor that is returned for the axis label ("k", "M", "×10⁻³"), otherwise "".
struct TickTexts {
  std::vector<std::string> texts;
  std::string factor;
};
TickTexts LabelTicks(const Ticks& ticks);

// Indices of the points that draw a series of length n = x.size() = y.size(), x ascending, on a
// canvas of `columns` pixel columns over [low, high]: the first, lowest, highest and last point of
// each column, in order (M4: Jugel et al., VLDB 2014), so that no peak is lost. A non-finite x or y
// ends a run: each inner vector is one unbroken line. Series of at most 4 · columns points keep
// every point.
std::vector<std::vector<std::size_t>> Decimate(std::span<const double> x, std::span<const double> y,
                                               double low, double high, int columns);

// A polyline of a probability density (1 / unit of x), y ≥ 0.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};
// A normal, cut to [low, high] and renormalised there; infinite ends cut at 4 standard deviations.
Curve NormalDensity(double mean, double sd, double low, double high);
Curve UniformDensity(double low, double high);
// 0 < low < high.
Curve LogUniformDensity(double low, double high);
// A histogram's outline; bins by Freedman and Diaconis (1981), between 6 and 40.
Curve HistogramDensity(std::span<const double> samples);

}  // namespace realward

#endif  // REALWARD_JOBS_PLOT_MATH_H_
