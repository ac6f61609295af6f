// The readings of many worlds: which state each channel measures, and what each remembers.
#ifndef REALWARD_SIM_SENSING_H_
#define REALWARD_SIM_SENSING_H_

#include <span>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/random.h"
#include "base/record.h"
#include "base/result.h"
#include "sim/sensor_path.h"
#include "worlds/plan.h"

namespace realward {

// What there is to measure. sensordata may be null when no channel reads a sensor of the engine.
struct TrueState {
  const mjtNum* qpos = nullptr;
  const mjtNum* qvel = nullptr;
  const mjtNum* sensordata = nullptr;
};

// Thread-safety: different worlds at once; one call at a time for one world. Allocates only when
// made.
class Sensing {
 public:
  Sensing() = default;
  Sensing(const mjModel& model, const WorldPlan& plan, double period, int worlds);

  const std::vector<std::string>& names() const { return names_; }

  // Reads all channels of one world into `readings`. The first reading of an episode forgets
  // everything before. `stream` is of the purpose kSensorNoise and new at each control step.
  void Read(int world, std::span<const ChannelSettings> settings, const WorldSettings& conditions,
            const TrueState& truth, const StreamId& stream, bool is_first,
            std::span<double> readings);

  // Whether a channel reads a sensor of the engine.
  bool uses_engine() const { return uses_engine_; }

  void Save(Record& record) const;
  Status Load(const Record& record);

 private:
  double Truth(const ChannelSettings& settings, const Channel& channel,
               const TrueState& truth) const;

  std::vector<std::string> names_;
  std::vector<Channel> channels_;
  bool uses_engine_ = false;
  double period_ = 0.0;
  std::size_t depth_ = 1;  // truths kept per channel
  bool has_memory_ = false;
  std::vector<ChannelMemory> memory_;  // worlds × channels
  std::vector<double> truths_;         // worlds × channels × depth, newest first
};

}  // namespace realward

#endif  // REALWARD_SIM_SENSING_H_
