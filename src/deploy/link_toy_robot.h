// A robot for the tests of the link: integrates its one command, records what it was told. Test
// code only.
#ifndef REALWARD_DEPLOY_LINK_TOY_ROBOT_H_
#define REALWARD_DEPLOY_LINK_TOY_ROBOT_H_

#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "deploy/link_server.h"

namespace realward {

// Generous: only a test that fails waits this long.
inline LinkTime Soon() { return LinkDeadline(20.0); }

struct ToyOptions {
  bool tcp = false;
  LinkClock clock = LinkClock::kVirtual;
  double control_period_s = 0.01;
  double watchdog_s = 30.0;
  double safe = 0.0;
  double hello_timeout_s = 20.0;
  int horizon = 1000000;
  int fail_at_step = -1;
  std::map<int, RobotEffects> effects = {};  // by step; 0: of the reset
  ServeOptions serve = {};                   // stop and hello_timeout_s are set by the server
};

// Channels: position (0.5 at reset, += 0.01 · command) and the last command (the seed at reset).
class ToyRobot : public RobotBackend {
 public:
  explicit ToyRobot(const ToyOptions& options) : options_(options) {}

  RobotDescription Describe() const override {
    RobotDescription robot;
    robot.robot = "toy";
    robot.channels = {{"position", "m"}, {"command", "m/s"}};
    robot.actuators = {{"motor", "m/s", -2.0, 2.0, options_.safe}};
    robot.control_period_s = options_.control_period_s;
    robot.clock = options_.clock;
    robot.watchdog_s = options_.watchdog_s;
    return robot;
  }
  Result<std::vector<double>> Reset(std::int64_t trial, std::uint64_t seed) override {
    if (trial == 666) return Refused("no such trial");
    const std::lock_guard lock(mutex_);
    ++resets_;
    steps_ = 0;
    position_ = 0.5;
    return std::vector<double>{position_, static_cast<double>(seed)};
  }
  Result<RobotStep> Step(std::span<const double> command) override {
    const std::lock_guard lock(mutex_);
    if (++steps_ == options_.fail_at_step) return EnvironmentError("the motor is on fire");
    commands_.push_back(command[0]);
    position_ += 0.01 * command[0];
    RobotStep step{{position_, command[0]}, std::nullopt};
    if (steps_ >= options_.horizon)
      step.outcome = TrialOutcome{true, position_, LinkTrialEnd::kHorizon};
    return step;
  }
  RobotEffects TakeEffects() override {
    const std::lock_guard lock(mutex_);
    const auto found = options_.effects.find(steps_);
    return found == options_.effects.end() ? RobotEffects() : found->second;
  }
  TrialOutcome Stop() override {
    const std::lock_guard lock(mutex_);
    ++stops_;
    return {std::nullopt, position_, LinkTrialEnd::kStopped};
  }

  std::vector<double> commands() const {
    const std::lock_guard lock(mutex_);
    return commands_;
  }
  int stops() const {
    const std::lock_guard lock(mutex_);
    return stops_;
  }
  int resets() const {
    const std::lock_guard lock(mutex_);
    return resets_;
  }

 private:
  const ToyOptions options_;
  mutable std::mutex mutex_;
  double position_ = 0.0;
  int steps_ = 0;
  int stops_ = 0;
  int resets_ = 0;
  std::vector<double> commands_;
};

// Serves a ToyRobot on a thread of its own.
class ToyServer {
 public:
  explicit ToyServer(const ToyOptions& options = {}) : backend_(options) {
    static std::atomic<int> count{0};
    const std::string path =
        "/tmp/rw_toy_" + std::to_string(::getpid()) + "_" + std::to_string(count.fetch_add(1));
    auto listener = LinkSocket::Listen(options.tcp ? "tcp:127.0.0.1:0" : "unix:" + path);
    RW_CHECK(listener.ok());
    listener_ = std::move(*listener);
    address_ = options.tcp ? listener_.address() : "unix:" + path;
    serve_ = options.serve;
    serve_.stop = &stop_;
    serve_.hello_timeout_s = options.hello_timeout_s;
    thread_ = std::thread([this] {
      status_ = ServeRobot(listener_, backend_, serve_);
      listener_.Close();
    });
  }
  ~ToyServer() { (void)Join().ok(); }

  // Sets the stop flag and waits.
  Status Join() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return status_;
  }
  const std::string& address() const { return address_; }
  const ToyRobot& backend() const { return backend_; }

 private:
  ToyRobot backend_;
  LinkSocket listener_;
  std::atomic<bool> stop_{false};
  ServeOptions serve_;
  Status status_;
  std::string address_;
  std::thread thread_;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_TOY_ROBOT_H_
