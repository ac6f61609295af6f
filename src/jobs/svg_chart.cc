#include "jobs/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace realward {
namespace {

constexpr double kFont = 12.0;
constexpr double kGap = 10.0;

struct IntervalLayout {
  bool stacked = false;  // label and numbers above the bar, for narrow screens
  double left = 0.0;
  double right = 0.0;
  double row_height = 0.0;
};

IntervalLayout LayOut(const IntervalChart& chart) {
  double label = 0.0;
  double text = 0.0;
  for (const IntervalRow& row : chart.rows) {
    label = std::max(label, TextWidth(row.label, kFont));
    text = std::max(text, TextWidth(row.text, kFont));
  }
  IntervalLayout layout;
  layout.stacked = label + text > 0.55 * chart.width;
  layout.left = layout.stacked ? kGap : label + 14;
  layout.right = chart.width - (layout.stacked ? kGap : text + 18);
  layout.row_height = layout.stacked ? 40 : 28;
  return layout;
}

void DrawIntervalRow(SvgCanvas& canvas, const IntervalChart& chart, const IntervalRow& row,
                     const IntervalLayout& layout, double top, const auto& to_x) {
  const double y = layout.stacked ? top + 29 : top + layout.row_height / 2;
  const double text_y = layout.stacked ? top + 16 : y + 4;
  const double text_room = TextWidth(row.text, kFont) + 8;
  const double label_room = layout.stacked ? chart.width - text_room : layout.left - 8;
  canvas.Text(0, text_y, FitText(row.label, kFont, label_room), "k");
  canvas.Text(chart.width, text_y, row.text, "k", Anchor::kEnd);
  if (!std::isfinite(row.value)) return;
  const std::string tip = row.label + ": " + row.text;
  const double x = to_x(row.value);
  if (chart.bars) {
    const double zero = to_x(chart.reference.value_or(0.0));
    canvas.Rect(std::min(x, zero), y - 6, std::abs(x - zero), 12, fmt::format("h f{}", row.colour),
                tip);
  }
  if (std::isfinite(row.low) && std::isfinite(row.high)) {
    const std::string classes = fmt::format("l w c{}", row.colour);
    canvas.Line(to_x(row.low), y, to_x(row.high), y, classes);
    for (const double end : {row.low, row.high})
      canvas.Line(to_x(end), y - 4, to_x(end), y + 4, classes);
  }
  canvas.Circle(x, y, chart.bars ? 3.4 : 4.2, fmt::format("p f{}", row.colour), tip);
}

}  // namespace

std::string RenderIntervals(const IntervalChart& chart) {
  const IntervalLayout layout = LayOut(chart);
  PlotRange data;
  for (const IntervalRow& row : chart.rows) {
    data.Include(row.value), data.Include(row.low), data.Include(row.high);
  }
  if (chart.reference) data.Include(*chart.reference);
  const PlotRange limits = AxisLimits(chart.axis, data, 0.04);
  const double bottom = 6 + layout.row_height * static_cast<double>(chart.rows.size());
  SvgCanvas canvas(chart.width, bottom + (chart.axis.label.empty() ? 24 : 42), chart.description);
  const double width = layout.right - layout.left;
  const auto to_x = [&](double v) {
    return layout.left + (v - limits.low) / (limits.high - limits.low) * width;
  };
  const Ticks ticks = AxisTicks(limits, static_cast<int>(width / 72));
  const TickTexts texts = LabelTicks(ticks);
  // Stacked rows carry text over the full width, so the lines stay beside the bars, under the
  // texts.
  const auto vertical = [&](double x, const char* classes) {
    if (!layout.stacked) canvas.Line(x, 4, x, bottom, classes);
    for (std::size_t row = 0; layout.stacked && row < chart.rows.size(); ++row) {
      const double top = 4 + layout.row_height * static_cast<double>(row);
      canvas.Line(x, top + 20, x, top + layout.row_height - 2, classes);
    }
  };
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    vertical(to_x(ticks.at[i]), "g");
    canvas.Text(to_x(ticks.at[i]), bottom + 16, texts.texts[i], "", Anchor::kMiddle);
  }
  if (chart.reference) vertical(to_x(*chart.reference), "a w");
  double top = 4;
  for (const IntervalRow& row : chart.rows) {
    if (row.line_above) canvas.Line(0, top, chart.width, top, "a");
    DrawIntervalRow(canvas, chart, row, layout, top, to_x);
    top += layout.row_height;
  }
  if (!chart.axis.label.empty()) {
    canvas.Text(layout.left + width / 2, bottom + 35, AxisTitle(chart.axis, texts.factor), "",
                Anchor::kMiddle);
  }
  return canvas.Finish();
}

std::string RenderHeatMap(const HeatMap& map) {
  const std::size_t n = map.names.size();
  RW_CHECK(map.values.size() == n * n && n > 0);
  double label_width = 0.0;
  for (const std::string& name : map.names)
    label_width = std::max(label_width, TextWidth(name, kFont));
  const double number_width = n >= 10 ? 26 : 18;
  const double left = std::min(label_width + number_width + 12, 0.42 * map.width);
  const double cell = std::min(46.0, (map.width - left - 2) / static_cast<double>(n));
  const double top = 20;
  SvgCanvas canvas(map.width, top + cell * static_cast<double>(n) + 4, map.description);
  for (std::size_t row = 0; row < n; ++row) {
    const double y = top + cell * static_cast<double>(row);
    const std::string number = std::to_string(row + 1);
    canvas.Text(0, y + cell / 2 + 4, number);
    canvas.Text(number_width, y + cell / 2 + 4,
                FitText(map.names[row], kFont, left - number_width - 8), "k");
    canvas.Text(left + cell * (static_cast<double>(row) + 0.5), top - 7, number, "",
                Anchor::kMiddle);
    for (std::size_t column = 0; column < n; ++column) {
      const double r = map.values[row * n + column];
      const double x = left + cell * static_cast<double>(column);
      const std::string text = FormatFixed(r, 2);
      const std::string tip = fmt::format("{} and {}: {}", map.names[row], map.names[column], text);
      const double strength = std::isfinite(r) ? std::min(1.0, std::abs(r)) : 0.0;
      canvas.Rect(x + 1, y + 1, cell - 2, cell - 2, "q");
      canvas.Rect(x + 1, y + 1, cell - 2, cell - 2,
                  row == column ? "f6"
                  : r < 0       ? "f1"
                                : "f0",
                  tip, 0.9 * strength * (row == column ? 0.35 : 1.0));
      if (cell < 24 || row == column) continue;
      const bool small = TextWidth(text, kFont) > cell - 6;
      canvas.Text(x + cell / 2, y + cell / 2 + 4, text,
                  fmt::format("{}{}", strength > 0.6 ? "on" : "k", small ? " s" : ""),
                  Anchor::kMiddle);
    }
  }
  return canvas.Finish();
}

std::string RenderShareGlyph(double value, double low, double high, int colour) {
  constexpr double kWidth = 120.0;
  SvgCanvas canvas(kWidth, 12, fmt::format("{} of 100 %", FormatPercent(value)));
  canvas.Rect(0, 4, kWidth, 4, "q");
  if (std::isfinite(value)) canvas.Rect(0, 4, kWidth * value, 4, fmt::format("f{}", colour));
  if (std::isfinite(low) && std::isfinite(high)) {
    const double from = std::max(0.75, kWidth * low);
    const double to = std::min(kWidth - 0.75, kWidth * high);
    canvas.Line(from, 6, to, 6, "l w c7");
    for (const double x : {from, to}) canvas.Line(x, 2, x, 10, "l w c7");
  }
  return canvas.Finish();
}

}  // namespace realward
