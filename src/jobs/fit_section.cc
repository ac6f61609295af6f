#include "jobs/fit_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "jobs/report_json.h"
#include "spec/gap.h"

namespace realward {
namespace {

// A channel's quantity in a reader's words: "hinge angle".
std::string QuantityOf(const std::string& channel) {
  const std::size_t dot = channel.rfind('.');
  if (dot == std::string::npos) return channel;
  return channel.substr(0, dot) + " " + channel.substr(dot + 1);
}

std::string UnitOf(const mjModel& model, const std::string& channel) {
  const std::string joint = channel.substr(0, channel.rfind('.'));
  const int id = mj_name2id(&model, mjOBJ_JOINT, joint.c_str());
  const std::string unit = id >= 0 && model.jnt_type[id] == mjJNT_SLIDE ? "m" : "rad";
  return channel.ends_with(".velocity") ? unit + "/s" : unit;
}

std::string Stretch(const WindowError& error) {
  return error.is_whole_run ? "whole run" : fmt::format("{:g} s windows", error.window);
}

// Where the target decides: rotational units for a model whose joints all turn.
std::string UnitOf(const mjModel& model, const ParameterEstimate& p, const GapKind* kind) {
  if (p.unit == "1") return "";
  if (p.unit.empty() && kind != nullptr && kind->target == TargetKind::kActuator)
    return "command unit";
  if (!p.unit.empty() || kind == nullptr || kind->target != TargetKind::kJoint) return p.unit;
  const bool turns = std::all_of(model.jnt_type, model.jnt_type + model.njnt,
                                 [](int type) { return type == mjJNT_HINGE; });
  return turns && !kind->alternatives.empty() ? SiUnit(kind->alternatives.front()) : "";
}

ReportParameter ParameterOf(const mjModel& model, const ParameterEstimate& p) {
  ReportParameter row;
  row.name = p.name;
  const GapKind* kind = FindGapKind(p.kind);
  row.meaning = kind != nullptr ? kind->meaning : p.kind;
  row.unit = UnitOf(model, p, kind);
  row.nominal = p.start;
  row.fitted = {p.estimate, p.interval_low, p.interval_high, ""};
  row.bound_low = p.low;
  row.bound_high = p.high;
  row.on_low_bound = p.bound == BoundState::kAtLow;
  row.on_high_bound = p.bound == BoundState::kAtHigh;
  row.undetermined = !p.determined;
  row.prior.kind = DensityKind::kUniform;
  row.prior.a = p.low;
  row.prior.b = p.high;
  row.posterior = row.prior;
  if (p.determined && p.sd > 0.0) {
    row.posterior.kind = DensityKind::kNormal;
    row.posterior.a = p.estimate;
    row.posterior.b = p.sd;
    row.posterior.low = p.low;
    row.posterior.high = p.high;
  }
  return row;
}

void AddValidation(const LogValidation& validation, const mjModel& model, ReportFit& fit) {
  for (const WindowError& error : validation.errors) {
    for (std::size_t c = 0; c < error.channels.size(); ++c) {
      const std::string& channel = error.channels[c];
      ReportResidual residual{validation.log + ", " + Stretch(error),
                              QuantityOf(channel),
                              UnitOf(model, channel),
                              true,
                              error.datasheet_rms[c],
                              error.fitted_rms[c]};
      fit.residuals.push_back(residual);
      // Windows are restarted from the recording; only a whole run is one free simulation to look
      // at.
      if (!channel.ends_with(".position") || !error.is_whole_run) continue;
      ReportOverlay overlay;
      overlay.recording = residual.recording;
      overlay.quantity = residual.quantity;
      overlay.unit = residual.unit;
      overlay.time = error.time_s;
      for (std::size_t i = 0; i < error.time_s.size(); ++i) {
        overlay.recorded.push_back(error.measured(i, c));
        overlay.datasheet.push_back(error.datasheet(i, c));
        overlay.fitted.push_back(error.fitted(i, c));
      }
      fit.overlays.push_back(std::move(overlay));
    }
  }
}

void AddDerived(const DerivedQuantity& d, ReportFit& fit) {
  const auto add = [&](const char* what, const char* unit, double value, double sd, double sheet) {
    if (value == 0.0) return;
    ReportDerived row;
    row.name = fmt::format("{} {} (data sheet {:.4g})", d.fitted.joint, what, sheet);
    row.unit = unit;
    row.fitted = {value, value - 1.96 * sd, value + 1.96 * sd, ""};
    fit.derived.push_back(row);
  };
  add("inertia", "kg·m²", d.fitted.inertia, d.sd.inertia, d.datasheet.inertia);
  add("gravity torque", "N·m", d.fitted.gravity_torque, d.sd.gravity_torque,
      d.datasheet.gravity_torque);
  add("implied length, inertia / (mass × centre)", "m", d.fitted.length, d.sd.length,
      d.datasheet.length);
}

std::string OutcomeOf(const Identification& found) {
  std::string text = fmt::format("{} residuals in {} segments, {} iterations, {}.", found.residuals,
                                 found.segments, found.iterations,
                                 found.converged ? "converged" : "not converged");
  if (!found.excited)
    text += " The logs hold no excitation: they determine nothing, and the prior is given back.";
  for (const Direction& direction : found.undetermined) {
    text += fmt::format(" Not determined: {} (spread {:.0f} % of the prior's).", direction.text,
                        100.0 * direction.spread);
  }
  return text;
}

double NumberOf(const Json& json) { return json.is_null() ? kUndefined : json.get<double>(); }
Json Numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(Number(value));
  return list;
}
std::vector<double> NumbersOf(const Json& json) {
  std::vector<double> values;
  for (const Json& item : json) values.push_back(NumberOf(item));
  return values;
}
Estimate EstimateOf(const Json& json) {
  return {NumberOf(json.at("value")), NumberOf(json.at("low")), NumberOf(json.at("high")),
          json.value("why", "")};
}
Json DensityJson(const ReportDensity& d) {
  return {static_cast<int>(d.kind), d.a, d.b, Number(d.low), Number(d.high)};
}
ReportDensity DensityOf(const Json& json) {
  ReportDensity d;
  d.kind = static_cast<DensityKind>(json.at(0).get<int>());
  d.a = json.at(1);
  d.b = json.at(2);
  if (!json.at(3).is_null()) d.low = json.at(3).get<double>();
  if (!json.at(4).is_null()) d.high = json.at(4).get<double>();
  return d;
}

}  // namespace

ReportFit MakeFitSection(const FitReport& report, const mjModel& model) {
  const Identification& found = report.identification;
  ReportFit fit;
  fit.method =
      "Multiple-shooting least squares on output errors, with free initial states, a robust loss, "
      "and intervals "
      "that allow for correlated residuals.";
  fit.outcome = OutcomeOf(found);
  fit.converged = found.converged;
  for (const ParameterEstimate& p : found.parameters)
    fit.parameters.push_back(ParameterOf(model, p));
  for (const ChannelFit& channel : found.channels) {
    if (!std::isfinite(channel.sigma) || channel.sigma == 0.0) continue;
    fit.residuals.push_back({channel.log + ", fitted segments", QuantityOf(channel.channel),
                             UnitOf(model, channel.channel), false, kUndefined, channel.rms});
  }
  for (const LogValidation& validation : report.validation) AddValidation(validation, model, fit);
  for (const DerivedQuantity& derived : report.derived) AddDerived(derived, fit);
  const std::size_t n = found.parameters.size();
  for (std::size_t i = 0; i < n; ++i) {
    fit.correlation_names.push_back(found.parameters[i].name);
    for (std::size_t j = 0; j < n; ++j) {
      const double scale = std::sqrt(found.covariance(i, i) * found.covariance(j, j));
      fit.correlation.push_back(scale > 0.0 ? std::clamp(found.covariance(i, j) / scale, -1.0, 1.0)
                                            : (i == j ? 1.0 : 0.0));
    }
  }
  return fit;
}

Json ToJson(const ReportFit& fit) {
  Json json = {{"method", fit.method},
               {"outcome", fit.outcome},
               {"converged", fit.converged},
               {"correlation_names", fit.correlation_names},
               {"correlation", Numbers(fit.correlation)},
               {"overlays", Json::array()},
               {"residuals", Json::array()},
               {"parameters", Json::array()},
               {"derived", Json::array()}};
  for (const ReportOverlay& o : fit.overlays) {
    json["overlays"].push_back({{"recording", o.recording},
                                {"quantity", o.quantity},
                                {"unit", o.unit},
                                {"held_out", o.held_out},
                                {"time", Numbers(o.time)},
                                {"recorded", Numbers(o.recorded)},
                                {"datasheet", Numbers(o.datasheet)},
                                {"fitted", Numbers(o.fitted)}});
  }
  for (const ReportResidual& r : fit.residuals) {
    json["residuals"].push_back({{"recording", r.recording},
                                 {"quantity", r.quantity},
                                 {"unit", r.unit},
                                 {"held_out", r.held_out},
                                 {"datasheet_rms", Number(r.datasheet_rms)},
                                 {"fitted_rms", Number(r.fitted_rms)}});
  }
  for (const ReportParameter& p : fit.parameters) {
    json["parameters"].push_back({{"name", p.name},
                                  {"meaning", p.meaning},
                                  {"unit", p.unit},
                                  {"nominal", Number(p.nominal)},
                                  {"fitted", ToJson(p.fitted)},
                                  {"bounds", {Number(p.bound_low), Number(p.bound_high)}},
                                  {"on_low_bound", p.on_low_bound},
                                  {"on_high_bound", p.on_high_bound},
                                  {"undetermined", p.undetermined},
                                  {"prior", DensityJson(p.prior)},
                                  {"posterior", DensityJson(p.posterior)}});
  }
  for (const ReportDerived& d : fit.derived) {
    json["derived"].push_back({{"name", d.name}, {"unit", d.unit}, {"fitted", ToJson(d.fitted)}});
  }
  return json;
}

Result<ReportFit> FitSectionFromJson(const Json& json) {
  ReportFit fit;
  try {
    fit.method = json.at("method");
    fit.outcome = json.at("outcome");
    fit.converged = json.at("converged");
    fit.correlation_names = json.at("correlation_names").get<std::vector<std::string>>();
    fit.correlation = NumbersOf(json.at("correlation"));
    for (const Json& o : json.at("overlays")) {
      fit.overlays.push_back({o.at("recording"), o.at("quantity"), o.at("unit"), o.at("held_out"),
                              NumbersOf(o.at("time")), NumbersOf(o.at("recorded")),
                              NumbersOf(o.at("datasheet")), NumbersOf(o.at("fitted"))});
    }
    for (const Json& r : json.at("residuals")) {
      fit.residuals.push_back({r.at("recording"), r.at("quantity"), r.at("unit"), r.at("held_out"),
                               NumberOf(r.at("datasheet_rms")), NumberOf(r.at("fitted_rms"))});
    }
    for (const Json& p : json.at("parameters")) {
      ReportParameter row;
      row.name = p.at("name");
      row.meaning = p.at("meaning");
      row.unit = p.at("unit");
      row.nominal = NumberOf(p.at("nominal"));
      row.fitted = EstimateOf(p.at("fitted"));
      row.bound_low = NumberOf(p.at("bounds").at(0));
      row.bound_high = NumberOf(p.at("bounds").at(1));
      row.on_low_bound = p.at("on_low_bound");
      row.on_high_bound = p.at("on_high_bound");
      row.undetermined = p.at("undetermined");
      row.prior = DensityOf(p.at("prior"));
      row.posterior = DensityOf(p.at("posterior"));
      fit.parameters.push_back(row);
    }
    for (const Json& d : json.at("derived")) {
      fit.derived.push_back({d.at("name"), d.at("unit"), EstimateOf(d.at("fitted")), {}});
    }
  } catch (const Json::exception& error) {
    return InvalidInput(std::string("the fit's section is not readable: ") + error.what());
  }
  return fit;
}

}  // namespace realward
