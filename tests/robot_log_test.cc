// A virtual robot with the example's faults, across the stages: a policy runs on it over the link,
// and what the robot recorded is what the stage `logs` reads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "deploy/robot_fleet.h"
#include "deploy/robot_trials.h"
#include "deploy/virtual_robot.h"
#include "logs/log.h"
#include "sim/contract.h"

namespace realward {
namespace {

using testing::HasSubstr;

const std::string kExample = RW_SOURCE_DIR "/examples/01_pendulum";

std::string Folder(const std::string& name) {
  const std::string folder =
      testing::TempDir() + "/robot_" + name + "_" + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  return folder;
}

// The example's robot, served on a thread, with or without its faults and a log.
class Robot {
 public:
  Robot(const std::string& faults, const std::string& log, std::uint32_t unit = 0) {
    task_ = LoadTask(kExample + "/task.yaml").value();
    VirtualRobotOptions options;
    options.seed = 11;
    options.unit = unit;
    if (!faults.empty()) options.faults = LoadFaults(faults).value();
    FleetRobot robot;
    robot.backend =
        std::move(VirtualRobot::Make(task_, LoadGap(kExample + "/hidden.yaml").value(), options))
            .value();
    if (!log.empty())
      robot.log = std::move(RobotLog::Open(log, robot.backend->Describe(), {})).value();
    robot.listener = std::move(LinkSocket::Listen("tcp:127.0.0.1:0")).value();
    robot.serve.stop = &stop_;
    address_ = robot.listener.address();
    robots_.push_back(std::move(robot));
    thread_ = std::thread([this] { EXPECT_TRUE(ServeFleet(robots_).ok()); });
  }
  ~Robot() {
    stop_ = true;
    thread_.join();
  }
  const TaskSpec& task() const { return task_; }
  LinkClient Connect() const { return std::move(LinkClient::Connect(address_)).value(); }

 private:
  TaskSpec task_;
  std::string address_;
  std::vector<FleetRobot> robots_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Pushes the way the pendulum swings: it gains energy. What it sees of the position counts a
// little, so that a wrong position shows, and a constant push gets it over the friction of a hidden
// joint.
PolicyArtifact Pump(const TaskSpec& task) {
  PolicyArtifact policy;
  policy.name = "pump";
  policy.contract = MakeContract(task);
  const std::size_t inputs = policy.contract.at("observation_names").size();
  policy.network.observation_mean.assign(inputs, 0.0f);
  policy.network.observation_std.assign(inputs, 1.0f);
  std::vector<float> weights(inputs, 0.0f);
  weights[1] = 0.1f;  // cos, sin, velocity, …
  weights[2] = 1.0f;
  policy.network.layers = {{static_cast<int>(inputs), 1, weights, {0.12f}}};
  policy.action_std = {0.1f};
  return policy;
}

std::vector<RobotTrial> RunPump(const Robot& robot, int trials) {
  LinkClient client = robot.Connect();
  return RunRobotTrials(client, Pump(robot.task()), robot.task(), {trials, 1, nullptr},
                        [&]() -> Result<LinkClient> { return robot.Connect(); })
      .value();
}

Log Read(const std::string& folder, const std::string& file) {
  const auto mapping = LoadMapping(folder + "/mapping.yaml");
  EXPECT_TRUE(mapping.ok()) << mapping.error().message;
  const auto log = ReadLog(folder + "/" + file, mapping.value());
  EXPECT_TRUE(log.ok()) << log.error().message;
  return log.value();
}

// Bit for bit what came over the link and what was applied, with NaN where there was nothing.
TEST(RobotLogAcrossStages, LogsReadBackWhatWentOverTheLink) {
  const std::string folder = Folder("exact");
  const std::string faults = folder + ".faults.yaml";
  ASSERT_TRUE(WriteFileAtomic(faults,
                              "faults:\n  - {fault: sensor_drops_out, target: hinge.velocity, "
                              "from: 1 s, for: 0.5 s}\n")
                  .ok());
  std::vector<RobotState> states;
  std::vector<double> commands;
  {
    Robot robot(faults, folder);
    LinkClient client = robot.Connect();
    states.push_back(client.Reset(3, 0).value());
    for (int k = 0;; ++k) {
      const double command = 3.0 * std::sin(0.1 * k);  // beyond ±2.5 at times: the robot clips it
      commands.push_back(std::clamp(command, -2.5, 2.5));
      const LinkReply reply = client.Exchange(std::vector<double>{command}).value();
      states.push_back(reply.state);
      if (reply.result) break;
    }
  }
  const Log log = Read(folder, "trial_000003.csv");
  EXPECT_EQ(log.channels, (std::vector<std::string>{"hinge.position", "hinge.velocity"}));
  EXPECT_EQ(log.actuators, std::vector<std::string>{"motor"});
  ASSERT_EQ(log.samples(), states.size());
  int missing = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(log.time_s[i], states[i].t_s);
    for (std::size_t c = 0; c < 2; ++c) {
      const bool none = std::isnan(states[i].values[c]);
      missing += none;
      if (none) {
        EXPECT_TRUE(std::isnan(log.values(i, c)));
      } else {
        EXPECT_EQ(log.values(i, c), states[i].values[c]);
      }
    }
    if (i + 1 < states.size()) {
      EXPECT_EQ(log.commands(i, 0), commands[i]);
    }
  }
  EXPECT_EQ(missing, 25);  // 0.5 s at 50 Hz
  EXPECT_TRUE(std::isnan(log.commands(states.size() - 1, 0)));
}

// The example: the policy is judged through every fault but the broken link, which is recorded too.
TEST(RobotLogAcrossStages, APolicyIsJudgedThroughTheExamplesFaults) {
  const std::string folder = Folder("example");
  constexpr int kTrials = 20;
  std::vector<RobotTrial> trials, plain;
  {
    Robot robot(kExample + "/faults.yaml", folder);
    trials = RunPump(robot, kTrials);
  }
  {
    Robot robot("", "");
    plain = RunPump(robot, kTrials);
  }
  ASSERT_EQ(trials.size(), static_cast<std::size_t>(kTrials));
  int untouched = 0;
  for (int k = 0; k < kTrials; ++k) {
    EXPECT_EQ(trials[k].completed, k != 9) << k << ": " << trials[k].reason;
    if (k == 9) continue;
    EXPECT_TRUE(trials[k].success.has_value());
    const std::string file = fmt::format("trial_{:06}.csv", k);
    EXPECT_EQ(Read(folder, file).samples(), static_cast<std::size_t>(trials[k].steps) + 1);
    untouched += trials[k].trial_return == plain[k].trial_return;
    if (k < 2 || k == 8) {
      EXPECT_EQ(trials[k].trial_return, plain[k].trial_return) << k;
    } else if (k <= 7) {
      EXPECT_NE(trials[k].trial_return, plain[k].trial_return) << k;
    }
  }
  EXPECT_GE(untouched, 3 + 4);  // of ten trials with probability 0.2, four without a fault
  EXPECT_EQ(trials[9].end, "aborted");
  EXPECT_NE(trials[9].reason.find("closed the connection"), std::string::npos);
  EXPECT_EQ(trials[3].missing_readings, 5);
  // The link broke with the state of 4 s; the safe command acted for one more period.
  EXPECT_EQ(Read(folder, "trial_000009.partial.csv").samples(), 202u);

  const Log jammed = Read(folder, "trial_000005.csv");
  double low = jammed.values(50, 0), high = low;
  for (int i = 50; i <= 75; ++i) {
    low = std::min(low, jammed.values(i, 0));
    high = std::max(high, jammed.values(i, 0));
  }
  EXPECT_LE(high - low, 0.00292);  // one step of its encoder
  double moved = 0.0;
  for (int i = 76; i <= 150; ++i)
    moved = std::max(moved, std::abs(jammed.values(i, 0) - jammed.values(75, 0)));
  EXPECT_GT(moved, 0.01);

  const std::string events = ReadFile(folder + "/events.jsonl").value();
  std::istringstream lines(events);
  int ends = 0;
  for (std::string line; std::getline(lines, line);)
    ends += Json::parse(line).at("kind") == "trial_ends";
  EXPECT_EQ(ends, kTrials);
  EXPECT_THAT(events, HasSubstr("joint_jams of 'hinge'"));
}

}  // namespace
}  // namespace realward
