// The virtual robot: one hidden world behind the robot link. It runs in its own process (`realward
// robot serve`); whoever talks to it sees measured channels and nothing of its parameters.
#ifndef REALWARD_DEPLOY_VIRTUAL_ROBOT_H_
#define REALWARD_DEPLOY_VIRTUAL_ROBOT_H_

#include <memory>
#include <string>

#include "deploy/fault_player.h"
#include "deploy/fault_script.h"
#include "deploy/link_server.h"
#include "sim/environments.h"

namespace realward {

struct VirtualRobotOptions {
  std::string name = "virtual-robot";
  std::uint64_t seed = 1;  // which fleet of the hidden spec: all its draws
  std::uint32_t unit = 0;  // which robot of that fleet: its unit-level draws
  LinkClock clock = LinkClock::kVirtual;
  double watchdog = 2.0;  // s of wall time without a command
  FaultScript faults;     // what goes wrong; none: nothing of it is there
};

// One robot of the gap spec's distribution. Its unit-level parameters stay the same for its life;
// trial k has its own episode-level draws, start state, sensor noise and scripted faults, all
// functions of (seed, unit, trial), so two policies that run trial k meet the same conditions,
// whichever other units are served beside it.
class VirtualRobot : public RobotBackend {
 public:
  // Errors: those of Environments::Make and of FaultPlayer::Make.
  static Result<std::unique_ptr<VirtualRobot>> Make(const TaskSpec& task, const GapSpec& hidden,
                                                    const VirtualRobotOptions& options);

  RobotDescription Describe() const override;
  // `seed` is the client's and is ignored: conditions are the robot's own.
  Result<std::vector<double>> Reset(std::int64_t trial, std::uint64_t seed) override;
  Result<RobotStep> Step(std::span<const double> command) override;
  TrialOutcome Stop() override;
  RobotEffects TakeEffects() override;

 private:
  VirtualRobot() = default;
  // What is measured now, with the faults of the sensors.
  std::vector<double> Readings();

  VirtualRobotOptions options_;
  std::unique_ptr<Environments> env_;
  std::vector<float> action_;
  std::unique_ptr<FaultPlayer> faults_;  // null: no script
  std::int64_t seq_ = 0;                 // control periods since the reset
  double return_ = 0.0;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_VIRTUAL_ROBOT_H_
