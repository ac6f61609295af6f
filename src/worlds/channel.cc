#include "worlds/channel.h"

namespace realward {
namespace {

// nullptr: not a sensor that channels are made of.
const char* UnitOfSensor(int type) {
  switch (type) {
    case mjSENS_ACCELEROMETER:
      return "m/s^2";
    case mjSENS_GYRO:
      return "rad/s";
    case mjSENS_VELOCIMETER:
      return "m/s";
    case mjSENS_FORCE:
      return "N";
    case mjSENS_TORQUE:
      return "N*m";
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<Channel> JointChannels(const mjModel& model) {
  std::vector<Channel> channels;
  const std::vector<std::string> joints = ObjectNames(model, mjOBJ_JOINT);
  for (int j = 0; j < model.njnt; ++j) {
    const bool hinge = model.jnt_type[j] == mjJNT_HINGE;
    if (!hinge && model.jnt_type[j] != mjJNT_SLIDE) continue;
    channels.push_back({joints[j] + ".position", ChannelSource::kPosition, model.jnt_qposadr[j],
                        hinge ? "rad" : "m"});
    channels.push_back({joints[j] + ".velocity", ChannelSource::kVelocity, model.jnt_dofadr[j],
                        hinge ? "rad/s" : "m/s"});
  }
  return channels;
}

std::vector<Channel> Channels(const mjModel& model) {
  std::vector<Channel> channels = JointChannels(model);
  for (int s = 0; s < model.nsensor; ++s) {
    const std::string name = model.names + model.name_sensoradr[s];
    const char* unit = UnitOfSensor(model.sensor_type[s]);
    if (name.empty() || unit == nullptr) continue;
    const int first = static_cast<int>(channels.size());
    for (int axis = 0; axis < 3; ++axis) {
      channels.push_back({name + "." + "xyz"[axis], ChannelSource::kSensor,
                          model.sensor_adr[s] + axis, unit, first + (axis + 1) % 3,
                          first + (axis + 2) % 3});
    }
  }
  return channels;
}

std::vector<std::string> NamesOf(const std::vector<Channel>& channels) {
  std::vector<std::string> names;
  for (const Channel& channel : channels) names.push_back(channel.name);
  return names;
}

std::vector<std::string> ChannelNames(const mjModel& model) { return NamesOf(Channels(model)); }

}  // namespace realward
