#include "jobs/report_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "jobs/html_page.h"
#include "jobs/svg_chart.h"

namespace realward {
namespace {

constexpr int kWide = 952;    // the page's text width, so that a drawing is shown at its own size
constexpr int kNarrow = 358;  // a 390 px screen less its margins
constexpr int kRecorded = kInk, kDatasheet = 1, kFitted = 0, kPrior = 6, kTruth = 3;
constexpr std::array<int, kColours> kPolicyColours = {1, 2, 0, 3, 4, 5, 6};

bool Defined(const Estimate& estimate) { return std::isfinite(estimate.value); }

std::string Undefined(const Estimate& estimate) {
  return estimate.why.empty() ? "undefined" : "undefined: " + estimate.why;
}

// Draws for a wide and a narrow page.
template <class Draw>
std::string InTwoWidths(const Draw& draw, std::string_view caption) {
  return Figure(draw(kWide), draw(kNarrow), caption);
}

Curve ToCurve(const ReportDensity& density) {
  if (!std::isfinite(density.a) || !std::isfinite(density.b)) return {};
  switch (density.kind) {
    case DensityKind::kUniform:
      return density.b > density.a ? UniformDensity(density.a, density.b) : Curve{};
    case DensityKind::kLogUniform:
      return density.a > 0 && density.b > density.a ? LogUniformDensity(density.a, density.b)
                                                    : Curve{};
    case DensityKind::kNormal:
      return density.b > 0 ? NormalDensity(density.a, density.b, density.low, density.high)
                           : Curve{};
    case DensityKind::kSamples:
      return HistogramDensity(density.samples);
    case DensityKind::kNone:
    case DensityKind::kPoint:
      return {};
  }
  return {};
}

// Scaled to a peak of one: a posterior is often a hundred times higher than its prior.
PlotSeries DensitySeries(const ReportDensity& density, std::string name, int colour) {
  Curve curve = ToCurve(density);
  double peak = 0.0;
  for (const double y : curve.y) peak = std::max(peak, y);
  for (double& y : curve.y) y /= peak > 0.0 ? peak : 1.0;
  return {std::move(name), Mark::kArea, std::move(curve.x), std::move(curve.y), {}, colour};
}

Plot DensityPlot(const ReportParameter& parameter) {
  Plot plot;
  plot.title = parameter.name;
  plot.description = fmt::format("{}: prior and posterior density", parameter.name);
  plot.x.unit = parameter.unit;
  plot.x.label = parameter.unit.empty() ? "ratio" : "value";
  plot.y.hidden = true;
  plot.y.low = 0.0;
  plot.y.high = 1.08;
  plot.series = {DensitySeries(parameter.prior, "prior", kPrior),
                 DensitySeries(parameter.posterior, "posterior", kFitted)};
  if (std::isfinite(parameter.fitted.low) && std::isfinite(parameter.fitted.high)) {
    plot.spans = {{parameter.fitted.low, parameter.fitted.high, "95 % interval", kFitted}};
  }
  if (std::isfinite(parameter.nominal))
    plot.rules.push_back({parameter.nominal, true, "datasheet", kInk, true});
  if (parameter.truth)
    plot.rules.push_back({*parameter.truth, true, "hidden true value", kTruth, false});
  // A little air, so that a spike on a bound shows.
  const PlotRange all = DataRange(plot, true);
  plot.x.low = all.low - 0.02 * (all.high - all.low);
  plot.x.high = all.high + 0.02 * (all.high - all.low);
  plot.width = 300;
  plot.height = 170;
  return plot;
}

std::vector<double> Minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

PlotSeries TimeSeries(const ReportOverlay& overlay, std::string name, Mark mark,
                      std::vector<double> y, int colour) {
  PlotSeries series{std::move(name), mark, overlay.time, std::move(y), {}, colour};
  series.y.resize(series.x.size(), kUndefined);
  return series;
}

std::string WithInterval(const std::string& value, const std::string& low,
                         const std::string& high) {
  return fmt::format("{} ({} to {})", value, low, high);
}

}  // namespace

int PolicyColour(const LoopReport& report, const std::string& policy) {
  for (std::size_t i = 0; i < report.policies.size(); ++i) {
    if (report.policies[i].name == policy) return kPolicyColours[i % kPolicyColours.size()];
  }
  return kPrior;
}

std::string EstimateText(const Estimate& estimate) {
  if (!Defined(estimate)) return Undefined(estimate);
  const MeasuredText text = FormatMeasured(estimate.value, estimate.low, estimate.high);
  if (std::isnan(estimate.low) || std::isnan(estimate.high)) return text.value;
  return WithInterval(text.value, text.low, text.high);
}

std::string ShareText(const Estimate& estimate) {
  if (!Defined(estimate)) return Undefined(estimate);
  if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high))
    return FormatPercent(estimate.value);
  return fmt::format("{} ({} to {})", FormatPercent(estimate.value),
                     FormatFixed(100 * estimate.low, 1), FormatPercent(estimate.high));
}

std::string PointsText(const Estimate& estimate) {
  if (!Defined(estimate)) return Undefined(estimate);
  const std::string value = FormatSigned(100 * estimate.value, 1);
  if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high)) return value;
  return WithInterval(value, FormatSigned(100 * estimate.low, 1),
                      FormatSigned(100 * estimate.high, 1));
}

std::string DifferenceText(const Estimate& estimate) {
  if (!Defined(estimate)) return Undefined(estimate);
  const MeasuredText text = FormatMeasured(estimate.value, estimate.low, estimate.high);
  const auto plus = [](double v, const std::string& t) { return v > 0.0 ? "+" + t : t; };
  if (std::isnan(estimate.low) || std::isnan(estimate.high))
    return plus(estimate.value, text.value);
  return WithInterval(plus(estimate.value, text.value), plus(estimate.low, text.low),
                      plus(estimate.high, text.high));
}

Plot OverlayPlot(const ReportOverlay& overlay, int width, int height) {
  Plot plot;
  plot.description = fmt::format("{} of recording {} over time, with the free simulations of it",
                                 overlay.quantity, overlay.recording);
  plot.x = {"time", "s", {}, {}, false};
  plot.y = {overlay.quantity, overlay.unit, {}, {}, false};
  plot.series = {
      TimeSeries(overlay, "recorded", Mark::kVeil, overlay.recorded, kRecorded),
      TimeSeries(overlay, "simulated, datasheet values", Mark::kDashed, overlay.datasheet,
                 kDatasheet),
      TimeSeries(overlay, "simulated, fitted values", Mark::kLine, overlay.fitted, kFitted)};
  plot.label_width = 34;
  plot.width = width;
  plot.height = height;
  return plot;
}

Plot ErrorPlot(const ReportOverlay& overlay, int width, int height) {
  Plot plot;
  plot.description = fmt::format("error of the simulations of recording {}", overlay.recording);
  plot.x = {"time", "s", {}, {}, false};
  plot.y = {overlay.quantity + " error, simulated − recorded", overlay.unit, {}, {}, false};
  plot.series = {TimeSeries(overlay, "datasheet values", Mark::kDashed,
                            Minus(overlay.datasheet, overlay.recorded), kDatasheet),
                 TimeSeries(overlay, "fitted values", Mark::kLine,
                            Minus(overlay.fitted, overlay.recorded), kFitted)};
  plot.legend = false;  // the overlay above it has the same colours
  plot.label_width = 34;
  plot.width = width;
  plot.height = height;
  return plot;
}

std::string OverlayFigure(const ReportOverlay& overlay) {
  const std::string seen = overlay.held_out ? "the fit never saw it" : "the fit used it";
  if (!HasData(OverlayPlot(overlay, kWide, 100))) {
    return Missing(fmt::format("Recording {}, {}: no finite value to draw.", overlay.recording,
                               overlay.quantity));
  }
  const auto draw = [&](int width) {
    const bool wide = width == kWide;
    return RenderPlot(OverlayPlot(overlay, width, wide ? 290 : 300)) +
           RenderPlot(ErrorPlot(overlay, width, wide ? 160 : 180));
  };
  return InTwoWidths(
      draw,
      fmt::format("Recording {}, {}: {}. Free simulation: started from the recording's first state "
                  "and driven by its commands, never corrected.",
                  overlay.recording, overlay.quantity, seen));
}

std::string PriorPosteriorFigure(const std::vector<ReportParameter>& parameters) {
  std::vector<std::string> drawings;
  std::string without;
  Plot key;
  for (const ReportParameter& parameter : parameters) {
    Plot plot = DensityPlot(parameter);
    if (!HasData(plot)) {
      without += (without.empty() ? " No density for: " : ", ") + parameter.name;
      continue;
    }
    if (plot.series.size() + plot.spans.size() + plot.rules.size() >
        key.series.size() + key.spans.size() + key.rules.size()) {
      key = plot;
    }
    plot.legend = false;
    drawings.push_back(RenderPlot(plot));
  }
  if (drawings.empty()) return Missing("No parameter has a prior or posterior density to draw.");
  const auto legend = [&](int width) { return RenderLegend(key, width); };
  return InTwoWidths(legend, "") +
         FigureGrid(
             drawings,
             fmt::format(
                 "Each density is scaled to a height of one, so that wide and narrow ones show "
                 "together. The pale bar on the axis is the 95 % interval.{}{}",
                 without, without.empty() ? "" : "."));
}

std::string CorrelationFigure(const ReportFit& fit) {
  const std::size_t n = fit.correlation_names.size();
  if (n < 2 || fit.correlation.size() != n * n) {
    return Missing("The fit gave no correlation matrix: it needs at least two fitted parameters.");
  }
  const auto draw = [&](int width) {
    return RenderHeatMap({"correlation of the fitted parameters", fit.correlation_names,
                          fit.correlation, std::min(width, 640)});
  };
  std::string strongest;
  double most = -1.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double r = fit.correlation[i * n + j];
      if (!(std::abs(r) > most)) continue;
      most = std::abs(r);
      strongest = fmt::format("{} and {} ({})", fit.correlation_names[i], fit.correlation_names[j],
                              FormatFixed(r, 2));
    }
  }
  return InTwoWidths(
      draw, fmt::format(
                "Correlation of the estimates; blue positive, orange negative. Strongest: {}. Near "
                "±1 the data fix a combination of the two, not each of them.",
                strongest));
}

std::string LearningFigure(const LoopReport& report) {
  Plot returns, success;
  returns.title = "Mean return";
  success.title = "Success";
  success.y = {"", "", 0.0, 1.0, false};
  for (const ReportCurve& curve : report.curves) {
    const int colour = PolicyColour(report, curve.policy);
    if (curve.mean_return.size() == curve.steps.size()) {
      returns.series.push_back(
          {curve.policy, Mark::kLine, curve.steps, curve.mean_return, {}, colour});
    }
    if (curve.success.size() == curve.steps.size()) {
      success.series.push_back({curve.policy, Mark::kLine, curve.steps, curve.success, {}, colour});
    }
  }
  std::vector<std::string> drawings;
  for (Plot* plot : {&returns, &success}) {
    plot->x = {"control steps", "", 0.0, {}, false};
    plot->width = 410;
    plot->height = 260;
    plot->description = plot->title + " over control steps, per policy";
    if (HasData(*plot)) drawings.push_back(RenderPlot(*plot));
  }
  if (drawings.empty())
    return Missing(
        "No learning curve: every policy came from a cache without one, or none was trained.");
  return FigureGrid(
      drawings,
      "On the worlds each policy trains in, so curves of different policies are not a comparison "
      "of their quality; the success table is.");
}

std::string ComparisonFigure(const LoopReport& report) {
  IntervalChart chart;
  chart.description = "difference in success from the baseline, with 95 % intervals";
  chart.axis = {"difference in success", "percentage points", {}, {}, false};
  std::string last;
  for (const ReportComparison& c : report.comparisons) {
    if (!Defined(c.success_difference)) continue;
    const Estimate& d = c.success_difference;
    chart.rows.push_back({fmt::format("{} · {}", c.policy, c.suite), 100 * d.value, 100 * d.low,
                          100 * d.high, PointsText(d), PolicyColour(report, c.policy),
                          !last.empty() && last != c.policy});
    last = c.policy;
  }
  if (chart.rows.empty()) return "";
  const auto draw = [&](int width) {
    chart.width = width;
    return RenderIntervals(chart);
  };
  return InTwoWidths(
      draw, fmt::format("Right of the line: better than {} on the same worlds.", report.baseline));
}

std::string GapFigure(const LoopReport& report, const ReportGap& gap) {
  const bool share = gap.quantity == "success";
  const double scale = share ? 100.0 : 1.0;
  IntervalChart chart;
  chart.bars = true;
  chart.description =
      fmt::format("effect of each parameter on the {} of {}", gap.quantity, gap.policy);
  chart.axis = {"change in " + gap.quantity, share ? "percentage points" : "", {}, {}, false};
  const auto row = [&](const std::string& label, const Estimate& e, int colour, bool line) {
    chart.rows.push_back({label, scale * e.value, scale * e.low, scale * e.high,
                          share ? PointsText(e) : DifferenceText(e), colour, line});
  };
  std::vector<ReportGap::Part> parts = gap.parts;
  const auto size = [](const Estimate& e) { return Defined(e) ? std::abs(e.value) : -1.0; };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const auto& a, const auto& b) { return size(a.effect) > size(b.effect); });
  for (const auto& part : parts)
    row(part.parameter, part.effect, PolicyColour(report, gap.policy), false);
  Estimate together{gap.at_fitted.value - gap.at_nominal.value, kUndefined, kUndefined,
                    gap.at_fitted.why};
  row("all together", together, kInk, true);
  row("together − sum of parts", gap.remainder, kPrior, false);
  const auto draw = [&](int width) {
    chart.width = width;
    return RenderIntervals(chart);
  };
  const auto text = [&](const Estimate& e) { return share ? ShareText(e) : EstimateText(e); };
  return InTwoWidths(
      draw, fmt::format(
                "{}: {} {} with every parameter at its datasheet value, {} with every parameter at "
                "its fitted value. Each bar moves one parameter alone; the last row is what "
                "only their interaction explains.",
                gap.policy, gap.quantity, text(gap.at_nominal), text(gap.at_fitted)));
}

}  // namespace realward
