// xy plots as self-contained SVG: lines with gaps, points, bands, densities. Equal input gives
// equal bytes. The page must include PlotCss() and the palette (jobs/svg_canvas.h); standalone
// drawings carry their own.
#ifndef REALWARD_JOBS_SVG_PLOT_H_
#define REALWARD_JOBS_SVG_PLOT_H_

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "jobs/plot_math.h"
#include "jobs/svg_canvas.h"

namespace realward {

enum class Mark {
  kLine,
  kDashed,
  kVeil,  // a wide pale line: something to compare thin lines with
  kPoints,
  kBand,  // between y and y_high
  kArea,  // a line filled to zero: densities
};

// One series. x ascending (any order for kPoints), same length as y; non-finite values are gaps.
struct PlotSeries {
  std::string name;  // in the legend; empty: not there
  Mark mark = Mark::kLine;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> y_high;  // kBand only
  int colour = 0;              // 0…kColours-1, or kInk
};

// A straight line across the plot, or a span of the x axis (an interval mark under a density).
struct PlotRule {
  double at = 0.0;
  bool vertical = true;
  std::string name;  // in the legend; empty: not there
  int colour = kInk;
  bool dashed = true;
};
struct PlotSpan {
  double low = 0.0;
  double high = 0.0;
  std::string name;
  int colour = 0;
};

// Absent limits come from the data.
struct PlotAxis {
  std::string label;
  std::string unit;
  std::optional<double> low;
  std::optional<double> high;
  bool hidden = false;  // no ticks, no label: a density's height
};

struct Plot {
  std::string title;        // drawn above; empty: none
  std::string description;  // for readers who cannot see it
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotSeries> series;
  std::vector<PlotRule> rules;
  std::vector<PlotSpan> spans;
  int width = 900;   // px
  int height = 280;  // px
  bool legend = true;
  // px, least room for the y axis' numbers: aligns plots that stand above each other
  int label_width = 0;
};

// True if some series has a finite point: otherwise say in words that there is nothing to draw.
bool HasData(const Plot& plot);
std::string RenderPlot(const Plot& plot);
// The legend alone, for a grid of plots that share it.
std::string RenderLegend(const Plot& plot, int width);
// Plots of one width, one above the other, as a file of its own with a white background.
std::string RenderStandalone(const std::vector<Plot>& plots, const std::string& title,
                             const std::string& caption);

// Shared with other charts: the axis' title with its unit and factor.
std::string AxisTitle(const PlotAxis& axis, const std::string& factor);
struct PlotRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  // Non-finite values are left out.
  void Include(double value);
};
// Of everything in the plot, along x (horizontal) or y.
PlotRange DataRange(const Plot& plot, bool horizontal);
// The given limits, or the data's with `air` of its length on both sides; an empty or flat range
// gets one around it.
PlotRange AxisLimits(const PlotAxis& axis, PlotRange data, double air);
// NiceTicks, about `wanted` of them and at least three.
Ticks AxisTicks(PlotRange range, int wanted);

}  // namespace realward

#endif  // REALWARD_JOBS_SVG_PLOT_H_
