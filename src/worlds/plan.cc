#include "worlds/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "worlds/draw.h"

namespace realward {
namespace {

double Operate(Operation operation, double before, double value) {
  switch (operation) {
    case Operation::kSet:
      return value;
    case Operation::kScale:
      return before * value;
    case Operation::kAdd:
      return before + value;
  }
  return value;
}

// All that is reached from anywhere in `before` by any draw.
Support Operate(Operation operation, Support before, Support draw) {
  const double corners[] = {
      Operate(operation, before.low, draw.low), Operate(operation, before.low, draw.high),
      Operate(operation, before.high, draw.low), Operate(operation, before.high, draw.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

std::vector<std::string> TargetNames(const mjModel& model, TargetKind target) {
  switch (target) {
    case TargetKind::kBody:
      return ObjectNames(model, mjOBJ_BODY);
    case TargetKind::kJoint:
      return ObjectNames(model, mjOBJ_JOINT);
    case TargetKind::kGeom:
      return ObjectNames(model, mjOBJ_GEOM);
    case TargetKind::kActuator:
      return ObjectNames(model, mjOBJ_ACTUATOR);
    case TargetKind::kChannel:
      return ChannelNames(model);
    case TargetKind::kWorld:
      return {"world"};
  }
  return {};
}

// "file:line: parameter 'x'"
std::string Where(const GapSpec& spec, const GapParameter& parameter) {
  const std::string file = spec.file.empty() ? "gap spec " + spec.name : spec.file;
  return parameter.line > 0
             ? fmt::format("{}:{}: parameter '{}'", file, parameter.line, parameter.name)
             : fmt::format("{}: parameter '{}'", file, parameter.name);
}

// Several errors as one.
class Errors {
 public:
  void Add(const std::string& message) {
    if (!text_.empty()) text_ += "\n";
    text_ += message;
  }
  void Add(const Status& status) {
    if (!status.ok()) Add(status.error().message);
  }
  Status status() const { return text_.empty() ? Status() : Status(InvalidInput(text_)); }

 private:
  std::string text_;
};

// What is reached from a number's nominal by the writes so far. Mass carries inertia.
class Reach {
 public:
  explicit Reach(const WorldValues& nominal) : nominal_(nominal) {}

  Support Of(const WorldScalar& scalar) const {
    const auto found = reached_.find(scalar);
    if (found != reached_.end()) return found->second;
    const double value = Read(scalar, nominal_);
    return {value, value};
  }
  void Set(const WorldScalar& scalar, Support after) {
    if (scalar.slot == Slot::kMass) {
      WorldScalar inertia = scalar;
      inertia.slot = Slot::kInertia;
      const Support before = Of(scalar);
      reached_[inertia] = Operate(Operation::kScale, Of(inertia),
                                  {after.low / before.high, after.high / before.low});
    }
    reached_[scalar] = after;
  }

 private:
  WorldValues nominal_;
  std::map<WorldScalar, Support> reached_;
};

// How far a drift has gone: the draw is a rate per `drift_per`.
double Elapsed(const GapParameter& parameter, const WorldSettings& world) {
  const double since = parameter.drift == DriftDriver::kTemperature
                           ? world.temperature - kReferenceTemperature
                           : world.hours;
  return since / parameter.drift_per;
}

WorldScalar WorldScalarOf(double WorldSettings::*member) {
  const auto kinds = WorldSettingKinds();
  int row = 0;
  while (kinds[row].member != member) ++row;
  return {Slot::kWorldSetting, ModelField::kGravity, 0, row};
}

// What a draw amounts to over all operating conditions that the spec can reach.
Support Drifted(const GapParameter& parameter, Support drawn, const Reach& reach) {
  if (parameter.level != Level::kDrift) return drawn;
  const bool heat = parameter.drift == DriftDriver::kTemperature;
  const Support condition =
      reach.Of(WorldScalarOf(heat ? &WorldSettings::temperature : &WorldSettings::hours));
  WorldSettings low, high;
  low.hours = low.temperature = condition.low;
  high.hours = high.temperature = condition.high;
  const Support elapsed = {Elapsed(parameter, low), Elapsed(parameter, high)};
  Support amount = Operate(Operation::kScale, elapsed, drawn);
  if (parameter.operation == Operation::kScale) {
    amount.low += 1.0;
    amount.high += 1.0;
  }
  return amount;
}

}  // namespace

Result<WorldPlan> WorldPlan::Make(const mjModel& model, const GapSpec& spec) {
  WorldPlan plan;
  plan.spec_ = spec;
  plan.nominal_ = std::make_shared<const WorldStore>(model);
  plan.model_ = std::shared_ptr<const mjModel>(CopyModel(model).release(), ModelDeleter{});
  Errors errors;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i)
    errors.Add(plan.AddTargets(model, static_cast<int>(i)));
  // Drift depends on the operating conditions, wherever they stand in the file.
  std::stable_partition(plan.writes_.begin(), plan.writes_.end(), [](const Write& write) {
    return write.scalar.slot == Slot::kWorldSetting;
  });
  errors.Add(plan.CheckConflicts());
  errors.Add(plan.CheckRanges(model));
  RW_TRY(errors.status());
  for (ModelField field : plan.touched_) plan.needs_set_const_ |= FeedsSetConst(field);
  return plan;
}

Status WorldPlan::AddTargets(const mjModel& model, int index) {
  const GapParameter& parameter = spec_.parameters[index];
  const GapKind* kind = FindGapKind(parameter.kind);
  RW_CHECK(kind != nullptr);  // the spec's reader refuses unknown kinds
  const std::string where = Where(spec_, parameter);
  const std::vector<std::string> names = TargetNames(model, kind->target);
  std::vector<std::string> patterns = parameter.targets;
  if (kind->target == TargetKind::kWorld) patterns = {"world"};
  if (patterns.empty())
    return InvalidInput(fmt::format("{}: no target; valid: {}", where, JoinChoices(names)));
  std::map<int, WorldScalar> found;  // by target, so that one that is named twice is written once
  for (const std::string& pattern : patterns) {
    const bool named = std::find(names.begin(), names.end(), pattern) != names.end();
    const bool glob = !named && pattern.find_first_of("*?") != std::string::npos;
    if (!named && !glob)
      return InvalidInput(
          fmt::format("{}: {}", where, UnknownName(NameOf(kind->target), pattern, names)));
    bool any = false;
    std::string why_not;
    for (std::size_t id = 0; id < names.size(); ++id) {
      if (named ? names[id] != pattern : !GlobMatch(pattern, names[id])) continue;
      const Result<WorldScalar> scalar = FindScalar(model, parameter.kind, static_cast<int>(id));
      if (scalar.ok()) {
        any = true;
        found.emplace(static_cast<int>(id), *scalar);
      } else if (why_not.empty()) {
        why_not = fmt::format("{}: target '{}' {}", where, names[id], scalar.error().message);
      }
    }
    if (any) continue;
    if (!why_not.empty()) return InvalidInput(why_not);
    return InvalidInput(fmt::format("{}: target '{}' matches no {}; there are: {}", where, pattern,
                                    NameOf(kind->target), JoinChoices(names)));
  }
  for (const auto& [id, scalar] : found) {
    writes_.push_back({index, parameter.operation, scalar, names[id]});
    for (const auto& [field, entry] : EntriesOf(scalar)) Touch(model, field, entry);
  }
  if (parameter.kind.starts_with("battery_")) {  // lowers every force that is limited
    for (int i = 0; i < 2 * model.nu; ++i) Touch(model, ModelField::kActuatorForcerange, i);
  }
  return {};
}

void WorldPlan::Touch(const mjModel& model, ModelField field, int index) {
  if (std::find(touched_.begin(), touched_.end(), field) == touched_.end())
    touched_.push_back(field);
  for (const Entry& entry : entries_) {
    if (entry.field == field && entry.index == index) return;
  }
  const FieldRows rows = RowsOf(const_cast<mjModel&>(model));  // only read
  double nominal = rows[static_cast<int>(field)][index];
  if (field == ModelField::kActuatorForcerange && model.actuator_forcelimited[index / 2] == 0)
    nominal = index % 2 == 0 ? -kUnlimitedForce : kUnlimitedForce;
  entries_.push_back({field, index, nominal});
}

void WorldPlan::Prepare(mjModel& model) const {
  for (const Entry& entry : entries_) {
    if (entry.field != ModelField::kActuatorForcerange) continue;
    model.actuator_forcelimited[entry.index / 2] = 1;
    model.actuator_forcerange[entry.index] = entry.nominal;
  }
}

bool WorldPlan::Uses(Slot slot) const {
  return std::any_of(writes_.begin(), writes_.end(),
                     [&](const Write& write) { return write.scalar.slot == slot; });
}
bool WorldPlan::Uses(double ActuatorSettings::*member) const {
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.scalar.slot == Slot::kActuatorSetting &&
           ActuatorSettingKinds()[write.scalar.member].member == member;
  });
}
bool WorldPlan::Uses(double ChannelSettings::*member) const {
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.scalar.slot == Slot::kChannelSetting &&
           ChannelSettingKinds()[write.scalar.member].member == member;
  });
}
bool WorldPlan::Uses(double WorldSettings::*member) const {
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.scalar.slot == Slot::kWorldSetting &&
           WorldSettingKinds()[write.scalar.member].member == member;
  });
}

// Two kinds may share one number (a joint's zero offset and its channel's bias); setting it would
// drop what the other kind wrote.
Status WorldPlan::CheckConflicts() const {
  Errors errors;
  std::map<WorldScalar, const GapParameter*> first;
  for (const Write& write : writes_) {
    const GapParameter& parameter = spec_.parameters[write.parameter];
    const GapParameter* before = first.emplace(write.scalar, &parameter).first->second;
    if (before->kind == parameter.kind || write.operation != Operation::kSet) continue;
    errors.Add(
        fmt::format("{}: target '{}' is already changed by parameter '{}' ({}), which this would "
                    "overwrite; use "
                    "the operation add",
                    Where(spec_, parameter), write.target, before->name, before->kind));
  }
  return errors.status();
}

// Refuses a parameter that can leave its kind's physical limits, whatever it and the parameters
// before it draw.
Status WorldPlan::CheckRanges(const mjModel& model) const {
  ModelPtr copy = CopyModel(model);
  WorldStore store = *nominal_;
  Reach reach(store.On(RowsOf(*copy)));
  Errors errors;
  for (const Write& write : writes_) {
    const GapParameter& parameter = spec_.parameters[write.parameter];
    const GapKind& kind = *FindGapKind(parameter.kind);
    const Support before = reach.Of(write.scalar);
    const std::string where = fmt::format("{}: target '{}'", Where(spec_, parameter), write.target);
    if (write.operation == Operation::kScale && before.low == 0.0 && before.high == 0.0) {
      errors.Add(where +
                 " has the nominal 0, and scaling it changes nothing; use the operation "
                 "set or add");
      continue;
    }
    if (before.low == kNoLimit && write.operation != Operation::kSet) {
      errors.Add(fmt::format("{} has no limit of its own to {}; use the operation set", where,
                             NameOf(write.operation)));
      continue;
    }
    const Support drawn = SupportOf(parameter.distribution);
    const Support after = Operate(write.operation, before, Drifted(parameter, drawn, reach));
    const bool too_low = kind.lowest_open ? !(after.low > kind.lowest) : after.low < kind.lowest;
    if (too_low || after.high > kind.highest) {
      errors.Add(
          fmt::format("{} could become {:.6g} … {:.6g} (before it acts: {:.6g} … {:.6g}); valid "
                      "for {}: {}{:.6g} "
                      "… {:.6g}",
                      where, after.low, after.high, before.low, before.high, kind.name,
                      kind.lowest_open ? "above " : "", kind.lowest, kind.highest));
      continue;
    }
    reach.Set(write.scalar, after);
  }
  return errors.status();
}

void WorldPlan::RestoreNominal(const WorldValues& world) const {
  for (const Entry& entry : entries_)
    world.rows[static_cast<int>(entry.field)][entry.index] = entry.nominal;
  std::copy_n(nominal_->actuators.begin(), world.actuators.size(), world.actuators.begin());
  std::copy_n(nominal_->joints.begin(), world.joints.size(), world.joints.begin());
  std::copy_n(nominal_->channels.begin(), world.channels.size(), world.channels.begin());
  if (world.world != nullptr) *world.world = nominal_->world;
}

// What the operation is given: the draw, or what a drift has come to.
double WorldPlan::Amount(const Write& write, double drawn, const WorldSettings& world) const {
  const GapParameter& parameter = spec_.parameters[write.parameter];
  if (parameter.level != Level::kDrift) return drawn;
  const double amount = drawn * Elapsed(parameter, world);
  return write.operation == Operation::kScale ? 1.0 + amount : amount;
}

void WorldPlan::ApplyOne(const Write& write, std::span<const double> values,
                         const WorldValues& world, double strength) const {
  const double before = Read(write.scalar, world);
  const WorldSettings& conditions = world.world != nullptr ? *world.world : nominal_->world;
  const double amount = Amount(write, values[write.parameter], conditions);
  double after = Operate(write.operation, before, amount);
  if (strength < 1.0 && std::isfinite(before)) after = before + strength * (after - before);
  Store(write.scalar, after, world);
}

void WorldPlan::Apply(std::span<const double> values, const WorldValues& world,
                      double strength) const {
  RestoreNominal(world);
  if (strength <= 0.0) return;
  for (const Write& write : writes_) ApplyOne(write, values, world, strength);
}

std::vector<AppliedValue> WorldPlan::Explain(std::span<const double> values) const {
  ModelPtr copy = CopyModel(*model_);
  WorldStore store = *nominal_;
  const WorldValues world = store.On(RowsOf(*copy));
  RestoreNominal(world);
  std::vector<AppliedValue> applied;
  for (const Write& write : writes_) {
    const double before = Read(write.scalar, world);
    ApplyOne(write, values, world, 1.0);
    applied.push_back({spec_.parameters[write.parameter].name, write.target, before,
                       values[write.parameter], Read(write.scalar, world)});
  }
  return applied;
}

}  // namespace realward
