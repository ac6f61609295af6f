#include "jobs/plot_math.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace realward {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(PlotMath, TicksOfKnownRanges) {
  EXPECT_EQ(NiceTicks(0, 10, 5).at, (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(NiceTicks(0, 1, 4).at, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(
      NiceTicks(-0.3, 0.3, 6).at,
      (std::vector<double>{-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3}));  // 0.3, not 0.30000000000000004
  EXPECT_EQ(NiceTicks(3, 97, 5).at, (std::vector<double>{20, 40, 60, 80}));
  EXPECT_EQ(NiceTicks(0, 2.5e5, 5).step, 5e4);
  EXPECT_EQ(NiceTicks(0, 4.1e-5, 5).step, 1e-5);
  EXPECT_TRUE(NiceTicks(1, 1, 5).at.empty());
  EXPECT_TRUE(NiceTicks(kNaN, 1, 5).at.empty());
}

RC_GTEST_PROP(PlotMath, TicksAreRoundInsideAndFew, (int start, int width)) {
  const double low = start * 1e-3;
  const double high = low + 1e-4 * (1 + std::abs(width % 100000));
  const int most = 6;
  const Ticks ticks = NiceTicks(low, high, most);
  RC_ASSERT(!ticks.at.empty());
  RC_ASSERT(ticks.at.size() <= static_cast<std::size_t>(most + 1));
  const double mantissa = ticks.step / std::pow(10.0, std::floor(std::log10(ticks.step) + 1e-9));
  RC_ASSERT(std::min({std::abs(mantissa - 1), std::abs(mantissa - 2), std::abs(mantissa - 5)}) <
            1e-9);
  for (const double at : ticks.at) {
    RC_ASSERT(at >= low - 1e-6 * ticks.step && at <= high + 1e-6 * ticks.step);
    RC_ASSERT(std::abs(at / ticks.step - std::round(at / ticks.step)) < 1e-6);
  }
}

TEST(PlotMath, TickTextsShareDecimalsAndAFactor) {
  EXPECT_EQ(LabelTicks(NiceTicks(-1, 1, 4)).texts,
            (std::vector<std::string>{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  const TickTexts steps = LabelTicks(NiceTicks(0, 1e6, 4));
  EXPECT_EQ(steps.factor, "M");
  EXPECT_EQ(steps.texts, (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  const TickTexts small = LabelTicks(NiceTicks(0, 4e-5, 4));
  EXPECT_EQ(small.factor, "×10⁻⁵");
  EXPECT_EQ(small.texts, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

TEST(PlotMath, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(FormatNumber(0.546), "0.546");
  EXPECT_EQ(FormatNumber(-0.5), "−0.5");
  EXPECT_EQ(FormatNumber(123456), "123456");
  EXPECT_EQ(FormatNumber(9.9999), "10");
  EXPECT_EQ(FormatNumber(2.34e-7), "2.34×10⁻⁷");
  EXPECT_EQ(FormatNumber(kNaN), "undefined");
  EXPECT_EQ(FormatFixed(-0.001, 2), "0.00");
  EXPECT_EQ(FormatSigned(0.25, 2), "+0.25");
  EXPECT_EQ(FormatSigned(0.001, 1), "0.0");
  EXPECT_EQ(FormatCount(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(FormatCount(-123), "−123");
  EXPECT_EQ(FormatPercent(0.975), "97.5\u202f%");
}

TEST(PlotMath, AnIntervalDecidesTheDecimals) {
  const MeasuredText mass = FormatMeasured(0.153264, 0.151, 0.1554, 0.1365);
  EXPECT_EQ(mass.value, "0.1533");  // half width 0.0022
  EXPECT_EQ(mass.low, "0.1510");
  EXPECT_EQ(mass.nominal, "0.1365");
  const MeasuredText tiny = FormatMeasured(2.31e-5, 1.9e-5, 2.7e-5);
  EXPECT_EQ(tiny.value, "2.31×10⁻⁵");
  EXPECT_EQ(tiny.high, "2.70×10⁻⁵");
  EXPECT_EQ(FormatMeasured(1.5, 1.5, 1.5).value, "1.5");
}

// The plain version: which pixel rows a column covers must be the same with all points and with the
// few.
RC_GTEST_PROP(PlotMath, DecimationKeepsTheExtremesOfEveryColumn, (const std::vector<int>& values)) {
  std::vector<double> x, y;
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (const int v : values) {
      x.push_back(static_cast<double>(x.size()));
      y.push_back(v % 1000 + repeat);
    }
  }
  const int columns = 7;
  const double high = static_cast<double>(x.size());
  const auto runs = Decimate(x, y, 0.0, high, columns);
  if (x.empty()) {
    RC_ASSERT(runs.empty());
    return;
  }
  RC_ASSERT(runs.size() == 1u);
  RC_ASSERT(runs[0].size() <= 4u * columns || x.size() <= 4u * columns);
  RC_ASSERT(runs[0].front() == 0u && runs[0].back() == x.size() - 1);
  for (int column = 0; column < columns; ++column) {
    double all_low = 1e9, all_high = -1e9, few_low = 1e9, few_high = -1e9;
    const auto in_column = [&](double v) { return std::floor(v / high * columns) == column; };
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (in_column(x[i])) all_low = std::min(all_low, y[i]), all_high = std::max(all_high, y[i]);
    }
    for (const std::size_t i : runs[0]) {
      if (in_column(x[i])) few_low = std::min(few_low, y[i]), few_high = std::max(few_high, y[i]);
    }
    RC_ASSERT(all_low == few_low && all_high == few_high);
  }
}

TEST(PlotMath, ANonFiniteValueBreaksTheLine) {
  const std::vector<double> x = {0, 1, 2, 3, 4, 5};
  const std::vector<double> y = {1, kNaN, 2, 3, INFINITY, kNaN};
  EXPECT_EQ(Decimate(x, y, 0, 5, 100), (std::vector<std::vector<std::size_t>>{{0}, {2, 3}}));
  std::vector<double> long_x(5000), long_y(5000, 0.0);
  for (int i = 0; i < 5000; ++i) long_x[i] = i;
  long_y[1234] = 9.0;
  long_y[2500] = kNaN;
  const auto runs = Decimate(long_x, long_y, 0, 5000, 10);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].back(), 2499u);
  EXPECT_EQ(runs[1].front(), 2501u);
  EXPECT_TRUE(std::count(runs[0].begin(), runs[0].end(), 1234u));
}

double Area(const Curve& curve) {
  double area = 0.0;
  for (std::size_t i = 1; i < curve.x.size(); ++i) {
    area += 0.5 * (curve.y[i] + curve.y[i - 1]) * (curve.x[i] - curve.x[i - 1]);
  }
  return area;
}

TEST(PlotMath, DensitiesHoldAllTheProbability) {
  EXPECT_NEAR(Area(NormalDensity(1.0, 0.1, -INFINITY, INFINITY)), 1.0, 2e-3);
  EXPECT_NEAR(Area(NormalDensity(1.0, 0.1, 1.0, INFINITY)), 1.0, 2e-3);  // half of it is cut away
  EXPECT_NEAR(Area(UniformDensity(-2.0, 3.0)), 1.0, 1e-12);
  EXPECT_NEAR(Area(LogUniformDensity(0.01, 10.0)), 1.0, 2e-3);
  std::vector<double> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back(std::sin(i));
  EXPECT_NEAR(Area(HistogramDensity(samples)), 1.0, 1e-9);
  EXPECT_TRUE(HistogramDensity(std::vector<double>{1.0, 1.0}).x.empty());
}

}  // namespace
}  // namespace realward
