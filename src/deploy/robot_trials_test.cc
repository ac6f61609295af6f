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
  explicit ServedRobot(const TaskSpec& task, const std::string& faults = "", double watchdog = 2.0,
                       LinkClock clock = LinkClock::kVirtual, double speed = 1.0) {
    VirtualRobotOptions options;
    options.seed = 3;
    options.watchdog = watchdog;
    options.clock = clock;
    if (!faults.empty()) options.faults = ParseFaults("faults:\n" + faults, "f.yaml").value();
    robot_ = std::move(VirtualRobot::Make(task, SlideGap(), options)).value();
    socket_.emplace(
        LinkSocket::Listen("unix:" + ::testing::TempDir() + "/rt" + std::to_string(::getpid()))
            .value());
    thread_ = std::thread([this, speed] {
      ServeOptions serve;
      serve.stop = &stop_;
      serve.speed = speed;
      status_ = ServeRobot(*socket_, *robot_, serve);
      if (!status_.ok()) socket_->Close();
    });
  }
  ~ServedRobot() { Stop(); }
  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    socket_.reset();
  }
  std::string address() const { return socket_->address(); }
  // After Stop.
  const Status& status() const { return status_; }

 private:
  std::unique_ptr<VirtualRobot> robot_;
  std::optional<LinkSocket> socket_;
  std::atomic<bool> stop_{false};
  Status status_;
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

// The policy of the robot's trials, connected anew whenever the link is lost.
std::vector<RobotTrial> RunFaulty(ServedRobot& served, const TaskSpec& task, int trials,
                                  double reply_timeout_s = 5.0) {
  LinkClientOptions options;
  options.reply_timeout_s = reply_timeout_s;
  options.connect_timeout_s = 0.5;
  const std::string address = served.address();
  const auto connect = [=] { return LinkClient::Connect(address, options); };
  LinkClient client = std::move(connect()).value();
  return RunRobotTrials(client, SlideController(task, 2.0f, 0.5f), task, {trials, 1, nullptr},
                        connect)
      .value();
}

void ExpectSame(const RobotTrial& a, const RobotTrial& b) {
  EXPECT_TRUE(a.completed);
  EXPECT_EQ(a.success, b.success);
  EXPECT_EQ(a.trial_return, b.trial_return);
}

TEST(RobotTrials, AMissingReadingKeepsItsLastValueAndTheTrialIsJudged) {
  const TaskSpec task = SlideTask();
  ServedRobot served(
      task, "  - {fault: sensor_drops_out, target: rail.velocity, from: 0.3 s, for: 0.1 s}\n");
  const auto dropped = RunFaulty(served, task, 1);
  served.Stop();
  // A frozen sensor gives the reading of 0.3 s, a missing one leaves the policy with that of 0.29
  // s.
  ServedRobot frozen(
      task, "  - {fault: sensor_freezes, target: rail.velocity, from: 0.29 s, for: 0.11 s}\n");
  ExpectSame(dropped[0], RunFaulty(frozen, task, 1)[0]);
  EXPECT_EQ(dropped[0].missing_readings, 10);
}

TEST(RobotTrials, ATrialThatBeginsWithoutAReadingIsAborted) {
  const TaskSpec task = SlideTask();
  ServedRobot served(
      task, "  - {fault: sensor_drops_out, target: rail.position, from: 0 s, trials: [0]}\n");
  const auto trials = RunFaulty(served, task, 2);
  EXPECT_EQ(trials[0].end, "aborted");
  EXPECT_NE(trials[0].reason.find("'rail.position' had no reading"), std::string::npos);
  EXPECT_TRUE(trials[1].completed);
}

TEST(RobotTrials, ABrokenLinkIsRecordedAndTheNextTrialIsAsWithoutIt) {
  const TaskSpec task = SlideTask();
  ServedRobot plain(task);
  const auto expected = RunFaulty(plain, task, 3);
  plain.Stop();
  ServedRobot served(task, "  - {fault: link_breaks, from: 0.5 s, trials: [1]}\n");
  const auto trials = RunFaulty(served, task, 3);
  ASSERT_EQ(trials.size(), 3u);
  ExpectSame(trials[0], expected[0]);
  EXPECT_EQ(trials[1].end, "aborted");
  EXPECT_NE(trials[1].reason.find("last heard: state of trial 1, seq 49"), std::string::npos)
      << trials[1].reason;
  ExpectSame(trials[2], expected[2]);
}

TEST(RobotTrials, AStallIsSatOutOrRecordedByHowLongItIs) {
  const TaskSpec task = SlideTask();
  ServedRobot plain(task);
  const auto expected = RunFaulty(plain, task, 3);
  plain.Stop();
  // Trial 0 is late; trial 1 longer than the robot waits for a command; trial 2 as ever.
  ServedRobot late(task,
                   "  - {fault: link_stalls, from: 0.5 s, for: 50 ms, trials: [0]}\n"
                   "  - {fault: link_stalls, from: 0.5 s, for: 800 ms, trials: [1]}\n",
                   0.4);
  const auto trials = RunFaulty(late, task, 3);
  ExpectSame(trials[0], expected[0]);
  EXPECT_FALSE(trials[1].completed);
  EXPECT_EQ(trials[1].end, "watchdog");
  EXPECT_EQ(trials[1].steps, 50);
  ExpectSame(trials[2], expected[2]);
  late.Stop();
  // A client that is less patient than the robot counts it as dead, and connects anew.
  ServedRobot silent(task, "  - {fault: link_stalls, from: 0.5 s, trials: [0]}\n", 30.0);
  const auto others = RunFaulty(silent, task, 2, 0.2);
  EXPECT_EQ(others[0].end, "aborted");
  EXPECT_NE(others[0].reason.find("silent"), std::string::npos) << others[0].reason;
  ExpectSame(others[1], expected[1]);
}

TEST(RobotTrials, ARobotProcessThatDiesIsRecordedForEveryTrialLeft) {
  const TaskSpec task = SlideTask();
  ServedRobot served(task, "  - {fault: robot_process_dies, from: 0.5 s, trials: [1]}\n");
  const auto trials = RunFaulty(served, task, 3);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_TRUE(trials[0].completed);
  EXPECT_NE(trials[1].reason.find("closed the connection or died"), std::string::npos);
  EXPECT_NE(trials[2].reason.find("robot not reachable"), std::string::npos);
  served.Stop();
  EXPECT_EQ(ExitStatus(served.status().error().kind), 3);
}

TEST(RobotTrials, OnARealClockFasterThanLifeAFaultyTrialIsJudgedToo) {
  const TaskSpec task = SlideTask();
  ServedRobot served(task,
                     "  - {fault: link_stalls, from: 0.2 s, for: 0.2 s}\n"
                     "  - {fault: sensor_drops_out, target: '*', from: 0.6 s, for: 0.1 s}\n",
                     5.0, LinkClock::kReal, 4.0);
  for (const RobotTrial& trial : RunFaulty(served, task, 2)) {
    EXPECT_TRUE(trial.completed) << trial.reason;
    EXPECT_EQ(trial.end, "horizon");
    EXPECT_EQ(trial.steps, 100);
    EXPECT_TRUE(trial.success.has_value());
  }
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
