#include "fit/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace realward {
namespace {

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Numbers(std::span<const double> values) {
  Json json = Json::array();
  for (double value : values) json.push_back(Number(value));
  return json;
}

Json Rows(const Matrix<double>& matrix) {
  Json json = Json::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) json.push_back(Numbers(matrix.row(i)));
  return json;
}

const char* NameOf(BoundState bound) {
  switch (bound) {
    case BoundState::kInside:
      return "inside";
    case BoundState::kAtLow:
      return "low";
    case BoundState::kAtHigh:
      return "high";
  }
  return "inside";
}

Json SourceJson(const HashedInput& source) {
  return {{"name", source.name}, {"hash", source.hash}};
}

Json ParameterJson(const ParameterEstimate& p) {
  return {{"name", p.name},
          {"kind", p.kind},
          {"unit", p.unit},
          {"bounds", Numbers(std::vector{p.low, p.high})},
          {"start", Number(p.start)},
          {"estimate", Number(p.estimate)},
          {"sd", Number(p.sd)},
          {"interval_95", Numbers(std::vector{p.interval_low, p.interval_high})},
          {"bound", NameOf(p.bound)},
          {"determined", p.determined}};
}

Json IdentificationJson(const Identification& id) {
  Json json = {{"parameters", Json::array()},
               {"covariance", Rows(id.covariance)},
               {"undetermined", Json::array()},
               {"excited", id.excited},
               {"channels", Json::array()},
               {"cost", Number(id.cost)},
               {"dispersion", Number(id.dispersion)},
               {"residuals", id.residuals},
               {"segments", id.segments},
               {"clusters", id.clusters},
               {"iterations", id.iterations},
               {"diverged", id.diverged},
               {"start_costs", Numbers(id.start_costs)},
               {"converged", id.converged},
               {"values", Numbers(id.values)}};
  for (const ParameterEstimate& p : id.parameters) json["parameters"].push_back(ParameterJson(p));
  for (const Direction& d : id.undetermined) {
    json["undetermined"].push_back({{"parameters", d.parameters},
                                    {"weights", Numbers(d.weights)},
                                    {"spread", Number(d.spread)},
                                    {"text", d.text}});
  }
  for (const ChannelFit& c : id.channels) {
    json["channels"].push_back({{"log", c.log},
                                {"channel", c.channel},
                                {"sigma", Number(c.sigma)},
                                {"rms", Number(c.rms)}});
  }
  return json;
}

Json WindowJson(const WindowError& e) {
  return {{"window", Number(e.window)},
          {"is_whole_run", e.is_whole_run},
          {"windows", e.windows},
          {"channels", e.channels},
          {"datasheet_rms", Numbers(e.datasheet_rms)},
          {"fitted_rms", Numbers(e.fitted_rms)},
          {"datasheet_diverged", e.datasheet_diverged},
          {"fitted_diverged", e.fitted_diverged},
          {"trace",
           {{"time_s", Numbers(e.time_s)},
            {"measured", Rows(e.measured)},
            {"datasheet", Rows(e.datasheet)},
            {"fitted", Rows(e.fitted)}}}};
}

Json QuantitiesJson(const JointQuantities& q) {
  return {{"inertia", Number(q.inertia)},
          {"gravity_torque", Number(q.gravity_torque)},
          {"length", Number(q.length)}};
}

std::string Note(const ParameterEstimate& p) {
  std::string note;
  if (p.bound == BoundState::kAtLow) note = "on its lower bound";
  if (p.bound == BoundState::kAtHigh) note = "on its upper bound";
  if (!p.determined) note += note.empty() ? "not determined" : ", not determined";
  return note;
}

std::string ParameterTable(const FitReport& report) {
  std::string text = fmt::format("{:<20} {:>12} {:>12} {:>11} {:>24}  {}\n", "parameter", "start",
                                 "estimate", "sd", "bounds", "unit");
  for (const ParameterEstimate& p : report.identification.parameters) {
    std::string line = fmt::format(
        "{:<20} {:>12.5g} {:>12.5g} {:>11.2g} {:>24}  {:<10} {}", p.name, p.start, p.estimate, p.sd,
        fmt::format("[{:.4g}, {:.4g}]", p.low, p.high), p.unit.empty() ? "SI" : p.unit, Note(p));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string ValidationTable(const FitReport& report) {
  std::string text;
  for (const LogValidation& validation : report.validation) {
    for (const WindowError& e : validation.errors) {
      for (std::size_t c = 0; c < e.channels.size(); ++c) {
        text += fmt::format(
            "{:<24} {:<24} {:<16} {:>10.4g} {:>10.4g}\n", validation.log, e.channels[c],
            e.is_whole_run ? "whole run" : fmt::format("{} x {:g} s", e.windows, e.window),
            e.datasheet_rms[c], e.fitted_rms[c]);
      }
      if (e.datasheet_diverged + e.fitted_diverged > 0) {
        text += fmt::format("{:<24} windows that left physics: data sheet {}, fitted {}\n",
                            validation.log, e.datasheet_diverged, e.fitted_diverged);
      }
    }
  }
  if (text.empty()) return "No log was held out, so nothing is validated.\n";
  return fmt::format("{:<24} {:<24} {:<16} {:>10} {:>10}\n", "held-out log, RMS error", "channel",
                     "windows", "datasheet", "fitted") +
         text;
}

}  // namespace

std::vector<std::string> FitReport::Parents() const {
  std::vector<std::string> parents = {model.hash, gap.hash};
  for (const HashedInput& log : logs) parents.push_back(log.hash);
  return parents;
}

Result<FitReport> Fit(const FitInput& input, const std::atomic<bool>& stop,
                      const FitCallback& progress) {
  const IdentifyInput& identify = input.identify;
  FitReport report;
  report.model = input.model;
  report.gap = {identify.gap.name, HashJson(ToJson(identify.gap))};
  for (const Log& log : identify.logs) report.logs.push_back({log.name, log.hash});
  report.seed = identify.seed;
  report.options = identify.options;
  RW_ASSIGN(report.identification, Identify(identify, stop, progress));
  std::vector<double> windows = input.windows;
  if (windows.empty()) windows = {identify.options.validation_window, 0.0};
  RW_ASSIGN(report.validation, Validate(*identify.model, identify.gap, report.identification.values,
                                        input.validation, windows, identify.threads));
  RW_ASSIGN(report.derived, Derive(*identify.model, identify.gap, report.identification));
  return report;
}

Json ToJson(const FitReport& report) {
  Json options = ToJson(report.options);
  for (auto& [key, value] : options.items()) {
    if (value.is_number_float()) value = Number(value.get<double>());
  }
  Json json = {{"model", SourceJson(report.model)},
               {"gap", SourceJson(report.gap)},
               {"logs", Json::array()},
               {"seed", report.seed},
               {"options", options},
               {"identification", IdentificationJson(report.identification)},
               {"validation", Json::array()},
               {"derived", Json::array()}};
  for (const HashedInput& log : report.logs) json["logs"].push_back(SourceJson(log));
  for (const LogValidation& v : report.validation) {
    Json errors = Json::array();
    for (const WindowError& e : v.errors) errors.push_back(WindowJson(e));
    json["validation"].push_back({{"log", v.log}, {"hash", v.hash}, {"errors", errors}});
  }
  for (const DerivedQuantity& d : report.derived) {
    json["derived"].push_back({{"joint", d.fitted.joint},
                               {"datasheet", QuantitiesJson(d.datasheet)},
                               {"fitted", QuantitiesJson(d.fitted)},
                               {"sd", QuantitiesJson(d.sd)}});
  }
  return json;
}

std::string ToText(const FitReport& report) {
  const Identification& id = report.identification;
  std::string text =
      fmt::format("Fit of {} to {} log(s): {} segments, {} residuals, {} iterations{}\n",
                  report.gap.name, report.logs.size(), id.segments, id.residuals, id.iterations,
                  id.converged ? "" : ", NOT converged: the iterations ran out");
  if (!id.excited) {
    text += "The logs excite no parameter: all keep their prior.\n";
  }
  text += "\n" + ParameterTable(report);
  for (const Direction& d : id.undetermined) {
    text += fmt::format("The data does not determine {}: {:.0f} % of the prior's spread is left.\n",
                        d.text, 100.0 * d.spread);
  }
  if (id.diverged > 0)
    text += fmt::format("{} segment simulations left physics on the way.\n", id.diverged);
  text += "\n";
  for (const DerivedQuantity& d : report.derived) {
    text += fmt::format("{}: inertia {:.5g} -> {:.5g} +- {:.2g} kg m^2", d.fitted.joint,
                        d.datasheet.inertia, d.fitted.inertia, d.sd.inertia);
    if (d.fitted.length != 0.0) {
      text += fmt::format(
          ", gravity torque {:.4g} -> {:.4g} +- {:.2g} N m, length {:.4g} -> {:.4g} "
          "+- {:.2g} m",
          d.datasheet.gravity_torque, d.fitted.gravity_torque, d.sd.gravity_torque,
          d.datasheet.length, d.fitted.length, d.sd.length);
    }
    text += "\n";
  }
  return text + "\n" + ValidationTable(report);
}

}  // namespace realward
