#include "spec/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "spec/model_facts.h"
#include "spec/model_import.h"
#include "spec/yaml_reader.h"

namespace realward {
namespace {

constexpr std::array<Named<ObservationKind>, 6> kObservationNames = {{
    {ObservationKind::kPosition, "position"},
    {ObservationKind::kVelocity, "velocity"},
    {ObservationKind::kSin, "sin"},
    {ObservationKind::kCos, "cos"},
    {ObservationKind::kLastAction, "last_action"},
    {ObservationKind::kSensor, "sensor"},
}};
constexpr std::array<Named<RewardKind>, 8> kRewardNames = {{
    {RewardKind::kCosTo, "cos_to"},
    {RewardKind::kNear, "near"},
    {RewardKind::kVelocity, "velocity"},
    {RewardKind::kVelocitySquared, "velocity_squared"},
    {RewardKind::kActionSquared, "action_squared"},
    {RewardKind::kActionRateSquared, "action_rate_squared"},
    {RewardKind::kAlive, "alive"},
    {RewardKind::kSuccess, "success"},
}};
constexpr std::array<Named<ConditionKind>, 4> kConditionNames = {{
    {ConditionKind::kNear, "near"},
    {ConditionKind::kSlow, "slow"},
    {ConditionKind::kPositionAbove, "position_above"},
    {ConditionKind::kVelocityAbove, "velocity_above"},
}};
template <class E, std::size_t N>
std::span<const Named<E>> Table(const std::array<Named<E>, N>& names) {
  return names;
}

bool UsesJoint(RewardKind kind) {
  return kind == RewardKind::kCosTo || kind == RewardKind::kNear || kind == RewardKind::kVelocity ||
         kind == RewardKind::kVelocitySquared;
}
bool IsLimit(ConditionKind kind) {
  return kind == ConditionKind::kPositionAbove || kind == ConditionKind::kVelocityAbove;
}
bool IsAboutPosition(ConditionKind kind) {
  return kind == ConditionKind::kNear || kind == ConditionKind::kPositionAbove;
}

// The joint that a term names. Of unknown type when there is no model to ask, or after an error.
JointFacts ReadJoint(YamlMap& map, const ModelFacts* facts, bool hinge_only = false) {
  JointFacts joint;
  joint.name = map.Text("joint");
  const auto place = map.Optional("joint");
  if (facts == nullptr || joint.name.empty() || !place) return joint;
  const JointFacts* found = FindJoint(*facts, joint.name);
  if (found == nullptr) {
    place->Fail(
        facts->joints.empty()
            ? "the model has no joints"
            : fmt::format("the model has no joint {}; nearest valid: {}", Quoted(joint.name),
                          JoinChoices(NearestNames(joint.name.substr(0, 60), JointNames(*facts)))));
    return joint;
  }
  if (found->type == JointType::kOther) {
    place->Fail(fmt::format("{} is a ball or free joint; terms need a hinge or a slide",
                            Quoted(joint.name)));
    return joint;
  }
  if (hinge_only && found->type == JointType::kSlide) {
    place->Fail(
        fmt::format("{} is a slide; this term needs the angle of a hinge", Quoted(joint.name)));
  }
  return *found;
}

// The sensor that a term names.
std::string ReadSensor(YamlMap& map, const ModelFacts* facts) {
  const std::string name = map.Text("sensor");
  const auto place = map.Optional("sensor");
  if (facts == nullptr || name.empty() || !place) return name;
  const auto& known = facts->sensors;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    place->Fail(known.empty()
                    ? "the model has no accelerometer, gyro, velocimeter, force or torque sensor "
                      "with a name"
                    : fmt::format("the model has no such sensor {}; nearest valid: {}",
                                  Quoted(name),
                                  JoinChoices(NearestNames(name.substr(0, 60), known))));
  }
  return name;
}

// The unit of a command: torque or force of a motor, its voltage, the target of a servo.
NumberRule CommandRule() {
  return AnyNumber(
      {"torque", "force", "voltage", "angle", "length", "angular_velocity", "velocity", "ratio"});
}

// Without a range in the file: the model's control range, or else that of the joint that a position
// servo holds. A control range (0, 0) of an actuator without limits is none.
void TakeActionRange(YamlMap& map, const ActuatorFacts& actuator, TaskSpec& task,
                     ActionTerm& term) {
  if (!actuator.limited && !actuator.has_joint_range) {
    map.Fail(
        fmt::format("has no 'range', and actuator {} has no ctrlrange in the model, nor its joint "
                    "a range for a "
                    "position servo to take; give one",
                    Quoted(term.actuator)));
    return;
  }
  term.low = actuator.limited ? actuator.low : actuator.joint_low;
  term.high = actuator.limited ? actuator.high : actuator.joint_high;
  if (!actuator.limited) {
    task.notes.push_back(
        fmt::format("actuator '{}' has no ctrlrange; its action spans the range [{}, {}] of its "
                    "joint",
                    term.actuator, term.low, term.high));
  }
}

void ReadActionRange(YamlMap& map, const ActuatorFacts* actuator, TaskSpec& task,
                     ActionTerm& term) {
  const auto place = map.Optional("range");
  if (!place) {
    if (actuator != nullptr) TakeActionRange(map, *actuator, task, term);
    return;
  }
  const auto range = place->Range(CommandRule());
  if (!range) return;
  term.low = range->low;
  term.high = range->high;
  if (!(term.low < term.high)) {
    place->Fail(fmt::format("both ends are {}; the action would have no effect", term.low));
  } else if (actuator != nullptr && actuator->limited &&
             (term.low < actuator->low || term.high > actuator->high)) {
    place->Fail(
        fmt::format("[{}, {}] leaves the ctrlrange [{}, {}] of actuator {}, which would clip it",
                    term.low, term.high, actuator->low, actuator->high, Quoted(term.actuator)));
  }
}

void ReadActions(YamlMap& task_map, const ModelFacts* facts, TaskSpec& task) {
  std::set<std::string> seen;
  const auto items = task_map.Items("actions", true);
  for (const YamlValue& item : items) {
    YamlMap map(item);
    ActionTerm term;
    term.actuator = map.Text("actuator");
    const ActuatorFacts* actuator =
        facts != nullptr ? FindActuator(*facts, term.actuator) : nullptr;
    const auto place = map.Optional("actuator");
    if (place && !term.actuator.empty()) {
      if (facts != nullptr && actuator == nullptr) {
        place->Fail(UnknownName("actuator", term.actuator, ActuatorNames(*facts)));
      }
      if (!seen.insert(term.actuator).second) {
        place->Fail(fmt::format("{} stands twice in actions", Quoted(term.actuator)));
      }
    }
    ReadActionRange(map, actuator, task, term);
    task.actions.push_back(term);
  }
  const auto place = task_map.Optional("actions");
  if (place && place->is_sequence() && items.empty()) place->Fail("needs at least one actuator");
}

void ReadObservations(YamlMap& task_map, const ModelFacts* facts, TaskSpec& task) {
  constexpr int kMaxHistory = 1000;
  const auto items = task_map.Items("observations", true);
  for (const YamlValue& item : items) {
    YamlMap map(item);
    const auto kind = map.Choice<ObservationKind>("term", Table(kObservationNames));
    if (!kind) {
      map.Abandon();
      continue;
    }
    ObservationTerm term;
    term.kind = *kind;
    if (*kind == ObservationKind::kSensor) {
      term.sensor = ReadSensor(map, facts);
    } else if (*kind != ObservationKind::kLastAction) {
      const bool hinge_only = *kind == ObservationKind::kSin || *kind == ObservationKind::kCos;
      term.joint = ReadJoint(map, facts, hinge_only).name;
    }
    term.scale = map.Number("scale", AnyNumber(), term.scale);
    if (term.scale == 0.0) map.Optional("scale")->Fail("0 would hide the value");
    term.clip = map.Number("clip", Positive(), term.clip);
    term.history = static_cast<int>(map.Whole("history", 1, kMaxHistory, term.history));
    task.observations.push_back(term);
  }
  const auto place = task_map.Optional("observations");
  if (place && place->is_sequence() && items.empty()) place->Fail("needs at least one term");
}

void ReadRewards(YamlMap& task_map, const ModelFacts* facts, TaskSpec& task) {
  for (const YamlValue& item : task_map.Items("reward", true)) {
    YamlMap map(item);
    const auto kind = map.Choice<RewardKind>("term", Table(kRewardNames));
    if (!kind) {
      map.Abandon();
      continue;
    }
    RewardTerm term;
    term.kind = *kind;
    if (UsesJoint(*kind)) {
      const JointFacts joint = ReadJoint(map, facts, *kind == RewardKind::kCosTo);
      term.joint = joint.name;
      const auto position = PositionDimensions(joint.type);
      if (*kind == RewardKind::kCosTo || *kind == RewardKind::kNear) {
        term.target = map.Number("target", AnyNumber(position));
      }
      if (*kind == RewardKind::kNear) term.within = map.Number("within", Positive(position));
    }
    if (*kind == RewardKind::kSuccess && task.success.empty()) {
      map.Fail("there are no success conditions that could hold");
    }
    term.weight = map.Number("weight", AnyNumber(), term.weight);
    task.rewards.push_back(term);
  }
}

std::vector<Condition> ReadConditions(const std::vector<YamlValue>& items,
                                      const ModelFacts* facts) {
  std::vector<Condition> conditions;
  for (const YamlValue& item : items) {
    YamlMap map(item);
    const auto kind = map.Choice<ConditionKind>("when", Table(kConditionNames));
    if (!kind) {
      map.Abandon();
      continue;
    }
    Condition condition;
    condition.kind = *kind;
    const JointFacts joint = ReadJoint(map, facts);
    condition.joint = joint.name;
    const auto dimensions =
        IsAboutPosition(*kind) ? PositionDimensions(joint.type) : VelocityDimensions(joint.type);
    if (*kind == ConditionKind::kNear)
      condition.target = map.Number("target", AnyNumber(dimensions));
    condition.within = map.Number(IsLimit(*kind) ? "limit" : "within", Positive(dimensions));
    conditions.push_back(condition);
  }
  return conditions;
}

void ReadSuccess(YamlMap& task_map, const ModelFacts* facts, TaskSpec& task) {
  const auto value = task_map.Required("success");
  if (!value) return;
  YamlMap map(*value);
  if (!value->is_map()) return;
  task.success = ReadConditions(map.Items("all", true), facts);
  task.success_hold = map.Number("hold", NonNegative({"time"}), 0.0);
  if (task.horizon > 0.0 && task.success_hold > task.horizon) {
    map.Optional("hold")->Fail(
        fmt::format("{} s is longer than the horizon of {} s", task.success_hold, task.horizon));
  }
}

void ReadResets(YamlMap& task_map, const std::string& key, const ModelFacts* facts,
                std::vector<ResetTerm>& resets) {
  std::set<std::string> seen;
  for (const YamlValue& item : task_map.Items(key, false)) {
    YamlMap map(item);
    const JointFacts joint = ReadJoint(map, facts);
    ResetTerm term{.joint = joint.name, .position_low = joint.rest, .position_high = joint.rest};
    if (!joint.name.empty() && !seen.insert(joint.name).second) {
      map.Fail(fmt::format("joint {} stands twice in {}", Quoted(joint.name), key));
    }
    const auto position = map.Optional("position");
    const auto range =
        position ? position->Range(AnyNumber(PositionDimensions(joint.type))) : std::nullopt;
    if (range) {
      term.position_low = range->low;
      term.position_high = range->high;
      if (joint.limited && (range->low < joint.low || range->high > joint.high)) {
        position->Fail(fmt::format("[{}, {}] leaves the range [{}, {}] of joint {} (SI)",
                                   range->low, range->high, joint.low, joint.high,
                                   Quoted(joint.name)));
      }
    }
    const auto velocity = map.Optional("velocity");
    const auto speeds =
        velocity ? velocity->Range(AnyNumber(VelocityDimensions(joint.type))) : std::nullopt;
    if (speeds) {
      term.velocity_low = speeds->low;
      term.velocity_high = speeds->high;
    }
    resets.push_back(term);
  }
}

void CheckPeriod(const YamlValue& place, double period, double timestep) {
  constexpr double kRounding = 1e-6;  // of a step
  const double steps = period / timestep;
  if (std::round(steps) >= 1.0 && std::abs(steps - std::round(steps)) <= kRounding) return;
  place.Fail(
      fmt::format("the control period {} s is no whole multiple of the model's time step {} s "
                  "({:.6g} steps)",
                  period, timestep, steps));
}

// A file says control_rate or control_period.
void ReadTimes(YamlMap& map, const ModelFacts* facts, TaskSpec& task) {
  const auto rate_value = map.Optional("control_rate");
  const auto period_value = map.Optional("control_period");
  if (rate_value.has_value() == period_value.has_value()) {
    map.Fail("needs either key 'control_rate' or key 'control_period'");
  }
  std::optional<double> period;
  if (period_value) {
    const auto read = period_value->Number(Positive({"time"}));
    if (read) period = read->value;
  } else if (rate_value) {
    const auto read = rate_value->Number(Positive({"frequency"}));
    if (read) period = 1.0 / read->value;
  }
  task.horizon = map.Number("horizon", Positive({"time"}));
  if (!period) return;
  task.control_period = *period;
  if (facts != nullptr)
    CheckPeriod(rate_value ? *rate_value : *period_value, *period, facts->timestep);
  if (task.horizon > 0.0 && task.horizon < *period) {
    map.Optional("horizon")->Fail(
        fmt::format("{} s is shorter than one control period of {} s", task.horizon, *period));
  }
}

void ReadKeyframe(YamlMap& map, const ModelFacts* facts, TaskSpec& task) {
  const auto place = map.Optional("keyframe");
  if (!place) return;
  task.keyframe = place->Text().value_or("");
  if (facts == nullptr || task.keyframe.empty()) return;
  const auto& known = facts->keyframes;
  if (std::find(known.begin(), known.end(), task.keyframe) != known.end()) return;
  place->Fail(known.empty() ? "the model has no keyframes"
                            : UnknownName("keyframe", task.keyframe, known));
}

void ReadTerms(YamlMap& map, const ModelFacts* facts, TaskSpec& task) {
  task.name = map.Text("task");
  ReadTimes(map, facts, task);
  ReadActions(map, facts, task);
  ReadObservations(map, facts, task);
  ReadSuccess(map, facts, task);
  ReadRewards(map, facts, task);
  ReadKeyframe(map, facts, task);
  task.terminations = ReadConditions(map.Items("terminate", false), facts);
  ReadResets(map, "reset", facts, task.resets);
  ReadResets(map, "train_reset", facts, task.train_resets);
}

// The facts of the model that the file names; nothing, and an error, when it does not compile.
std::optional<ModelFacts> ReadModel(YamlMap& map, const std::string& file, TaskSpec& task) {
  const std::string name = map.Text("model");
  if (name.empty()) return std::nullopt;
  task.model_path = PathBeside(file, name);
  const auto place = map.Optional("model");
  const auto hash = HashFile(task.model_path);
  if (!hash.ok()) {
    place->Fail(hash.error().message);
    return std::nullopt;
  }
  task.model_hash = *hash;
  const auto model = ImportModel(task.model_path);
  if (!model.ok()) {
    place->Fail(model.error().message);
    return std::nullopt;
  }
  return FactsOf(**model);
}

Json ConditionsJson(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& condition : conditions) {
    Json json = {{"when", NameIn(Table(kConditionNames), condition.kind)},
                 {"joint", condition.joint},
                 {IsLimit(condition.kind) ? "limit" : "within", condition.within}};
    if (condition.kind == ConditionKind::kNear) json["target"] = condition.target;
    list.push_back(std::move(json));
  }
  return list;
}

Json ObservationJson(const ObservationTerm& term) {
  Json json = {{"term", NameIn(Table(kObservationNames), term.kind)},
               {"scale", term.scale},
               {"clip", term.clip},
               {"history", term.history}};
  if (term.kind == ObservationKind::kSensor) {
    json["sensor"] = term.sensor;
  } else if (term.kind != ObservationKind::kLastAction) {
    json["joint"] = term.joint;
  }
  return json;
}

Json RewardJson(const RewardTerm& term) {
  Json json = {{"term", NameIn(Table(kRewardNames), term.kind)}, {"weight", term.weight}};
  if (UsesJoint(term.kind)) json["joint"] = term.joint;
  if (term.kind == RewardKind::kCosTo || term.kind == RewardKind::kNear)
    json["target"] = term.target;
  if (term.kind == RewardKind::kNear) json["within"] = term.within;
  return json;
}

Json ResetsJson(const std::vector<ResetTerm>& resets) {
  Json list = Json::array();
  for (const ResetTerm& term : resets) {
    list.push_back({{"joint", term.joint},
                    {"position", Json::array({term.position_low, term.position_high})},
                    {"velocity", Json::array({term.velocity_low, term.velocity_high})}});
  }
  return list;
}

}  // namespace

Result<TaskSpec> LoadTask(const std::string& path) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::Load(path));
  TaskSpec task;
  {
    YamlMap map(document.root());
    const auto facts = ReadModel(map, path, task);
    ReadTerms(map, facts ? &*facts : nullptr, task);
  }
  RW_TRY(document.status());
  return task;
}

Json ToJson(const TaskSpec& task) {
  Json json = {{"task", task.name},
               {"model_hash", task.model_hash},
               {"control_period", task.control_period},
               {"horizon", task.horizon},
               {"actions", Json::array()},
               {"observations", Json::array()},
               {"reward", Json::array()},
               {"terminate", ConditionsJson(task.terminations)},
               {"success", {{"hold", task.success_hold}, {"all", ConditionsJson(task.success)}}}};
  for (const ActionTerm& term : task.actions) {
    json["actions"].push_back(
        {{"actuator", term.actuator}, {"range", Json::array({term.low, term.high})}});
  }
  for (const ObservationTerm& term : task.observations) {
    json["observations"].push_back(ObservationJson(term));
  }
  for (const RewardTerm& term : task.rewards) json["reward"].push_back(RewardJson(term));
  if (!task.keyframe.empty()) json["keyframe"] = task.keyframe;
  json["reset"] = ResetsJson(task.resets);
  if (!task.train_resets.empty()) json["train_reset"] = ResetsJson(task.train_resets);
  return json;
}

Result<TaskSpec> TaskFromJson(const Json& json) {
  RW_ASSIGN(const YamlDocument document, YamlDocument::FromJson(json, "task"));
  TaskSpec task;
  {
    YamlMap map(document.root());
    task.model_hash = map.Text("model_hash");
    ReadTerms(map, nullptr, task);
  }
  RW_TRY(document.status());
  for (const ActionTerm& term : task.actions) {
    if (term.low < term.high) continue;
    return InvalidInput(fmt::format("task: action {} has no 'range', and no model to take it from",
                                    Quoted(term.actuator)));
  }
  return task;
}

}  // namespace realward
