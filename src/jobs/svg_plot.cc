#include "jobs/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace realward {
namespace {

constexpr double kFont = 12.0;
constexpr double kRow = 18.0;  // of a legend
constexpr double kGap = 10.0;

struct Key {
  std::string name;
  Mark mark;
  int colour;
};

std::vector<Key> Keys(const Plot& plot) {
  std::vector<Key> keys;
  if (!plot.legend) return keys;
  for (const PlotSeries& s : plot.series) {
    if (!s.name.empty()) keys.push_back({s.name, s.mark, s.colour});
  }
  for (const PlotSpan& s : plot.spans) {
    if (!s.name.empty()) keys.push_back({s.name, Mark::kVeil, s.colour});
  }
  for (const PlotRule& r : plot.rules) {
    if (!r.name.empty()) keys.push_back({r.name, r.dashed ? Mark::kDashed : Mark::kLine, r.colour});
  }
  return keys;
}

std::string LineClass(Mark mark, int colour) {
  return fmt::format("l{}{} c{}", mark == Mark::kDashed ? " d" : "",
                     mark == Mark::kVeil ? " v" : "", colour);
}

void DrawKeySample(SvgCanvas& canvas, double x, double y, const Key& key) {
  if (key.mark == Mark::kPoints) {
    canvas.Circle(x + 10, y, 3.2, fmt::format("p f{}", key.colour));
  } else if (key.mark == Mark::kBand || key.mark == Mark::kArea) {
    canvas.Rect(x, y - 5, 20, 10, fmt::format("h f{}", key.colour));
    if (key.mark == Mark::kArea)
      canvas.Line(x, y - 5, x + 20, y - 5, LineClass(Mark::kLine, key.colour));
  } else {
    canvas.Line(x, y, x + 20, y, LineClass(key.mark, key.colour));
  }
}

// Legend rows above the data, never over it. Returns the height they take.
double DrawLegend(SvgCanvas& canvas, const std::vector<Key>& keys, double left, double right,
                  double top) {
  double x = left;
  double y = top;
  for (const Key& key : keys) {
    const double width = 26 + TextWidth(key.name, kFont) + 14;
    if (x > left && x + width > right + 14) {
      x = left;
      y += kRow;
    }
    DrawKeySample(canvas, x, y + 9, key);
    canvas.Text(x + 26, y + 13, FitText(key.name, kFont, right - x - 26), "k");
    x += width;
  }
  return keys.empty() ? 0.0 : y + kRow - top + 4;
}

// Maps data to pixels inside a plot area.
struct Frame {
  double left, top, width, height;
  PlotRange x, y;

  double X(double v) const { return (v - x.low) / (x.high - x.low) * width; }
  double Y(double v) const { return (1.0 - (v - y.low) / (y.high - y.low)) * height; }
};

using Runs = std::vector<std::vector<std::pair<double, double>>>;

Runs ToPixels(const Frame& frame, const PlotSeries& series, const std::vector<double>& values) {
  Runs runs;
  const int columns = std::max(1, static_cast<int>(frame.width));
  for (const auto& run : Decimate(series.x, values, frame.x.low, frame.x.high, columns)) {
    runs.emplace_back();
    for (const std::size_t i : run)
      runs.back().emplace_back(frame.X(series.x[i]), frame.Y(values[i]));
  }
  return runs;
}

// Both edges of a band break where either is missing.
Runs BandRuns(const Frame& frame, const PlotSeries& series) {
  std::vector<double> low = series.y;
  std::vector<double> high = series.y_high;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!std::isfinite(low[i]) || !std::isfinite(high[i])) low[i] = high[i] = NAN;
  }
  Runs lower = ToPixels(frame, series, low);
  const Runs upper = ToPixels(frame, series, high);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i].insert(lower[i].end(), upper[i].rbegin(), upper[i].rend());
  }
  return lower;
}

void DrawSeries(SvgCanvas& canvas, const Frame& frame, const PlotSeries& series) {
  if (series.mark == Mark::kPoints) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      canvas.Circle(frame.X(series.x[i]), frame.Y(series.y[i]), 3.2,
                    fmt::format("p f{}", series.colour),
                    fmt::format("{}, {}", FormatNumber(series.x[i]), FormatNumber(series.y[i])));
    }
    return;
  }
  const std::string fill = fmt::format("h f{}", series.colour);
  if (series.mark == Mark::kBand) {
    canvas.Path(BandRuns(frame, series), fill, true);
    return;
  }
  const Runs runs = ToPixels(frame, series, series.y);
  if (series.mark == Mark::kArea) {
    Runs filled = runs;
    for (auto& run : filled) {
      const double base = frame.Y(0.0);
      run.insert(run.begin(), {run.front().first, base});
      run.emplace_back(run.back().first, base);
    }
    canvas.Path(filled, fill, true);
  }
  canvas.Path(runs, LineClass(series.mark, series.colour));
}

void DrawSpansAndRules(SvgCanvas& canvas, const Frame& frame, const Plot& plot) {
  for (const PlotSpan& span : plot.spans) {
    if (!std::isfinite(span.low) || !std::isfinite(span.high)) continue;
    const double y = frame.height - 3;
    canvas.Line(frame.X(span.low), y, frame.X(span.high), y, LineClass(Mark::kVeil, span.colour));
  }
  for (const PlotRule& rule : plot.rules) {
    if (!std::isfinite(rule.at)) continue;
    const std::string classes = LineClass(rule.dashed ? Mark::kDashed : Mark::kLine, rule.colour);
    if (rule.vertical) {
      canvas.Line(frame.X(rule.at), 0, frame.X(rule.at), frame.height, classes);
    } else {
      canvas.Line(0, frame.Y(rule.at), frame.width, frame.Y(rule.at), classes);
    }
  }
}

// Draws the plot with its top left corner at (0, top).
void DrawPlot(SvgCanvas& canvas, const Plot& plot, double top) {
  const double bottom_space = plot.x.hidden ? 6 : plot.x.label.empty() ? 22 : 40;
  double y = top + 4;
  if (!plot.title.empty()) {
    canvas.Text(0, y + 12, FitText(plot.title, 13.5, plot.width), "t");
    y += 22;
  }
  y += DrawLegend(canvas, Keys(plot), 0, plot.width, y);
  Frame frame;
  frame.x = AxisLimits(plot.x, DataRange(plot, true), 0.0);
  frame.y = AxisLimits(plot.y, DataRange(plot, false), 0.05);
  const bool y_axis = !plot.y.hidden;
  if (y_axis) y += plot.y.label.empty() ? 6 : 24;
  frame.top = y;
  frame.height = std::max(20.0, top + plot.height - bottom_space - y);
  const Ticks y_ticks = AxisTicks(frame.y, static_cast<int>(frame.height / 38));
  const TickTexts y_texts = LabelTicks(y_ticks);
  double label_width = plot.label_width;
  for (const std::string& text : y_texts.texts)
    label_width = std::max(label_width, TextWidth(text, kFont));
  frame.left = y_axis ? label_width + 8 : 1;
  frame.width = plot.width - frame.left - (plot.x.hidden ? 1 : kGap);
  const Ticks x_ticks = AxisTicks(frame.x, static_cast<int>(frame.width / 78));
  const TickTexts x_texts = LabelTicks(x_ticks);

  if (y_axis) {
    if (!plot.y.label.empty()) canvas.Text(0, y - 11, AxisTitle(plot.y, y_texts.factor));
    for (std::size_t i = 0; i < y_ticks.at.size(); ++i) {
      const double at = frame.top + frame.Y(y_ticks.at[i]);
      canvas.Line(frame.left, at, frame.left + frame.width, at, "g");
      canvas.Text(frame.left - 6, at + 4, y_texts.texts[i], "", Anchor::kEnd);
    }
  }
  const double floor = frame.top + frame.height;
  canvas.Clip(frame.left, frame.top, frame.width, frame.height);
  for (const PlotSeries& series : plot.series) DrawSeries(canvas, frame, series);
  DrawSpansAndRules(canvas, frame, plot);
  canvas.Unclip();
  canvas.Line(frame.left, floor, frame.left + frame.width, floor, "a");
  if (plot.x.hidden) return;
  for (std::size_t i = 0; i < x_ticks.at.size(); ++i) {
    const double at = frame.left + frame.X(x_ticks.at[i]);
    const double half = TextWidth(x_texts.texts[i], kFont) / 2;
    canvas.Line(at, floor, at, floor + 4, "a");
    canvas.Text(std::clamp(at, half, std::max(half, plot.width - half)), floor + 17,
                x_texts.texts[i], "", Anchor::kMiddle);
  }
  if (plot.x.label.empty()) return;
  canvas.Text(frame.left + frame.width / 2, floor + 35, AxisTitle(plot.x, x_texts.factor), "",
              Anchor::kMiddle);
}

}  // namespace

void PlotRange::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

PlotRange DataRange(const Plot& plot, bool horizontal) {
  PlotRange range;
  for (const PlotSeries& s : plot.series) {
    RW_CHECK(s.x.size() == s.y.size() && (s.mark != Mark::kBand || s.y_high.size() == s.y.size()));
    for (const double v : horizontal ? s.x : s.y) range.Include(v);
    if (!horizontal && s.mark == Mark::kBand) {
      for (const double v : s.y_high) range.Include(v);
    }
    if (!horizontal && s.mark == Mark::kArea) range.Include(0.0);
  }
  for (const PlotRule& r : plot.rules) {
    if (r.vertical == horizontal) range.Include(r.at);
  }
  for (const PlotSpan& s : plot.spans) {
    if (horizontal) range.Include(s.low), range.Include(s.high);
  }
  return range;
}

std::string AxisTitle(const PlotAxis& axis, const std::string& factor) {
  const std::string unit =
      factor.empty() ? axis.unit : factor + (axis.unit.empty() ? "" : " " + axis.unit);
  return unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, unit);
}

PlotRange AxisLimits(const PlotAxis& axis, PlotRange data, double air) {
  if (!(data.low <= data.high)) data = {0.0, 1.0};
  if (!(data.high > data.low)) {
    const double pad = data.low == 0.0 ? 1.0 : 0.1 * std::abs(data.low);
    data = {data.low - pad, data.high + pad};
  }
  const double pad = air * (data.high - data.low);
  const PlotRange out{axis.low.value_or(data.low - pad), axis.high.value_or(data.high + pad)};
  return out.high > out.low ? out : data;
}

Ticks AxisTicks(PlotRange range, int wanted) {
  Ticks ticks;
  for (int most = std::max(2, wanted); ticks.at.size() < 3 && most <= wanted + 6; ++most) {
    ticks = NiceTicks(range.low, range.high, most);
  }
  return ticks;
}

bool HasData(const Plot& plot) {
  for (const PlotSeries& s : plot.series) {
    for (std::size_t i = 0; i < s.x.size() && i < s.y.size(); ++i) {
      if (std::isfinite(s.x[i]) && std::isfinite(s.y[i])) return true;
    }
  }
  return false;
}

std::string RenderPlot(const Plot& plot) {
  SvgCanvas canvas(plot.width, plot.height,
                   plot.description.empty() ? plot.title : plot.description);
  DrawPlot(canvas, plot, 0);
  return canvas.Finish();
}

std::string RenderLegend(const Plot& plot, int width) {
  const std::vector<Key> keys = Keys(plot);
  SvgCanvas measure(width, 0, "");
  SvgCanvas canvas(width, DrawLegend(measure, keys, 0, width, 0), "legend");
  DrawLegend(canvas, keys, 0, width, 0);
  return canvas.Finish();
}

std::string RenderStandalone(const std::vector<Plot>& plots, const std::string& title,
                             const std::string& caption) {
  constexpr double kMargin = 20.0;
  constexpr double kTitle = 34.0;
  constexpr double kCaption = 26.0;
  double width = 0.0;
  double height = kTitle;
  for (const Plot& plot : plots) {
    width = std::max(width, static_cast<double>(plot.width));
    height += plot.height + kGap;
  }
  const double total_height = height + kCaption + 2 * kMargin;
  SvgCanvas canvas(width + 2 * kMargin, total_height, title + ". " + caption);
  canvas.Text(kMargin, kMargin + 14, FitText(title, 13.5, width), "t");
  canvas.Clip(kMargin, kMargin, width, height);
  double top = kTitle;
  for (const Plot& plot : plots) {
    DrawPlot(canvas, plot, top);
    top += plot.height + kGap;
  }
  canvas.Unclip();
  canvas.Text(kMargin, total_height - kMargin, FitText(caption, kFont, width));
  return canvas.Finish(/*standalone=*/true);
}

}  // namespace realward
