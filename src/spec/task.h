// A task: a model and what the policy observes, does, earns, when an episode ends, and what success
// is.
#ifndef REALWARD_SPEC_TASK_H_
#define REALWARD_SPEC_TASK_H_

#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

// One entry of the action vector. A policy output a in [−1, 1] (clipped) becomes the command
// low + (a + 1)/2 · (high − low), in the actuator's own unit.
struct ActionTerm {
  std::string actuator;
  double low = 0.0;
  double high = 0.0;
};

enum class ObservationKind { kPosition, kVelocity, kSin, kCos, kLastAction, kSensor };

// One term of the observation vector, computed from *measured* channels. Terms are concatenated in
// order.
struct ObservationTerm {
  ObservationKind kind = ObservationKind::kPosition;
  std::string joint;        // empty for kLastAction, which gives every action entry, and kSensor
  double scale = 1.0;       // multiplies the SI value
  double clip = 1e3;        // > 0; |value| after scaling is limited to this
  int history = 1;          // how many control steps, newest first
  std::string sensor = {};  // of kSensor, which gives the readings of its three axes
};

enum class RewardKind {
  kCosTo,  // (1 + cos(q − target)) / 2
  kNear,   // exp(−((q − target)/within)²), q wrapped to the target if the joint is unlimited
  kVelocity,  // q̇
  kVelocitySquared,
  kActionSquared,      // Σ a², a in [−1, 1]
  kActionRateSquared,  // Σ (a − previous a)²
  kAlive,              // 1
  kSuccess,            // 1 while the success conditions hold at this step
};

// Reward per control step is Σ weight · term, computed from the *true* state.
struct RewardTerm {
  RewardKind kind = RewardKind::kAlive;
  std::string joint;
  double target = 0.0;  // rad or m
  double within = 1.0;  // rad or m, > 0
  double weight = 1.0;
};

enum class ConditionKind {
  kNear,           // |q − target| ≤ within, wrapped for an unlimited hinge
  kSlow,           // |q̇| ≤ within
  kPositionAbove,  // |q| > limit
  kVelocityAbove,  // |q̇| > limit
};

// A predicate over the true state.
struct Condition {
  ConditionKind kind = ConditionKind::kNear;
  std::string joint;
  double target = 0.0;
  double within = 0.0;  // tolerance or limit
};

// Where an episode begins: a joint's position and velocity, each uniform in [low, high].
struct ResetTerm {
  std::string joint;
  double position_low = 0.0;
  double position_high = 0.0;
  double velocity_low = 0.0;
  double velocity_high = 0.0;
};

struct TaskSpec {
  std::string name;
  std::string model_path;        // absolute
  std::string model_hash;        // SHA-256 of the model file
  double control_period = 0.01;  // s; a whole multiple of the model's time step
  double horizon = 10.0;         // s; reaching it truncates the episode
  std::vector<ActionTerm> actions;
  std::vector<ObservationTerm> observations;
  std::vector<RewardTerm> rewards;
  std::vector<Condition> terminations;  // any of them ends the episode
  // Success: all conditions hold at every control step of the last success_hold seconds of the
  // episode (the rule "true at end"). An episode that terminated or diverged is never a success.
  // Without conditions, reaching the horizon is success.
  std::vector<Condition> success;
  double success_hold = 0.0;  // s
  std::string keyframe = {};  // of the model, where every episode begins; empty: its reference pose
  std::vector<ResetTerm> resets;  // on top of it
  // Where half of the training episodes begin: a wider set shows the policy states that it meets
  // rarely on its own. Evaluation and robots always use `resets`. Empty: all begin at `resets`.
  std::vector<ResetTerm> train_resets;
  // What was decided where the file leaves it open, for the user to see; not part of the identity.
  std::vector<std::string> notes = {};
};

// Reads a task file strictly: every unknown key, wrong unit and out-of-range value is listed in one
// message with file, line, key and the nearest valid ones. README.md gives the form. Joint and
// actuator names are checked against the compiled model, and the control period against its time
// step.
Result<TaskSpec> LoadTask(const std::string& path);

// Canonical JSON form (the identity of the task; model_path is left out, model_hash is in). The
// keys are those of the YAML form, numbers in SI without units.
Json ToJson(const TaskSpec& task);

// The inverse of ToJson, just as strict but without a model to check names against; model_path must
// be set by the caller.
Result<TaskSpec> TaskFromJson(const Json& json);

}  // namespace realward

#endif  // REALWARD_SPEC_TASK_H_
