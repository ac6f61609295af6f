#include "worlds/channel.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

constexpr const char* kModel = R"(<mujoco>
  <worldbody>
    <body name="base"><freejoint name="root"/><geom size="0.1"/>
      <site name="imu"/>
      <body name="arm" pos="1 0 0"><joint name="lift" type="slide"/><joint name="turn"/>
        <geom size="0.1"/><site name="wrist"/></body>
    </body>
  </worldbody>
  <sensor>
    <framepos name="where" objtype="site" objname="imu"/>
    <gyro name="gyro" site="imu"/>
    <accelerometer site="imu"/>
    <force name="load" site="wrist"/>
  </sensor>
</mujoco>)";

TEST(Channel, NamesJointsThenSensorsWithTheirUnitsAndPlaces) {
  const ModelPtr model = std::move(LoadModelText(kModel)).value();
  const std::vector<Channel> channels = Channels(*model);
  EXPECT_EQ(
      NamesOf(channels),
      (std::vector<std::string>{"lift.position", "lift.velocity", "turn.position", "turn.velocity",
                                "gyro.x", "gyro.y", "gyro.z", "load.x", "load.y", "load.z"}));
  EXPECT_EQ(ChannelNames(*model), NamesOf(channels));
  EXPECT_EQ(NamesOf(JointChannels(*model)).size(), 4u);
  EXPECT_EQ(channels[0].unit, "m");
  EXPECT_EQ(channels[3].unit, "rad/s");
  EXPECT_EQ(channels[0].address, 7);  // behind the free joint's seven
  EXPECT_EQ(channels[1].address, 6);
  EXPECT_EQ(channels[4].unit, "rad/s");
  EXPECT_EQ(channels[4].address, 3);  // behind framepos
  EXPECT_EQ(channels[7].unit, "N");
  EXPECT_EQ(channels[7].address, 9);  // the unnamed accelerometer is no channel
}

TEST(Channel, KnowsTheOtherAxesOfASensor) {
  const ModelPtr model = std::move(LoadModelText(kModel)).value();
  const std::vector<Channel> channels = Channels(*model);
  EXPECT_EQ(channels[0].next, -1);
  EXPECT_EQ(channels[channels[4].next].name, "gyro.y");
  EXPECT_EQ(channels[channels[4].previous].name, "gyro.z");
  EXPECT_EQ(channels[channels[9].next].name, "load.x");
}

}  // namespace
}  // namespace realward
