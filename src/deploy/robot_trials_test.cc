#include "deploy/robot_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "deploy/virtual_robot.h"
#include "sim/test_task.h"

namespace realward {
namespace {

using testing_support::SlideController;
using testing_support::SlideGap;
using testing_support::SlideTask;

// A virtual robot behind a socket, on a thread.
class ServedRobot {
 public:
  explicit ServedRobot(const TaskSpec& task) {
    VirtualRobotOptions options;
    options.seed = 3;
    robot_ = std::move(VirtualRobot::Make(task, SlideGap(), options)).value();
    socket_.emplace(
        LinkSocket::Listen("unix:" + ::testing::TempDir() + "/rt" + std::to_string(::getpid()))
            .value());
    thread_ = std::thread([this] {
      ServeOptions serve;
      serve.stop = &stop_;
      EXPECT_TRUE(ServeRobot(*socket_, *robot_, serve).ok());
    });
  }
  ~ServedRobot() { Stop(); }
  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    socket_.reset();
  }
  std::string address() const { return socket_->address(); }

 private:
  std::unique_ptr<VirtualRobot> robot_;
  std::optional<LinkSocket> socket_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The same policy stepped by hand on a virtual robot, without a link.
RobotTrial ByHand(const TaskSpec& task, const PolicyArtifact& policy, std::int64_t trial) {
  VirtualRobotOptions options;
  options.seed = 3;
  const auto robot = std::move(VirtualRobot::Make(task, SlideGap(), options)).value();
  std::vector<double> channels = *robot->Reset(trial, 0);
  float last = 0.0f;
  for (;;) {
    const float observation[] = {static_cast<float>(channels[0]), static_cast<float>(channels[1]),
                                 last};
    float action[1];
    PolicyForward(policy.network, observation, action);
    last = std::clamp(action[0], -1.0f, 1.0f);
    const double command[] = {-10.0 + 0.5 * (static_cast<double>(last) + 1.0) * 20.0};
    const RobotStep step = *robot->Step(command);
    channels = step.values;
    if (step.outcome) {
      RobotTrial record;
      record.success = step.outcome->success;
      record.trial_return = step.outcome->total_return;
      return record;
    }
  }
}

TEST(RobotTrials, EqualTheSamePolicySteppedByHand) {
  const TaskSpec task = SlideTask();
  const PolicyArtifact policy = SlideController(task, 2.0f, 0.5f);
  ServedRobot served(task);
  LinkClient client = std::move(LinkClient::Connect(served.address())).value();
  const auto trials = *RunRobotTrials(client, policy, task, {5, 1, nullptr}, {});
  ASSERT_EQ(trials.size(), 5u);
  for (const RobotTrial& trial : trials) {
    const RobotTrial expected = ByHand(task, policy, trial.trial);
    EXPECT_TRUE(trial.completed);
    EXPECT_EQ(trial.end, "horizon");
    EXPECT_EQ(trial.steps, 100);
    EXPECT_EQ(*trial.success, *expected.success);
    EXPECT_DOUBLE_EQ(*trial.trial_return, *expected.trial_return);
  }
}

TEST(RobotTrials, ADeadRobotIsRecordedAndNothingIsLost) {
  const TaskSpec task = SlideTask();
  const PolicyArtifact policy = SlideController(task, 2.0f, 0.5f);
  auto served = std::make_unique<ServedRobot>(task);
  LinkClientOptions options;
  options.reply_timeout_s = 2.0;
  LinkClient client = std::move(LinkClient::Connect(served->address(), options)).value();
  ASSERT_TRUE(RunRobotTrials(client, policy, task, {1, 1, nullptr}, {}).ok());
  served->Stop();
  int reconnects = 0;
  const auto trials =
      *RunRobotTrials(client, policy, task, {3, 1, nullptr}, [&]() -> Result<LinkClient> {
        ++reconnects;
        return EnvironmentError("gone");
      });
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(reconnects, 1);
  for (const RobotTrial& trial : trials) {
    EXPECT_FALSE(trial.completed);
    EXPECT_EQ(trial.end, "aborted");
    EXPECT_FALSE(trial.reason.empty());
    EXPECT_FALSE(trial.success.has_value());
  }
  EXPECT_NE(trials[2].reason.find("gone"), std::string::npos);
}

TEST(RobotTrials, AnInterruptionStopsBetweenTrialsAndLeavesTheRobotUsable) {
  const TaskSpec task = SlideTask();
  const PolicyArtifact policy = SlideController(task, 2.0f, 0.5f);
  ServedRobot served(task);
  LinkClient client = std::move(LinkClient::Connect(served.address())).value();
  const std::atomic<bool> stop{true};
  const auto stopped = RunRobotTrials(client, policy, task, {3, 1, &stop}, {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
  EXPECT_NE(stopped.error().message.find("after 0 of 3"), std::string::npos);
  EXPECT_TRUE(RunRobotTrials(client, policy, task, {1, 1, nullptr}, {}).ok());
}

TEST(RobotTrials, ARobotThatDoesNotFitIsRefusedNamingEveryDifference) {
  const TaskSpec task = SlideTask();
  RobotDescription robot;
  robot.robot = "other";
  robot.channels = {{"rail.position", "m"}};
  robot.actuators = {{"push", "N", -5.0, 5.0}};
  robot.control_period_s = 0.02;
  const Status status = CheckRobot(robot, task);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kRefused);
  for (const char* part : {"rail.velocity", "push", "control period"}) {
    EXPECT_NE(status.error().message.find(part), std::string::npos) << part;
  }
}

TEST(RobotTrials, ExcitationRecordsAStateAndItsCommandPerPeriod) {
  const TaskSpec task = SlideTask();
  ServedRobot served(task);
  LinkClient client = std::move(LinkClient::Connect(served.address())).value();
  const RobotRecording recording = *RecordExcitation(client, 0, 5, 0.5);
  ASSERT_EQ(recording.time_s.size(), 51u);
  EXPECT_NEAR(recording.time_s.back(), 0.5, 1e-9);
  EXPECT_EQ(recording.actuators, std::vector<std::string>{"push"});
  double largest = 0.0;
  for (double u : recording.commands.values()) largest = std::max(largest, std::abs(u));
  EXPECT_LE(largest, 10.0);
  EXPECT_GT(largest, 1.0);
  const RobotRecording again = *RecordExcitation(client, 0, 5, 0.5);
  EXPECT_EQ(again.values.values(), recording.values.values());
}

}  // namespace
}  // namespace realward
