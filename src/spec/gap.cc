#include "spec/gap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"

namespace realward {
namespace {

// A channel is "<joint>.position", "<joint>.velocity", an axis of a sensor such as "<sensor>.x", or
// a glob that may match such a name.
void CheckChannel(const YamlValue& place, const std::string& target) {
  if (target.find_first_of("*?") != std::string::npos) return;
  const std::string joint = target.substr(0, target.rfind('.'));
  for (const char* suffix : {".position", ".velocity", ".x", ".y", ".z"}) {
    if (!joint.empty() && target == joint + suffix) return;
  }
  place.Fail(
      fmt::format("channel {1} is unknown; valid: '{0}.position' or '{0}.velocity' of a joint, "
                  "'{0}.x', '.y' or '.z' of a sensor",
                  joint, Quoted(target)));
}

std::vector<std::string> ReadTargets(YamlMap& map, const GapKind& kind) {
  if (kind.target == TargetKind::kWorld) {
    if (const auto place = map.Optional("target")) {
      place->Fail(
          fmt::format("{} acts on the whole world and has no target; remove it", kind.name));
    }
    return {};
  }
  const std::vector<std::string> targets = map.Texts("target", true);
  if (!map.Has("target")) return {};
  const YamlValue place = *map.Optional("target");
  if (targets.empty()) place.Fail(fmt::format("names no {}", NameOf(kind.target)));
  std::set<std::string> seen;
  for (const std::string& target : targets) {
    if (!seen.insert(target).second) place.Fail(fmt::format("names {} twice", Quoted(target)));
    if (kind.target == TargetKind::kChannel) CheckChannel(place, target);
  }
  return targets;
}

std::string DefaultName(const GapParameter& parameter) {
  if (parameter.targets.empty()) return parameter.kind;
  return fmt::format("{}.{}", parameter.kind, fmt::join(parameter.targets, "+"));
}

void ReadBounds(const YamlValue& value, const NumberRule& rule, bool has_start,
                GapParameter& parameter) {
  const auto bounds = value.Range(rule);
  if (!bounds) return;
  const double start = Centre(parameter.distribution);
  if (bounds->low == bounds->high) {
    value.Fail(fmt::format("both ends are {}; there is nothing to fit", bounds->low));
  } else if (has_start && (start < bounds->low || start > bounds->high)) {
    value.Fail(fmt::format("[{}, {}] does not contain the start {}, the centre of the distribution",
                           bounds->low, bounds->high, start));
  }
  parameter.bound_low = bounds->low;
  parameter.bound_high = bounds->high;
}

// 'per' of a drift, which says by its unit what the drift follows.
void ReadDrift(const YamlValue& place, YamlMap& map, GapParameter& parameter) {
  const auto value = map.Optional("per");
  if (parameter.level != Level::kDrift) {
    if (value) value->Fail("is of level 'drift'; remove it, or give the parameter that level");
    return;
  }
  if (parameter.operation == Operation::kSet)
    place.Fail("a drift needs the operation add or scale; it cannot set");
  if (!value) {
    place.Fail(
        "a drift needs 'per': the time or rise that it is given for, such as 1000 h or 10 K");
    return;
  }
  NumberRule rule = Positive();
  rule.dimensions = {"time", "temperature"};
  const auto number = value->Number(rule);
  if (!number) return;
  if (number->dimension.empty())
    value->Fail("needs its unit, which says what the drift follows, such as 1000 h or 10 K");
  parameter.drift_per = number->value;
  parameter.drift =
      number->dimension == "temperature" ? DriftDriver::kTemperature : DriftDriver::kHours;
}

// The numbers of a parameter share one rule, which keeps the dimension of the first that has a
// unit.
void ReadNumbers(YamlMap& map, const GapKind& kind, GapParameter& parameter) {
  const bool is_rate = parameter.level == Level::kDrift && parameter.operation == Operation::kScale;
  NumberRule rule = is_rate ? AnyNumber() : RuleFor(kind, parameter.operation, parameter.targets);
  bool has_start = false;
  if (const auto value = map.Required("distribution")) {
    const auto distribution = ReadDistribution(*value, rule);
    has_start = distribution.has_value();
    if (distribution) parameter.distribution = *distribution;
  }
  if (const auto value = map.Optional("bounds")) ReadBounds(*value, rule, has_start, parameter);
}

std::optional<GapParameter> ReadParameter(const YamlValue& value) {
  YamlMap map(value);
  if (!value.is_map()) return std::nullopt;
  GapParameter parameter;
  parameter.line = value.line();
  const std::string name = map.Text("name", "");
  parameter.kind = map.Text("kind");
  const GapKind* kind = FindGapKind(parameter.kind);
  if (kind == nullptr) {
    if (!parameter.kind.empty()) {
      map.Optional("kind")->Fail(
          fmt::format("{} is unknown; nearest valid: {}", Quoted(parameter.kind),
                      JoinChoices(NearestNames(std::string_view(parameter.kind).substr(0, 60),
                                               GapKindNames()))));
    }
    for (const char* key : {"target", "operation", "level", "per", "distribution", "bounds"}) {
      map.Optional(key);  // what they must hold cannot be told, but they are known
    }
    return std::nullopt;
  }
  parameter.targets = ReadTargets(map, *kind);
  const auto operation = map.Choice<Operation>("operation", OperationNames(), Operation::kSet);
  const auto level = map.Choice<Level>("level", LevelNames(), kind->default_level);
  parameter.level = level.value_or(kind->default_level);
  if (level == Level::kStep && !AllowsStep(*kind)) {
    map.Optional("level")->Fail(
        fmt::format("'step' is for noise; {} can be fleet, unit, episode or drift", kind->name));
  }
  if (operation) {
    parameter.operation = *operation;
    ReadDrift(value, map, parameter);
    ReadNumbers(map, *kind, parameter);
  } else {
    for (const char* key : {"per", "distribution", "bounds"}) map.Optional(key);
  }
  parameter.name = name.empty() ? DefaultName(parameter) : name;
  return parameter;
}

void ReadParameters(YamlMap& map, GapSpec& gap) {
  std::map<std::string, int> first_line;
  for (const YamlValue& item : map.Items("parameters", true)) {
    const auto parameter = ReadParameter(item);
    if (!parameter) continue;
    const auto [entry, fresh] = first_line.emplace(parameter->name, parameter->line);
    if (!fresh) {
      item.Fail(fmt::format(
          "the name {} stands twice{}; give each parameter its own 'name'", Quoted(parameter->name),
          entry->second > 0 ? fmt::format(" (first in line {})", entry->second) : ""));
    }
    gap.parameters.push_back(*parameter);
  }
}

// Cholesky's factorisation exists, with pivots clear of rounding.
bool IsPositiveDefinite(const Matrix<double>& matrix) {
  const std::size_t n = matrix.rows();
  Matrix<double> lower(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
      if (i == j && !(sum > 1e-12)) return false;
      lower(i, j) = i == j ? std::sqrt(sum) : sum / lower(j, j);
    }
  }
  return true;
}

std::optional<Matrix<double>> ReadMatrix(const YamlValue& value, std::size_t n) {
  const std::vector<YamlValue> rows = value.Items();
  Matrix<double> matrix(n, n);
  bool good = rows.size() == n;
  for (std::size_t i = 0; good && i < n; ++i) {
    const std::vector<YamlValue> cells = rows[i].Items();
    good = cells.size() == n;
    for (std::size_t j = 0; good && j < n; ++j) {
      const auto cell = cells[j].Number(Between(-1.0, 1.0));
      if (!cell) return std::nullopt;
      matrix(i, j) = cell->value;
    }
  }
  if (!good) {
    value.Fail(fmt::format("needs {0} rows of {0} numbers, one for each parameter", n));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (matrix(i, i) != 1.0) {
      value.Fail(fmt::format("entry [{0}][{0}] is {1}; the diagonal is 1", i, matrix(i, i)));
      return std::nullopt;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (matrix(i, j) == matrix(j, i)) continue;
      value.Fail(fmt::format("is not symmetric: entry [{0}][{1}] is {2}, [{1}][{0}] is {3}", i, j,
                             matrix(i, j), matrix(j, i)));
      return std::nullopt;
    }
  }
  if (!IsPositiveDefinite(matrix)) {
    value.Fail("is not positive definite: no parameters can be correlated so");
    return std::nullopt;
  }
  return matrix;
}

// Members of a group: known, once over all groups, and drawn at the same time.
void CheckMembers(const YamlValue& place, const std::vector<std::string>& members,
                  const GapSpec& gap, std::set<std::string>& taken) {
  std::vector<std::string> names;
  for (const GapParameter& parameter : gap.parameters) names.push_back(parameter.name);
  const GapParameter* first = nullptr;
  for (const std::string& member : members) {
    const auto found = std::find(names.begin(), names.end(), member);
    if (found == names.end()) {
      place.Fail(fmt::format("{} is no parameter of this file; nearest valid: {}", Quoted(member),
                             JoinChoices(NearestNames(member.substr(0, 60), names))));
      continue;
    }
    if (!taken.insert(member).second) {
      place.Fail(fmt::format("{} is in more than one place; a parameter is in one group, once",
                             Quoted(member)));
    }
    const GapParameter& parameter = gap.parameters[static_cast<std::size_t>(found - names.begin())];
    if (first == nullptr) first = &parameter;
    if (parameter.level != first->level) {
      place.Fail(fmt::format("{} is drawn per {} and {} per {}; a group is drawn at one level",
                             Quoted(first->name), NameOf(first->level), Quoted(member),
                             NameOf(parameter.level)));
    }
  }
}

void ReadCorrelations(YamlMap& map, GapSpec& gap) {
  std::set<std::string> taken;
  for (const YamlValue& item : map.Items("correlations", false)) {
    YamlMap group(item);
    CorrelationGroup correlation;
    correlation.parameters = group.Texts("parameters", true);
    if (group.Has("parameters")) {
      const YamlValue place = *group.Optional("parameters");
      if (correlation.parameters.size() < 2)
        place.Fail("a correlation needs two parameters or more");
      CheckMembers(place, correlation.parameters, gap, taken);
    }
    const auto value = group.Required("matrix");
    const auto matrix = value ? ReadMatrix(*value, correlation.parameters.size()) : std::nullopt;
    if (!matrix) continue;
    correlation.correlation = *matrix;
    gap.correlations.push_back(std::move(correlation));
  }
}

Result<GapSpec> ReadGap(const YamlDocument& document) {
  GapSpec gap;
  {
    YamlMap map(document.root());
    gap.name = map.Text("gap");
    ReadParameters(map, gap);
    ReadCorrelations(map, gap);
    gap.parents = map.Texts("parents", false);
  }
  RW_TRY(document.status());
  return gap;
}

// The unit that numbers of a parameter are written with; "" when only its target decides.
std::string UnitOf(const GapParameter& parameter) {
  if (parameter.operation == Operation::kScale) return "";
  const GapKind* kind = FindGapKind(parameter.kind);
  if (kind == nullptr || kind->dimension.empty() || kind->dimension == "ratio") return "";
  return SiUnit(kind->dimension);
}

Json ParameterJson(const GapParameter& parameter, const std::string& unit) {
  Json json = {{"name", parameter.name},
               {"kind", parameter.kind},
               {"operation", NameOf(parameter.operation)},
               {"level", NameOf(parameter.level)},
               {"distribution", DistributionJson(parameter.distribution, unit)}};
  if (!parameter.targets.empty()) json["target"] = parameter.targets;
  if (parameter.level == Level::kDrift) {
    json["per"] =
        NumberJson(parameter.drift_per, parameter.drift == DriftDriver::kHours ? "s" : "K");
  }
  if (parameter.bound_low && parameter.bound_high) {
    json["bounds"] = Json::array(
        {NumberJson(*parameter.bound_low, unit), NumberJson(*parameter.bound_high, unit)});
  }
  return json;
}

Json MatrixJson(const Matrix<double>& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

// A value in YAML's flow style. Text that needs no quotes has none; the rest is quoted as in JSON,
// which YAML reads.
std::string Flow(const Json& json) {
  if (json.is_array()) {
    std::vector<std::string> parts;
    for (const Json& item : json) parts.push_back(Flow(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (json.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [key, item] : json.items())
      parts.push_back(fmt::format("{}: {}", key, Flow(item)));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  if (!json.is_string()) return json.dump();
  const std::string& text = json.get_ref<const std::string&>();
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./+-^ *").find(c) != std::string_view::npos;
  };
  const bool starts_plain =
      !text.empty() && (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
  const std::set<std::string> words = {"null", "Null", "NULL", "-"};
  if (starts_plain && text.back() != ' ' && std::all_of(text.begin(), text.end(), plain) &&
      !text.starts_with("- ") && !text.starts_with("---") && !words.contains(text)) {
    return text;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Renames what clashes with `taken`, and remembers the names.
std::map<std::string, std::string> FreshNames(const GapSpec& layer, std::set<std::string>& taken) {
  std::map<std::string, std::string> renamed;
  for (const GapParameter& parameter : layer.parameters) {
    std::string name = parameter.name;
    for (int copy = 1; !taken.insert(name).second; ++copy) {
      name = fmt::format("{}@{}", parameter.name, layer.name);
      if (copy > 1) name += fmt::format("#{}", copy);
    }
    renamed[parameter.name] = name;
  }
  return renamed;
}

}  // namespace

Result<GapSpec> LoadGap(const std::string& path) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Load(path));
  RW_ASSIGN(GapSpec gap, ReadGap(document));
  gap.file = path;
  return gap;
}

Result<GapSpec> GapFromJson(const Json& json) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::FromJson(json, "gap spec"));
  return ReadGap(document);
}

Json ToJson(const GapSpec& gap) {
  Json json = {{"gap", gap.name}, {"parameters", Json::array()}};
  for (const GapParameter& parameter : gap.parameters) {
    json["parameters"].push_back(ParameterJson(parameter, ""));
  }
  for (const CorrelationGroup& group : gap.correlations) {
    json["correlations"].push_back(
        {{"parameters", group.parameters}, {"matrix", MatrixJson(group.correlation)}});
  }
  if (!gap.parents.empty()) json["parents"] = gap.parents;
  return json;
}

std::string ToYaml(const GapSpec& gap) {
  const std::vector<std::string> order = {"kind", "target",       "operation", "level",
                                          "per",  "distribution", "bounds"};
  std::string text = fmt::format("gap: {}\n", Flow(gap.name));
  if (!gap.parents.empty()) text += fmt::format("parents: {}\n", Flow(gap.parents));
  text += gap.parameters.empty() ? "parameters: []\n" : "parameters:\n";
  for (const GapParameter& parameter : gap.parameters) {
    const Json json = ParameterJson(parameter, UnitOf(parameter));
    text += fmt::format("  - name: {}\n", Flow(parameter.name));
    for (const std::string& key : order) {
      if (json.contains(key)) text += fmt::format("    {}: {}\n", key, Flow(json[key]));
    }
  }
  if (!gap.correlations.empty()) text += "correlations:\n";
  for (const CorrelationGroup& group : gap.correlations) {
    text += fmt::format("  - parameters: {}\n    matrix: {}\n", Flow(group.parameters),
                        Flow(MatrixJson(group.correlation)));
  }
  return text;
}

GapSpec Compose(const std::vector<GapSpec>& layers, const std::string& name) {
  GapSpec composed;
  composed.name = name;
  std::set<std::string> taken;
  for (const GapSpec& layer : layers) {
    const auto renamed = FreshNames(layer, taken);
    for (GapParameter parameter : layer.parameters) {
      parameter.name = renamed.at(parameter.name);
      composed.parameters.push_back(std::move(parameter));
    }
    for (CorrelationGroup group : layer.correlations) {
      for (std::string& member : group.parameters) {
        if (const auto found = renamed.find(member); found != renamed.end()) member = found->second;
      }
      composed.correlations.push_back(std::move(group));
    }
    composed.parents.push_back(HashJson(ToJson(layer)));
  }
  return composed;
}

}  // namespace realward
