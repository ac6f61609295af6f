#include "sim/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/text.h"

namespace realward {
namespace {

double Difference(double q, double target, bool wrap) {
  const double d = q - target;
  return wrap ? std::remainder(d, 2.0 * std::numbers::pi) : d;
}

struct JointAddress {
  int qpos = 0;
  int dof = 0;
  bool wrap = false;
};

Result<JointAddress> FindJoint(const mjModel& model, const std::string& name) {
  const std::vector<std::string> names = ObjectNames(model, mjOBJ_JOINT);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return InvalidInput(UnknownName("joint", name, names));
  const int id = static_cast<int>(found - names.begin());
  if (model.jnt_type[id] != mjJNT_HINGE && model.jnt_type[id] != mjJNT_SLIDE) {
    return InvalidInput(
        fmt::format("joint '{}' is a ball or free joint; terms read hinge and slide joints", name));
  }
  return JointAddress{model.jnt_qposadr[id], model.jnt_dofadr[id],
                      model.jnt_type[id] == mjJNT_HINGE && !model.jnt_limited[id]};
}

Result<CompiledCondition> CompileCondition(const mjModel& model, const Condition& condition) {
  RW_ASSIGN(const JointAddress at, FindJoint(model, condition.joint));
  return CompiledCondition{condition.kind, at.qpos,          at.dof,
                           at.wrap,        condition.target, condition.within};
}

bool NeedsJoint(RewardKind kind) {
  return kind == RewardKind::kCosTo || kind == RewardKind::kNear || kind == RewardKind::kVelocity ||
         kind == RewardKind::kVelocitySquared;
}

}  // namespace

bool Holds(const CompiledCondition& c, const mjtNum* qpos, const mjtNum* qvel) {
  switch (c.kind) {
    case ConditionKind::kNear:
      return std::abs(Difference(qpos[c.qpos], c.target, c.wrap)) <= c.within;
    case ConditionKind::kSlow:
      return std::abs(qvel[c.dof]) <= c.within;
    case ConditionKind::kPositionAbove:
      return std::abs(qpos[c.qpos]) > c.within;
    case ConditionKind::kVelocityAbove:
      return std::abs(qvel[c.dof]) > c.within;
  }
  return false;
}

double RewardValue(const CompiledReward& r, const mjtNum* qpos, const mjtNum* qvel,
                   std::span<const float> action, std::span<const float> previous,
                   bool success_now) {
  double value = 0.0;
  switch (r.kind) {
    case RewardKind::kCosTo:
      value = 0.5 * (1.0 + std::cos(qpos[r.qpos] - r.target));
      break;
    case RewardKind::kNear: {
      const double z = Difference(qpos[r.qpos], r.target, r.wrap) / r.within;
      value = std::exp(-z * z);
      break;
    }
    case RewardKind::kVelocity:
      value = qvel[r.dof];
      break;
    case RewardKind::kVelocitySquared:
      value = qvel[r.dof] * qvel[r.dof];
      break;
    case RewardKind::kActionSquared:
      for (float a : action) value += static_cast<double>(a) * a;
      break;
    case RewardKind::kActionRateSquared:
      for (std::size_t i = 0; i < action.size(); ++i) {
        const double d = static_cast<double>(action[i]) - previous[i];
        value += d * d;
      }
      break;
    case RewardKind::kAlive:
      value = 1.0;
      break;
    case RewardKind::kSuccess:
      value = success_now ? 1.0 : 0.0;
      break;
  }
  return r.weight * value;
}

Result<TaskTerms> CompileTerms(const mjModel& model, const TaskSpec& task) {
  TaskTerms terms;
  for (const RewardTerm& reward : task.rewards) {
    CompiledReward compiled{reward.kind, 0, 0, false, reward.target, reward.within, reward.weight};
    if (NeedsJoint(reward.kind)) {
      RW_ASSIGN(const JointAddress at, FindJoint(model, reward.joint));
      compiled.qpos = at.qpos;
      compiled.dof = at.dof;
      compiled.wrap = at.wrap;
    }
    terms.rewards.push_back(compiled);
  }
  for (const Condition& condition : task.terminations) {
    RW_ASSIGN(const CompiledCondition compiled, CompileCondition(model, condition));
    terms.terminations.push_back(compiled);
  }
  for (const Condition& condition : task.success) {
    RW_ASSIGN(const CompiledCondition compiled, CompileCondition(model, condition));
    terms.success.push_back(compiled);
  }
  return terms;
}

Result<ObservationLayout> ObservationLayout::Make(const std::vector<ObservationTerm>& terms,
                                                  const std::vector<std::string>& channels,
                                                  int actions) {
  ObservationLayout layout;
  layout.frame_size_ = static_cast<int>(channels.size()) + actions;
  for (const ObservationTerm& term : terms) {
    layout.depth_ = std::max(layout.depth_, term.history);
    int first = static_cast<int>(channels.size());
    int count = actions;
    if (const auto read = ChannelsOf(term); !read.empty()) {
      const auto found = std::find(channels.begin(), channels.end(), read.front());
      if (found == channels.end())
        return InvalidInput(UnknownName("measured channel", read.front(), channels));
      first = static_cast<int>(found - channels.begin());
      count = static_cast<int>(read.size());
      for (int i = 1; i < count; ++i) {
        if (first + i >= static_cast<int>(channels.size()) || channels[first + i] != read[i])
          return InvalidInput("channel '" + read[i] + "' does not follow '" + read[i - 1] + "'");
      }
    }
    for (int age = 0; age < term.history; ++age) {
      for (int i = 0; i < count; ++i) {
        layout.entries_.push_back(
            {term.kind, age * layout.frame_size_ + first + i, term.scale, term.clip});
      }
    }
  }
  layout.size_ = static_cast<int>(layout.entries_.size());
  if (layout.size_ == 0) return InvalidInput("the task has no observation terms");
  return layout;
}

void ObservationLayout::Write(std::span<const double> frames, std::span<float> observation) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    double value = frames[entry.offset];
    if (entry.kind == ObservationKind::kSin) value = std::sin(value);
    if (entry.kind == ObservationKind::kCos) value = std::cos(value);
    observation[i] = static_cast<float>(std::clamp(value * entry.scale, -entry.clip, entry.clip));
  }
}

std::vector<std::string> ChannelsOf(const ObservationTerm& term) {
  switch (term.kind) {
    case ObservationKind::kLastAction:
      return {};
    case ObservationKind::kSensor:
      return {term.sensor + ".x", term.sensor + ".y", term.sensor + ".z"};
    case ObservationKind::kVelocity:
      return {term.joint + ".velocity"};
    case ObservationKind::kPosition:
    case ObservationKind::kSin:
    case ObservationKind::kCos:
      break;
  }
  return {term.joint + ".position"};
}

std::vector<std::string> ObservationNames(const std::vector<ObservationTerm>& terms,
                                          const std::vector<ActionTerm>& actions) {
  std::vector<std::string> names;
  for (const ObservationTerm& term : terms) {
    for (int age = 0; age < term.history; ++age) {
      const std::string when = age == 0 ? "" : fmt::format("[t-{}]", age);
      switch (term.kind) {
        case ObservationKind::kPosition:
          names.push_back(term.joint + ".position" + when);
          break;
        case ObservationKind::kVelocity:
          names.push_back(term.joint + ".velocity" + when);
          break;
        case ObservationKind::kSin:
          names.push_back("sin(" + term.joint + ".position)" + when);
          break;
        case ObservationKind::kCos:
          names.push_back("cos(" + term.joint + ".position)" + when);
          break;
        case ObservationKind::kSensor:
          for (const std::string& channel : ChannelsOf(term)) names.push_back(channel + when);
          break;
        case ObservationKind::kLastAction:
          for (const ActionTerm& action : actions)
            names.push_back("action(" + action.actuator + ")" + when);
          break;
      }
    }
  }
  return names;
}

void PushFrame(std::span<double> frames, int frame_size, std::span<const double> channels,
               std::span<const float> action) {
  std::copy_backward(frames.begin(), frames.end() - frame_size, frames.end());
  std::copy(channels.begin(), channels.end(), frames.begin());
  std::copy(action.begin(), action.end(),
            frames.begin() + static_cast<std::ptrdiff_t>(channels.size()));
}

void FillFrames(std::span<double> frames, int frame_size, std::span<const double> channels) {
  std::fill(frames.begin(), frames.end(), 0.0);
  for (std::size_t at = 0; at < frames.size(); at += frame_size) {
    std::copy(channels.begin(), channels.end(), frames.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace realward
