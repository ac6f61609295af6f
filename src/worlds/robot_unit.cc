#include "worlds/robot_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "spec/yaml_reader.h"
#include "worlds/draw.h"

namespace realward {
namespace {

constexpr char kHours[] = "operating_hours";

GapParameter HoursParameter(double hours) {
  GapParameter parameter;
  parameter.name = parameter.kind = kHours;
  parameter.level = Level::kUnit;
  parameter.distribution.a = hours;
  return parameter;
}

}  // namespace

RobotUnit DrawUnit(const GapSpec& gap, std::uint64_t seed, std::uint32_t number) {
  RobotUnit unit{HashJson(ToJson(gap)), seed, number, 0.0, {}};
  std::vector<double> values(gap.parameters.size());
  Drawer(gap).Draw({seed, number, 0, 0}, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const GapParameter& parameter = gap.parameters[i];
    if (parameter.level == Level::kEpisode) continue;
    if (parameter.kind == kHours)
      unit.hours = values[i];
    else
      unit.constants[parameter.name] = values[i];
  }
  return unit;
}

Result<RobotUnit> Aged(RobotUnit unit, double hours) {
  if (!(hours >= unit.hours) || !std::isfinite(hours)) {
    return InvalidInput(
        fmt::format("unit {} has run {:.6g} h and cannot be set to {:.6g} h; a "
                    "unit only grows older",
                    unit.unit, unit.hours / 3600.0, hours / 3600.0));
  }
  unit.hours = hours;
  return unit;
}

GapSpec WithHours(const GapSpec& gap, double hours) {
  GapSpec aged = gap;
  std::erase_if(aged.parameters, [](const GapParameter& p) { return p.kind == kHours; });
  aged.parameters.insert(aged.parameters.begin(), HoursParameter(hours));
  return aged;
}

Result<GapSpec> WithUnit(const GapSpec& gap, const RobotUnit& unit) {
  if (HashJson(ToJson(gap)) != unit.gap_hash) {
    return InvalidInput(
        fmt::format("unit {} was drawn from another gap spec (hash {:.12}…) than '{}' ({:.12}…)",
                    unit.unit, unit.gap_hash, gap.name, HashJson(ToJson(gap))));
  }
  GapSpec fixed = WithHours(gap, unit.hours);
  std::set<std::string> drawn;  // still
  for (GapParameter& parameter : fixed.parameters) {
    const auto constant = unit.constants.find(parameter.name);
    if (constant == unit.constants.end()) {
      drawn.insert(parameter.name);
      continue;
    }
    parameter.distribution = {};
    parameter.distribution.a = constant->second;
  }
  std::erase_if(fixed.correlations, [&](const CorrelationGroup& group) {
    return !drawn.contains(group.parameters.front());
  });
  fixed.name = fmt::format("{}#{}", gap.name, unit.unit);
  fixed.parents = {unit.gap_hash};
  return fixed;
}

Json ToJson(const RobotUnit& unit) {
  return {{"format", "realward-unit 1"},
          {"gap_hash", unit.gap_hash},
          {"seed", unit.seed},
          {"unit", unit.unit},
          {"operating_time_s", unit.hours},
          {"constants", unit.constants}};
}

Result<RobotUnit> UnitFromJson(const Json& json) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::FromJson(json, "unit"));
  RobotUnit unit;
  {
    YamlMap map(document.root());
    if (const std::string format = map.Text("format"); format != "realward-unit 1")
      map.Optional("format")->Fail(Quoted(format) + " is unknown; valid: 'realward-unit 1'");
    unit.gap_hash = map.Text("gap_hash");
    if (const auto seed = map.Required("seed")) unit.seed = seed->Seed().value_or(1);
    if (const auto number = map.Required("unit"))
      unit.unit = static_cast<std::uint32_t>(number->Whole(0, 4294967295).value_or(0));
    if (const auto time = map.Required("operating_time_s")) {
      const auto value = time->Number(NonNegative());
      unit.hours = value ? value->value : 0.0;
    }
    map.Optional("constants");
  }
  RW_TRY(document.status());
  if (!json.contains("constants") || !json["constants"].is_object())
    return InvalidInput("unit: key 'constants': is missing; it holds a number per parameter");
  for (const auto& [name, value] : json["constants"].items()) {
    if (!value.is_number()) {
      return InvalidInput(
          fmt::format("unit: key 'constants.{}': {} is no number", name, value.dump()));
    }
    unit.constants[name] = value.get<double>();
  }
  return unit;
}

Status SaveUnit(const RobotUnit& unit, const std::string& path) {
  return WriteFileAtomic(path, ToJson(unit).dump(2) + "\n");
}

Result<RobotUnit> LoadUnit(const std::string& path) {
  RW_ASSIGN(const std::string text, ReadFile(path));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return InvalidInput(path + ": is no JSON");
  Result<RobotUnit> unit = UnitFromJson(json);
  if (!unit.ok()) return InvalidInput(path + ": " + unit.error().message);
  return unit;
}

}  // namespace realward
