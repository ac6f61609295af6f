#include "deploy/robot_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "deploy/link_client.h"
#include "deploy/virtual_robot.h"
#include "sim/test_task.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::SlideGap;
using testing_support::SlideTask;

TEST(RobotFleet, UnitsAreNumbersAndRanges) {
  EXPECT_THAT(ParseUnits("3").value(), ElementsAre(3));
  EXPECT_THAT(ParseUnits("0-3").value(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ParseUnits("5-6,0,2-2").value(), ElementsAre(0, 2, 5, 6));
  EXPECT_THAT(ParseUnits("4294967295").value(), ElementsAre(4294967295u));
  EXPECT_EQ(ParseUnits("0-255")->size(), 256u);
  for (const char* wrong : {"", "a", "-1", "1-", "3-1", "1,1", "0-2,2", "1,", "0-256", "1.5",
                            "4294967296", "0-4294967295", " 1"}) {
    const auto units = ParseUnits(wrong);
    ASSERT_FALSE(units.ok()) << wrong;
    EXPECT_EQ(units.error().kind, ErrorKind::kInvalidInput);
    EXPECT_THAT(units.error().message, HasSubstr("valid: such as"));
  }
}

TEST(RobotFleet, EachUnitHasItsAddress) {
  EXPECT_EQ(UnitAddress("unix:/run/r{unit}.sock", 12, true).value(), "unix:/run/r12.sock");
  EXPECT_EQ(UnitAddress("unix:/run/r.sock", 12, false).value(), "unix:/run/r.sock");
  EXPECT_EQ(UnitAddress("tcp:127.0.0.1:5000", 3, true).value(), "tcp:127.0.0.1:5003");
  EXPECT_EQ(UnitAddress("tcp:[::1]:5000", 3, true).value(), "tcp:[::1]:5003");
  EXPECT_EQ(UnitAddress("tcp:127.0.0.1:0", 3, true).value(), "tcp:127.0.0.1:0");
  EXPECT_EQ(UnitAddress("tcp:127.0.0.1:600{unit}", 3, true).value(), "tcp:127.0.0.1:6003");
  EXPECT_THAT(UnitAddress("unix:/run/r.sock", 12, true).error().message, HasSubstr("{unit}"));
  EXPECT_THAT(UnitAddress("tcp:127.0.0.1:65530", 6, true).error().message, HasSubstr("65536"));
  EXPECT_THAT(UnitAddress("tcp:127.0.0.1:1", 4294967295u, true).error().message,
              HasSubstr("4294967296"));
  EXPECT_FALSE(UnitAddress("nowhere", 0, false).ok());
}

// Units of one hidden fleet, each with a fault that some of its trials have.
class Fleet {
 public:
  explicit Fleet(const std::vector<std::uint32_t>& units, const std::string& faults = R"(faults:
  - {fault: actuator_dies, target: push, from: 0.1 s, probability: 0.5}
)") {
    for (const std::uint32_t unit : units) {
      VirtualRobotOptions options;
      options.seed = 3;
      options.unit = unit;
      options.faults = ParseFaults(faults, "f.yaml").value();
      FleetRobot robot;
      robot.unit = unit;
      robot.backend = std::move(VirtualRobot::Make(SlideTask(), SlideGap(), options)).value();
      robot.listener =
          LinkSocket::Listen(UnitAddress("tcp:127.0.0.1:0", unit, true).value()).value();
      robot.serve.stop = &stop_;
      robots_.push_back(std::move(robot));
    }
    for (const FleetRobot& robot : robots_) addresses_.push_back(robot.listener.address());
    thread_ = std::thread([this] { status_ = ServeFleet(robots_); });
  }
  ~Fleet() { (void)Stop().ok(); }
  Status Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return status_;
  }
  const std::string& address(std::size_t i) const { return addresses_[i]; }

 private:
  std::vector<FleetRobot> robots_;
  std::vector<std::string> addresses_;
  std::atomic<bool> stop_{false};
  Status status_;
  std::thread thread_;
};

// Every reading of some trials under one command.
std::vector<double> Trace(const std::string& address, const std::vector<int>& trials) {
  LinkClient client = std::move(LinkClient::Connect(address)).value();
  std::vector<double> trace;
  for (const int trial : trials) {
    RobotState state = client.Reset(trial, 0).value();
    trace.insert(trace.end(), state.values.begin(), state.values.end());
    for (;;) {
      const LinkReply reply = client.Exchange(std::vector<double>{2.0}).value();
      trace.insert(trace.end(), reply.state.values.begin(), reply.state.values.end());
      if (reply.result) break;
    }
  }
  return trace;
}

TEST(RobotFleet, AUnitIsBitForBitWhatItIsWhenServedAlone) {
  const std::vector<std::uint32_t> units = {0, 2, 5};
  const std::vector<int> trials = {3, 0, 1, 2, 4, 5};
  std::vector<std::vector<double>> together(units.size());
  {
    Fleet fleet(units);
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < units.size(); ++i)
      clients.emplace_back([&, i] { together[i] = Trace(fleet.address(i), trials); });
    for (std::thread& client : clients) client.join();
    EXPECT_TRUE(fleet.Stop().ok());
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    Fleet alone({units[i]});
    EXPECT_EQ(together[i], Trace(alone.address(0), trials)) << "unit " << units[i];
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(together[i], together[k]);
  }
}

TEST(RobotFleet, ARobotThatFailsLeavesTheOthersRunning) {
  Fleet fleet({4, 7}, "faults:\n  - {fault: robot_process_dies, from: 0.1 s, trials: [1]}\n");
  {
    LinkClient client = std::move(LinkClient::Connect(fleet.address(0))).value();
    ASSERT_TRUE(client.Reset(1, 0).ok());
    Status status;
    while (status.ok()) {
      const auto reply = client.Exchange(std::vector<double>{0.0});
      if (!reply.ok()) status = reply.error();
    }
  }
  EXPECT_FALSE(Trace(fleet.address(1), {0}).empty());
  const Status status = fleet.Stop();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("unit 4: "));
}

}  // namespace
}  // namespace realward
