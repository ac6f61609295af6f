// The measured channels of a model: what an encoder at every joint and the model's own sensors
// read.
#ifndef REALWARD_WORLDS_CHANNEL_H_
#define REALWARD_WORLDS_CHANNEL_H_

#include <string>
#include <vector>

#include "base/mujoco.h"

namespace realward {

enum class ChannelSource { kPosition, kVelocity, kSensor };

struct Channel {
  std::string name;
  ChannelSource source = ChannelSource::kPosition;
  int address = 0;   // in qpos, qvel or sensordata
  std::string unit;  // "rad", "m", "rad/s", "m/s", "m/s^2", "N" or "N*m"
  // The other two axes of the same sensor in cyclic order (x → y → z), as channel indices; −1:
  // none.
  int next = -1;
  int previous = -1;
};

// "<joint>.position" and "<joint>.velocity" for every hinge and slide joint, in joint order.
std::vector<Channel> JointChannels(const mjModel& model);

// These, then "<sensor>.x", ".y", ".z" of every named accelerometer, gyro, velocimeter, force and
// torque sensor, in sensor order. Their truth is what the engine computed in the last physics step:
// it is one physics step older than the joints'.
std::vector<Channel> Channels(const mjModel& model);

std::vector<std::string> NamesOf(const std::vector<Channel>& channels);
std::vector<std::string> ChannelNames(const mjModel& model);

}  // namespace realward

#endif  // REALWARD_WORLDS_CHANNEL_H_
