// Task terms compiled against a model: rewards and conditions over the true state, observations
// over measured channels. Evaluation allocates nothing and needs only qpos and qvel.
#ifndef REALWARD_SIM_TERMS_H_
#define REALWARD_SIM_TERMS_H_

#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/result.h"
#include "spec/task.h"
#include "worlds/plan.h"

namespace realward {

// A condition with its addresses.
struct CompiledCondition {
  ConditionKind kind = ConditionKind::kNear;
  int qpos = 0;
  int dof = 0;
  bool wrap = false;  // unlimited hinge: angles are compared on the circle
  double target = 0.0;
  double within = 0.0;
};
bool Holds(const CompiledCondition& condition, const mjtNum* qpos, const mjtNum* qvel);

struct CompiledReward {
  RewardKind kind = RewardKind::kAlive;
  int qpos = 0;
  int dof = 0;
  bool wrap = false;
  double target = 0.0;
  double within = 1.0;
  double weight = 1.0;
};
// Weighted value of one term. action and previous are in [−1, 1].
double RewardValue(const CompiledReward& reward, const mjtNum* qpos, const mjtNum* qvel,
                   std::span<const float> action, std::span<const float> previous,
                   bool success_now);

struct TaskTerms {
  std::vector<CompiledReward> rewards;
  std::vector<CompiledCondition> terminations;
  std::vector<CompiledCondition> success;
};
Result<TaskTerms> CompileTerms(const mjModel& model, const TaskSpec& task);

// The observation vector as a function of frames. A frame is what is known after one control step:
// all measured channels, then the action taken in that step. The policy's user keeps `depth`
// frames, newest first; at the start of an episode all frames hold the first measurement and zero
// actions.
class ObservationLayout {
 public:
  // channels: names in frame order.
  static Result<ObservationLayout> Make(const std::vector<ObservationTerm>& terms,
                                        const std::vector<std::string>& channels, int actions);

  int size() const { return size_; }              // entries of the observation
  int depth() const { return depth_; }            // frames needed
  int frame_size() const { return frame_size_; }  // channels + actions
  // frames: depth × frame_size, newest first. Thread-safe, allocates nothing.
  void Write(std::span<const double> frames, std::span<float> observation) const;

 private:
  struct Entry {
    ObservationKind kind;
    int offset;  // into frames
    double scale;
    double clip;
  };
  std::vector<Entry> entries_;
  int size_ = 0;
  int depth_ = 1;
  int frame_size_ = 0;
};

// The channels that a term reads; none for the last action.
std::vector<std::string> ChannelsOf(const ObservationTerm& term);

// Names of observation entries, such as "sin(hinge.position)[t-1]", for contracts and reports.
std::vector<std::string> ObservationNames(const std::vector<ObservationTerm>& terms,
                                          const std::vector<ActionTerm>& actions);

// Shifts frames by one and puts a new one in front.
void PushFrame(std::span<double> frames, int frame_size, std::span<const double> channels,
               std::span<const float> action);
// Fills all frames with one measurement and zero actions.
void FillFrames(std::span<double> frames, int frame_size, std::span<const double> channels);

}  // namespace realward

#endif  // REALWARD_SIM_TERMS_H_
