// Charts with named rows as self-contained SVG: horizontal intervals (forest plots, and bars with
// whiskers), correlation heat maps, and glyphs for table cells. Equal input gives equal bytes.
#ifndef REALWARD_JOBS_SVG_CHART_H_
#define REALWARD_JOBS_SVG_CHART_H_

#include <optional>
#include <string>
#include <vector>

#include "jobs/svg_plot.h"

namespace realward {

// A row of an interval chart. NaN low/high: no whisker; NaN value: the text alone.
struct IntervalRow {
  std::string label;
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::string text;  // the numbers as text, at the right
  int colour = 0;
  bool line_above = false;  // separates groups
};

struct IntervalChart {
  std::string description;
  PlotAxis axis;
  std::vector<IntervalRow> rows;
  std::optional<double> reference = 0.0;  // a vertical line, and where bars start
  bool bars = false;                      // bars from the reference instead of points
  int width = 900;
};
std::string RenderIntervals(const IntervalChart& chart);

// A square matrix of correlations in [−1, 1], row-major; rows are named, columns numbered alike.
struct HeatMap {
  std::string description;
  std::vector<std::string> names;
  std::vector<double> values;
  int width = 460;
};
std::string RenderHeatMap(const HeatMap& map);

// A bar from 0 to a share in [0, 1] with its interval, to stand in a table cell.
std::string RenderShareGlyph(double value, double low, double high, int colour);

}  // namespace realward

#endif  // REALWARD_JOBS_SVG_CHART_H_
