#include "deploy/fault_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "spec/yaml_reader.h"

namespace realward {
namespace {

constexpr double kLongest = 1e6;  // s: what steps can count without rounding

constexpr std::array<Named<FaultKind>, 9> kNames = {{
    {FaultKind::kSensorFreezes, "sensor_freezes"},
    {FaultKind::kSensorDropsOut, "sensor_drops_out"},
    {FaultKind::kSensorJumps, "sensor_jumps"},
    {FaultKind::kJointJams, "joint_jams"},
    {FaultKind::kActuatorDies, "actuator_dies"},
    {FaultKind::kVoltageDrops, "voltage_drops"},
    {FaultKind::kLinkStalls, "link_stalls"},
    {FaultKind::kLinkBreaks, "link_breaks"},
    {FaultKind::kRobotProcessDies, "robot_process_dies"},
}};

enum class Site { kNone, kChannel, kJoint, kActuator };

Site SiteOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kSensorFreezes:
    case FaultKind::kSensorDropsOut:
    case FaultKind::kSensorJumps:
      return Site::kChannel;
    case FaultKind::kJointJams:
      return Site::kJoint;
    case FaultKind::kActuatorDies:
      return Site::kActuator;
    default:
      return Site::kNone;
  }
}

// Ends the trial at once, so that there is nothing to last.
bool IsInstant(FaultKind kind) {
  return kind == FaultKind::kLinkBreaks || kind == FaultKind::kRobotProcessDies;
}

void ReadTrials(YamlMap& map, Fault& fault) {
  const auto place = map.Optional("trials");
  if (!place) return;
  std::set<std::int64_t> seen;
  const std::vector<YamlValue> items = place->Items();
  if (items.empty() && place->is_sequence()) place->Fail("names no trial; leave it out for all");
  for (const YamlValue& item : items) {
    const auto trial = item.Whole(0, std::int64_t{1} << 53);
    if (!trial) continue;
    if (!seen.insert(*trial).second) item.Fail(fmt::format("trial {} stands twice", *trial));
    fault.trials.push_back(*trial);
  }
}

void ReadAmount(YamlMap& map, Fault& fault) {
  if (fault.kind == FaultKind::kVoltageDrops) fault.amount = map.Number("to", Between(0.0, 1.0));
  if (fault.kind != FaultKind::kSensorJumps) return;
  const auto place = map.Required("by");
  const auto by =
      place ? place->Number(AnyNumber({"angle", "length", "angular_velocity", "velocity"}))
            : std::nullopt;
  if (!by) return;
  if (by->value == 0.0) place->Fail("0 changes nothing; give the offset");
  fault.amount = by->value;
  fault.dimension = by->dimension;
}

std::optional<Fault> ReadFault(const YamlValue& value) {
  YamlMap map(value);
  if (!value.is_map()) return std::nullopt;
  const auto kind = map.Choice<FaultKind>("fault", kNames);
  if (!kind) {
    map.Abandon();
    return std::nullopt;
  }
  Fault fault;
  fault.kind = *kind;
  fault.line = value.line();
  if (SiteOf(*kind) != Site::kNone) fault.target = map.Text("target");
  ReadTrials(map, fault);
  fault.from = map.Number("from", Between(0.0, kLongest, {"time"}));
  if (!IsInstant(*kind) && map.Has("for")) {
    NumberRule rule = Between(0.0, kLongest, {"time"});
    rule.low_open = true;
    fault.duration = map.Number("for", rule);
  }
  fault.probability = map.Number("probability", Between(0.0, 1.0), 1.0);
  ReadAmount(map, fault);
  return fault;
}

Result<FaultScript> ReadScript(const YamlDocument& document, const std::string& name) {
  FaultScript script;
  script.file = name;
  {
    YamlMap map(document.root());
    for (const YamlValue& item : map.Items("faults", true)) {
      if (auto fault = ReadFault(item)) script.faults.push_back(std::move(*fault));
    }
  }
  RW_TRY(document.status());
  return script;
}

std::vector<std::string> NamesAt(Site site, const FaultSites& sites) {
  if (site == Site::kJoint) return sites.joints;
  if (site == Site::kActuator) return sites.actuators;
  std::vector<std::string> names;
  if (site == Site::kChannel) {
    for (const LinkChannel& channel : sites.channels) names.push_back(channel.name);
  }
  return names;
}

const char* WordOf(Site site) {
  return site == Site::kChannel ? "channel" : site == Site::kJoint ? "joint" : "actuator";
}

void FindTargets(const FaultSites& sites, BoundFault& bound, YamlErrors& errors) {
  const Fault& fault = bound.spec;
  const Site site = SiteOf(fault.kind);
  if (site == Site::kNone) return;
  const std::vector<std::string> names = NamesAt(site, sites);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (GlobMatch(fault.target, names[i])) bound.targets.push_back(static_cast<int>(i));
  }
  if (bound.targets.empty()) {
    errors.Add(fault.line, fmt::format("{}: {}", NameOf(fault.kind),
                                       UnknownName(WordOf(site), fault.target, names)));
  }
  if (fault.kind != FaultKind::kSensorJumps || fault.dimension.empty()) return;
  for (const int c : bound.targets) {
    const LinkChannel& channel = sites.channels[c];
    const auto unit = ParseUnit(channel.unit);
    if (unit.ok() && unit->dimension == fault.dimension) continue;
    errors.Add(fault.line, fmt::format("sensor_jumps: 'by' is a {}, but channel '{}' is in {}",
                                       fault.dimension, channel.name, channel.unit));
  }
}

// The first control period that begins at `time` or after; a rounding of time / period is no step.
std::int64_t StepAt(double time, double period) {
  return static_cast<std::int64_t>(std::ceil(time / period * (1.0 - 1e-12) - 1e-9));
}

void PlaceInTime(double period, BoundFault& bound, YamlErrors& errors) {
  const Fault& fault = bound.spec;
  bound.begin = StepAt(fault.from, period);
  if (!fault.duration) return;
  bound.end = StepAt(fault.from + *fault.duration, period);
  if (bound.end > bound.begin) return;
  errors.Add(fault.line,
             fmt::format("{}: from {} s for {} s no control period begins (they are {} s long); it "
                         "would never act",
                         NameOf(fault.kind), fault.from, *fault.duration, period));
}

// Faults of one group cannot act on one target at one time: what would hold?
int GroupOf(FaultKind kind) {
  if (kind == FaultKind::kSensorJumps || IsInstant(kind)) return -1;  // they add up; the first wins
  return kind == FaultKind::kSensorDropsOut ? static_cast<int>(FaultKind::kSensorFreezes)
                                            : static_cast<int>(kind);
}

bool Share(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.empty() || b.empty()) return true;  // all trials
  return std::any_of(a.begin(), a.end(), [&](std::int64_t trial) {
    return std::find(b.begin(), b.end(), trial) != b.end();
  });
}

bool Contradict(const BoundFault& a, const BoundFault& b) {
  if (GroupOf(a.spec.kind) < 0 || GroupOf(a.spec.kind) != GroupOf(b.spec.kind)) return false;
  if (a.begin >= b.end || b.begin >= a.end || !Share(a.spec.trials, b.spec.trials)) return false;
  if (SiteOf(a.spec.kind) == Site::kNone) return true;
  std::vector<int> common;
  std::set_intersection(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                        std::back_inserter(common));
  return !common.empty();
}

std::string FaultYaml(const Fault& fault) {
  std::string text = fmt::format("  - {{fault: {}", NameOf(fault.kind));
  if (SiteOf(fault.kind) != Site::kNone)
    text += fmt::format(", target: {}",
                        Json(fault.target).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!fault.trials.empty()) text += fmt::format(", trials: [{}]", fmt::join(fault.trials, ", "));
  text += fmt::format(", from: {} s", fault.from);
  if (fault.duration) text += fmt::format(", for: {} s", *fault.duration);
  if (fault.kind == FaultKind::kVoltageDrops) text += fmt::format(", to: {}", fault.amount);
  if (fault.kind == FaultKind::kSensorJumps) {
    text += fmt::format(", by: {}", fault.amount);
    if (!fault.dimension.empty()) text += fmt::format(" {}", SiUnit(fault.dimension));
  }
  if (fault.probability != 1.0) text += fmt::format(", probability: {}", fault.probability);
  return text + "}\n";
}

}  // namespace

const char* NameOf(FaultKind kind) { return NameIn<FaultKind>(kNames, kind); }

std::string BoundFault::Text() const {
  if (spec.target.empty()) return NameOf(spec.kind);
  return fmt::format("{} of '{}'", NameOf(spec.kind), spec.target);
}

Result<FaultScript> LoadFaults(const std::string& path) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Load(path));
  return ReadScript(document, path);
}

Result<FaultScript> ParseFaults(std::string_view text, const std::string& name) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Parse(text, name));
  return ReadScript(document, name);
}

std::string ToYaml(const FaultScript& script) {
  std::string text = script.faults.empty() ? "faults: []\n" : "faults:\n";
  for (const Fault& fault : script.faults) text += FaultYaml(fault);
  return text;
}

Result<std::vector<BoundFault>> BindFaults(const FaultScript& script, const FaultSites& sites,
                                           double control_period) {
  YamlErrors errors(script.file);
  std::vector<BoundFault> bound;
  for (const Fault& fault : script.faults) {
    BoundFault one{fault, {}, 0, kNeverEnds};
    FindTargets(sites, one, errors);
    PlaceInTime(control_period, one, errors);
    for (const BoundFault& earlier : bound) {
      if (!Contradict(earlier, one)) continue;
      errors.Add(fault.line,
                 fmt::format("{} contradicts {} in line {}: both act at one time of one trial",
                             one.Text(), earlier.Text(), earlier.spec.line));
    }
    bound.push_back(std::move(one));
  }
  RW_TRY(errors.status());
  return bound;
}

bool Happens(const Fault& fault, std::size_t index, std::uint64_t seed, std::uint32_t unit,
             std::int64_t trial) {
  if (!fault.trials.empty() &&
      std::find(fault.trials.begin(), fault.trials.end(), trial) == fault.trials.end())
    return false;
  if (fault.probability >= 1.0) return true;
  Stream stream({seed, Purpose::kFault, unit, 0, static_cast<std::uint64_t>(trial), index});
  return stream.Uniform() < fault.probability;
}

}  // namespace realward
