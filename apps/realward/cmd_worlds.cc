// realward worlds TASK --gap FILE… : what a gap spec really does to the model, world by world: what
// was drawn, what the engine made of it, what of it the dynamics sees.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/mujoco.h"
#include "base/text.h"
#include "base/units.h"
#include "gaps.h"
#include "jobs/svg_plot.h"
#include "sim/effect.h"
#include "spec/model_import.h"
#include "spec/task.h"
#include "verbs.h"
#include "worlds/audit.h"
#include "worlds/draw.h"
#include "worlds/plan.h"
#include "worlds/robot_unit.h"

namespace realward {
namespace {

constexpr double kHour = 3600.0;
constexpr std::size_t kMostPlots = 24;
constexpr int kMostUnitsListed = 5;

struct Options {
  std::string task;
  std::vector<std::string> gaps;
  int units = 5;
  std::uint64_t episode = 0;
  std::vector<double> hours;
  bool each = false, no_effects = false;
  std::string plot, save_units;
};

// All units at one age.
struct Age {
  double hours = -1.0;  // h; −1: as the spec has it
  GapSpec gap;
  std::vector<WorldAudit> audits;  // by unit
};

Result<Age> AuditAge(const mjModel& model, const GapSpec& gap, const Context& context,
                     const Options& options) {
  Age age{-1.0, gap, {}};
  RW_ASSIGN(const WorldPlan plan, WorldPlan::Make(model, gap));
  const Drawer drawer(gap);
  std::vector<double> values(drawer.size());
  for (int unit = 0; unit < options.units; ++unit) {
    drawer.Draw({context.seed, static_cast<std::uint32_t>(unit), 0, options.episode}, values);
    age.audits.push_back(AuditWorld(model, plan, values));
  }
  return age;
}

// What stands in one row of a table: a written, combined or derived number, over all units.
struct Row {
  std::string name, target;
  std::string unit;
  std::vector<double> nominal, drawn, effective;  // by unit
};

// The SI unit of what a parameter writes on a target; "" for a plain number, and for the unit of an
// actuator's command, which the model does not say.
std::string UnitOf(const mjModel& model, const GapSpec& gap, const AppliedValue& value) {
  const auto parameter =
      std::find_if(gap.parameters.begin(), gap.parameters.end(),
                   [&](const GapParameter& p) { return p.name == value.parameter; });
  const GapKind& kind = *FindGapKind(parameter->kind);
  std::string dimension = kind.dimension;
  if (kind.target == TargetKind::kJoint || kind.target == TargetKind::kChannel) {
    const std::string joint = kind.target == TargetKind::kJoint
                                  ? value.target
                                  : value.target.substr(0, value.target.rfind('.'));
    const bool is_hinge =
        model.jnt_type[mj_name2id(&model, mjOBJ_JOINT, joint.c_str())] == mjJNT_HINGE;
    if (dimension.empty() && kind.target == TargetKind::kChannel)
      dimension = value.target.ends_with(".position")
                      ? (is_hinge ? "angle" : "length")
                      : (is_hinge ? "angular_velocity" : "velocity");
    else if (dimension.empty())
      dimension = kind.alternatives[is_hinge ? 0 : 1];
  }
  return dimension.empty() || dimension == "ratio" ? "" : SiUnit(dimension);
}

std::vector<Row> Rows(const mjModel& model, const Age& age) {
  std::vector<Row> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  const auto add = [&](const std::string& name, const std::string& target, const std::string& unit,
                       double nominal, double drawn, double effective) {
    const auto [found, fresh] = place.emplace(std::pair(name, target), rows.size());
    if (fresh) rows.push_back({name, target, unit, {}, {}, {}});
    Row& row = rows[found->second];
    row.nominal.push_back(nominal);
    row.drawn.push_back(drawn);
    row.effective.push_back(effective);
  };
  for (const WorldAudit& audit : age.audits) {
    for (const AppliedValue& v : audit.values)
      add(v.parameter, v.target, UnitOf(model, age.gap, v), v.nominal, v.drawn, v.effective);
    for (const auto* derived : {&audit.contacts, &audit.derived}) {
      for (const DerivedValue& d : *derived) add(d.name, "", d.unit, d.nominal, NAN, d.drawn);
    }
  }
  return rows;
}

double Least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double Most(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
double Mean(const std::vector<double>& v) {
  double sum = 0.0;
  for (double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

std::string SpreadTable(const mjModel& model, const Age& age) {
  std::string text;
  if (age.hours >= 0.0) text += fmt::format("after {:g} h\n", age.hours);
  text += fmt::format("  {:<44} {:<20} {:>11} {:>11} {:>11} {:>11}  {}\n", "parameter", "target",
                      "before", "least", "mean", "most", "unit");
  for (const Row& row : Rows(model, age)) {
    text += fmt::format("  {:<44} {:<20} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g}  {}\n", row.name,
                        row.target, row.nominal.front(), Least(row.effective), Mean(row.effective),
                        Most(row.effective), row.unit);
  }
  return text;
}

std::string EachTable(const Age& age) {
  std::string text;
  if (age.hours >= 0.0) text += fmt::format("after {:g} h\n", age.hours);
  text += fmt::format("{:>5}  {:<44} {:<20} {:>11} {:>11} {:>11}\n", "unit", "parameter", "target",
                      "before", "drawn", "effective");
  for (std::size_t unit = 0; unit < age.audits.size(); ++unit) {
    const WorldAudit& audit = age.audits[unit];
    for (const AppliedValue& v : audit.values) {
      text += fmt::format("{:>5}  {:<44} {:<20} {:>11.5g} {:>11.5g} {:>11.5g}\n", unit, v.parameter,
                          v.target, v.nominal, v.drawn, v.effective);
    }
    for (const auto* derived : {&audit.contacts, &audit.derived}) {
      for (const DerivedValue& d : *derived) {
        text += fmt::format("{:>5}  {:<44} {:<20} {:>11.5g} {:>11} {:>11.5g}\n", unit, d.name, "",
                            d.nominal, "", d.drawn);
      }
    }
  }
  return text;
}

Json AgeJson(const Age& age) {
  Json values = Json::array(), derived = Json::array();
  for (std::size_t unit = 0; unit < age.audits.size(); ++unit) {
    const WorldAudit& audit = age.audits[unit];
    for (const AppliedValue& v : audit.values) {
      values.push_back({{"unit", unit},
                        {"parameter", v.parameter},
                        {"target", v.target},
                        {"nominal", v.nominal},
                        {"drawn", v.drawn},
                        {"effective", v.effective}});
    }
    for (const auto* list : {&audit.contacts, &audit.derived}) {
      for (const DerivedValue& d : *list) {
        derived.push_back(
            {{"unit", unit}, {"name", d.name}, {"nominal", d.nominal}, {"drawn", d.drawn}});
      }
    }
  }
  Json json = {{"values", values}, {"derived", derived}};
  if (age.hours >= 0.0) json["hours"] = age.hours;
  return json;
}

// One plot per row: units as points over their age, or over their number.
Status WritePlot(const mjModel& model, const std::vector<Age>& ages, const std::string& path) {
  const bool by_age = ages.size() > 1;
  std::vector<Plot> plots;
  const std::vector<Row> first = Rows(model, ages.front());
  for (std::size_t r = 0; r < first.size() && plots.size() < kMostPlots; ++r) {
    Plot plot;
    plot.title = first[r].target.empty() ? first[r].name
                                         : fmt::format("{} of {}", first[r].name, first[r].target);
    plot.description = plot.title + " of each unit";
    plot.x = by_age ? PlotAxis{"operating time", "h", {}, {}, false}
                    : PlotAxis{"unit", "", {}, {}, false};
    plot.y = {"effective", first[r].unit, {}, {}, false};
    plot.height = 170;
    plot.label_width = 60;
    plot.legend = plots.empty();
    PlotSeries points{"units", Mark::kPoints, {}, {}, {}, 0};
    if (first[r].name == "operating_hours") continue;
    for (const Age& age : ages) {
      const std::vector<Row> rows = Rows(model, age);
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
        return candidate.name == first[r].name && candidate.target == first[r].target;
      });
      if (row == rows.end()) continue;
      for (std::size_t u = 0; u < row->effective.size(); ++u) {
        points.x.push_back(by_age ? age.hours : static_cast<double>(u));
        points.y.push_back(row->effective[u]);
      }
    }
    const PlotRange x{Least(points.x), Most(points.x)};
    const double air = 0.03 * std::max(1.0, x.high - x.low);
    plot.x.low = x.low - air;
    plot.x.high = x.high + air;
    if (Least(points.y) == Most(points.y)) continue;  // nothing to see
    plot.series.push_back(std::move(points));
    plot.rules.push_back({first[r].nominal.front(), false, "nominal", kInk, true});
    plots.push_back(std::move(plot));
  }
  if (plots.empty()) return InvalidInput("--plot: no value differs between the units");
  return WriteFileAtomic(path,
                         RenderStandalone(plots, "Worlds of " + ages.front().gap.name,
                                          fmt::format("{} units", ages.front().audits.size())));
}

std::string EffectTable(const std::vector<ParameterEffect>& effects) {
  std::string text =
      fmt::format("\neffect in 1 s, RMS against the nominal world\n  {:<44} {:>11} {:>11}  {}\n",
                  "parameter", "state", "readings", "most in");
  for (const ParameterEffect& e : effects) {
    const bool alone = e.acts_alone() || !e.acts_within();
    const ResponseDifference d = (alone ? e.alone : e.within).value_or(ResponseDifference{});
    text += fmt::format("  {:<44} {:>11.3g} {:>11.3g}  {}{}\n", e.parameter, d.state, d.reading,
                        d.channel, alone ? "" : " (with the others)");
  }
  return text;
}

Json EffectJson(const std::vector<ParameterEffect>& effects) {
  const auto difference = [](const std::optional<ResponseDifference>& d) {
    return d ? Json{{"state", d->state}, {"reading", d->reading}, {"channel", d->channel}}
             : Json(nullptr);
  };
  Json json = Json::array();
  for (const ParameterEffect& e : effects) {
    json.push_back({{"parameter", e.parameter},
                    {"alone", difference(e.alone)},
                    {"within", difference(e.within)}});
  }
  return json;
}

Result<std::vector<Age>> AuditAges(const mjModel& model, const GapSpec& gap, const Context& context,
                                   const Options& options) {
  std::vector<Age> ages;
  if (options.hours.empty()) {
    RW_ASSIGN(Age age, AuditAge(model, gap, context, options));
    ages.push_back(std::move(age));
  }
  for (double hours : options.hours) {
    if (!(hours >= 0.0) || !std::isfinite(hours))
      return InvalidInput(fmt::format("--hours: {} is no age; valid: 0 or more", hours));
    RW_ASSIGN(Age age, AuditAge(model, WithHours(gap, hours * kHour), context, options));
    age.hours = hours;
    ages.push_back(std::move(age));
  }
  return ages;
}

Status SaveUnits(const GapSpec& gap, const Context& context, const Options& options) {
  RW_TRY(MakeFolders(options.save_units));
  for (int unit = 0; unit < options.units; ++unit) {
    RW_TRY(SaveUnit(DrawUnit(gap, context.seed, static_cast<std::uint32_t>(unit)),
                    fmt::format("{}/unit_{}.json", options.save_units, unit)));
  }
  return {};
}

// What the draws do not do, and what they should not.
std::vector<std::string> Warnings(const mjModel& model, const std::vector<Age>& ages,
                                  const std::vector<ParameterEffect>& effects) {
  std::vector<std::string> warnings;
  std::vector<WorldAudit> all;
  for (const Age& age : ages) all.insert(all.end(), age.audits.begin(), age.audits.end());
  if (const auto plan = WorldPlan::Make(model, ages.back().gap); plan.ok())
    warnings = NoOps(model, *plan, all);
  for (const ParameterEffect& e : effects) {
    const bool is_known = std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) {
      return w.find("'" + e.parameter + "'") != std::string::npos;
    });
    if (e.is_without_effect() && !is_known)
      warnings.push_back(
          fmt::format("parameter '{}' has no effect on motion or readings within "
                      "1 s of the task's start",
                      e.parameter));
  }
  for (const std::string& impossible : ImpossibleValues(model))
    warnings.push_back("the model itself: " + impossible);
  for (const Age& age : ages) {
    for (std::size_t u = 0; u < age.audits.size(); ++u) {
      for (const std::string& impossible : age.audits[u].impossible)
        warnings.push_back(fmt::format("unit {}: {}", u, impossible));
    }
  }
  return warnings;
}

Result<int> Run(const Context& context, const Options& options) {
  RW_ASSIGN(const TaskSpec task, LoadTask(options.task));
  RW_ASSIGN(const GapSpec gap, LoadGaps(options.gaps));
  RW_ASSIGN(const ModelPtr model, ImportModel(task.model_path));
  RW_ASSIGN(const std::vector<Age> ages, AuditAges(*model, gap, context, options));
  std::vector<ParameterEffect> effects;
  if (!options.no_effects) {
    EffectOptions effect{std::min(options.units, 4), 1.0, context.seed, context.threads};
    RW_ASSIGN(effects, MeasureEffects(task, ages.back().gap, effect));
  }
  if (!options.plot.empty()) RW_TRY(WritePlot(*model, ages, options.plot));
  if (!options.save_units.empty()) RW_TRY(SaveUnits(gap, context, options));
  const bool lists_units =
      options.each || (options.units <= kMostUnitsListed && options.hours.size() < 2);
  std::string text;
  Json json = {{"gap", ToJson(gap)}, {"seed", context.seed}};
  if (options.hours.empty()) json.update(AgeJson(ages.front()));
  for (const Age& age : ages) {
    text += lists_units ? EachTable(age) : SpreadTable(*model, age);
    if (!options.hours.empty()) json["ages"].push_back(AgeJson(age));
  }
  if (!effects.empty()) {
    text += EffectTable(effects);
    json["effects"] = EffectJson(effects);
  }
  const std::vector<std::string> warnings = Warnings(*model, ages, effects);
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  json["warnings"] = warnings;
  return Answer(context, json, text);
}

}  // namespace

void AddWorlds(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "worlds", "Samples a gap spec and shows what each draw really does to the model");
  verb->add_option("task", options->task, "Task file")->required();
  verb->add_option("--gap", options->gaps, "Gap specs, composed in order")->required();
  verb->add_option("--units", options->units, "How many units to draw")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--hours", options->hours,
                   "Operating hours at which to look, such as 0,500,2000")
      ->delimiter(',');
  verb->add_option("--episode", options->episode, "Which episode's draws");
  verb->add_flag("--each", options->each, "List every unit instead of their spread");
  verb->add_flag("--no-effects", options->no_effects, "Do not simulate what each parameter does");
  verb->add_option("--plot", options->plot, "Write the spread as an SVG file");
  verb->add_option("--save-units", options->save_units,
                   "Write each unit's constants into a folder");
  AddCommon(*verb, context);
  verb->callback([&context, options] {
    context.run = [&context, options] {
      const Result<int> done = Run(context, *options);
      return done.ok() ? *done : Report(context, done.error());
    };
  });
}

}  // namespace realward
