#include "logs/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "logs/strict_yaml.h"

namespace realward {
namespace {

constexpr char kSi[] = "SI";

// The dimensions a channel of this kind can have; any when the list is empty.
std::vector<std::string> DimensionsOf(const std::string& channel) {
  static const std::map<std::string, std::vector<std::string>> by_suffix = {
      {"position", {"angle", "length"}},
      {"velocity", {"angular_velocity", "velocity"}},
      {"acceleration", {"angular_acceleration", "acceleration"}},
      {"torque", {"torque"}},
      {"force", {"force"}},
      {"current", {"current"}},
      {"voltage", {"voltage"}}};
  const std::size_t dot = channel.rfind('.');
  if (dot == std::string::npos) return {};
  const auto found = by_suffix.find(channel.substr(dot + 1));
  return found == by_suffix.end() ? std::vector<std::string>{} : found->second;
}

Result<Unit> ReadUnit(const StrictMap& map, const std::vector<std::string>& dimensions) {
  RW_ASSIGN(const std::string text, map.Text("unit"));
  if (text == kSi) return Unit{kSi, "", 1.0};
  const auto unit = ParseUnit(text);
  std::vector<std::string> valid;
  for (const std::string& dimension : dimensions) {
    for (const std::string& name : UnitNames(dimension)) valid.push_back(name);
  }
  if (!unit.ok() && !valid.empty()) return map.Fail("unit", UnknownName("unit", text, valid));
  if (!unit.ok()) return map.Fail("unit", unit.error().message);
  if (valid.empty() ||
      std::find(dimensions.begin(), dimensions.end(), unit->dimension) != dimensions.end()) {
    return *unit;
  }
  return map.Fail("unit",
                  fmt::format("'{}' is a unit of {}; one of {} is needed here: {}", text,
                              unit->dimension, JoinChoices(dimensions), JoinChoices(valid)));
}

Result<ColumnMap> ReadColumn(const StrictMap& map, const std::string& name_key,
                             const std::vector<std::string>& time_dimension) {
  ColumnMap column;
  column.line = map.line("column");
  if (!name_key.empty()) {
    RW_ASSIGN(column.name, map.Text(name_key));
  }
  RW_ASSIGN(column.column, map.Text("column"));
  RW_ASSIGN(column.unit,
            ReadUnit(map, name_key.empty() ? time_dimension : DimensionsOf(column.name)));
  RW_ASSIGN(column.scale, map.NumberOr("scale", 1.0));
  RW_ASSIGN(column.offset, map.NumberOr("offset", 0.0));
  RW_ASSIGN(column.many_turns, map.BoolOr("many_turns", false));
  if (column.scale == 0.0)
    return map.Fail("scale", "0 makes every value the same; give a factor such as -1");
  return column;
}

Result<std::vector<ColumnMap>> ReadColumns(const StrictMap& root, const std::string& key,
                                           const std::string& name_key, bool required) {
  std::vector<ColumnMap> columns;
  RW_ASSIGN(
      const auto maps,
      root.Maps(key, {name_key, "column", "unit", "scale", "offset", "many_turns"}, required));
  std::set<std::string> names;
  for (const StrictMap& map : maps) {
    RW_ASSIGN(ColumnMap column, ReadColumn(map, name_key, {}));
    if (!names.insert(column.name).second) {
      return map.Fail(name_key, fmt::format("'{}' is mapped twice", column.name));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Status ReadTime(const StrictMap& root, Mapping& mapping) {
  RW_ASSIGN(const StrictMap time, root.Map("time", {"column", "unit", "counter_bits"}));
  RW_ASSIGN(mapping.time, ReadColumn(time, "", {"time"}));
  mapping.time.name = "time";
  RW_ASSIGN(const double bits, time.NumberOr("counter_bits", 0.0));
  if (bits != 0.0 && (bits != std::floor(bits) || bits < 8 || bits > 63)) {
    return time.Fail("counter_bits", fmt::format("{} must be a whole number from 8 to 63", bits));
  }
  mapping.counter_bits = static_cast<int>(bits);
  return {};
}

Status ReadCsvOptions(const StrictMap& root, CsvOptions& options) {
  if (!root.Has("csv")) return {};
  RW_ASSIGN(const StrictMap csv, root.Map("csv", {"separator", "decimal"}));
  if (csv.Has("separator")) {
    RW_ASSIGN(const std::string separator, csv.Text("separator"));
    if (separator != "," && separator != ";" && separator != "\t" && separator != "tab") {
      return csv.Fail("separator", fmt::format("'{}' must be ',', ';' or tab", separator));
    }
    options.separator = separator == "tab" ? '\t' : separator[0];
  }
  if (csv.Has("decimal")) {
    RW_ASSIGN(const std::string decimal, csv.Text("decimal"));
    if (decimal != "." && decimal != ",") {
      return csv.Fail("decimal", fmt::format("'{}' must be '.' or ','", decimal));
    }
    options.decimal = decimal[0];
  }
  return {};
}

// A double-quoted YAML scalar.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string ColumnYaml(const ColumnMap& column, const std::string& name_key) {
  std::string text = "{";
  if (!name_key.empty()) text += fmt::format("{}: {}, ", name_key, Quoted(column.name));
  text += fmt::format("column: {}, unit: {}", Quoted(column.column), Quoted(column.unit.name));
  if (column.scale != 1.0) text += fmt::format(", scale: {}", column.scale);
  if (column.offset != 0.0) text += fmt::format(", offset: {}", column.offset);
  if (column.many_turns) text += ", many_turns: true";
  return text;
}

Result<std::size_t> FindColumn(const Mapping& mapping, const ColumnMap& column,
                               const CsvTable& table) {
  const std::string place =
      column.line == 0 ? "" : fmt::format("{}:{}: ", mapping.file, column.line);
  const auto index = table.Column(column.column);
  if (!index.ok()) return InvalidInput(place + "key 'column': " + index.error().message);
  const std::string& header_unit = table.columns[*index].unit;
  const auto stated = ParseUnit(header_unit);
  if (!stated.ok() || column.unit.name == kSi) return *index;  // no unit that we know
  const bool same =
      stated->dimension == column.unit.dimension && stated->factor == column.unit.factor;
  if (same) return *index;
  return InvalidInput(fmt::format(
      "{}key 'unit': '{}' for column '{}', but the header of {} says [{}]; one of them is wrong",
      place, column.unit.name, column.column, table.name, header_unit));
}

}  // namespace

Result<Mapping> ParseMapping(const std::string& text, const std::string& file) {
  RW_ASSIGN(const YAML::Node node, ParseStrictYaml(text, file));
  RW_ASSIGN(const StrictMap root,
            StrictMap::Open(node, file, "", {"mapping", "time", "channels", "commands", "csv"}));
  Mapping mapping;
  mapping.file = file;
  RW_ASSIGN(mapping.name, root.Text("mapping"));
  RW_TRY(ReadTime(root, mapping));
  RW_ASSIGN(mapping.channels, ReadColumns(root, "channels", "channel", true));
  RW_ASSIGN(mapping.commands, ReadColumns(root, "commands", "actuator", false));
  RW_TRY(ReadCsvOptions(root, mapping.csv));
  return mapping;
}

Result<Mapping> LoadMapping(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return InvalidInput(text.error().message);
  return ParseMapping(*text, path);
}

std::string ToYaml(const Mapping& mapping) {
  std::string text =
      fmt::format("mapping: {}\ntime: {}", Quoted(mapping.name), ColumnYaml(mapping.time, ""));
  if (mapping.counter_bits != 0) text += fmt::format(", counter_bits: {}", mapping.counter_bits);
  text += "}\nchannels:\n";
  for (const ColumnMap& column : mapping.channels) {
    text += fmt::format("  - {}}}\n", ColumnYaml(column, "channel"));
  }
  if (!mapping.commands.empty()) text += "commands:\n";
  for (const ColumnMap& column : mapping.commands) {
    text += fmt::format("  - {}}}\n", ColumnYaml(column, "actuator"));
  }
  if (mapping.csv.separator == 0 && mapping.csv.decimal == 0) return text;
  text += "csv: {";
  if (mapping.csv.separator != 0) {
    text += fmt::format("separator: {}", Quoted(std::string(1, mapping.csv.separator)));
  }
  if (mapping.csv.decimal != 0) {
    text += fmt::format("{}decimal: {}", mapping.csv.separator != 0 ? ", " : "",
                        Quoted(std::string(1, mapping.csv.decimal)));
  }
  return text + "}\n";
}

Result<ColumnPlaces> FindColumns(const Mapping& mapping, const CsvTable& table) {
  ColumnPlaces places;
  RW_ASSIGN(places.time, FindColumn(mapping, mapping.time, table));
  for (const ColumnMap& column : mapping.channels) {
    RW_ASSIGN(const std::size_t index, FindColumn(mapping, column, table));
    places.channels.push_back(index);
  }
  for (const ColumnMap& column : mapping.commands) {
    RW_ASSIGN(const std::size_t index, FindColumn(mapping, column, table));
    places.commands.push_back(index);
  }
  return places;
}

}  // namespace realward
