// Plays a fault script on a simulated robot: from state to state it switches the physical faults,
// changes the readings that go over the link, and says what the link shall do.
#ifndef REALWARD_DEPLOY_FAULT_PLAYER_H_
#define REALWARD_DEPLOY_FAULT_PLAYER_H_

#include <memory>
#include <span>
#include <vector>

#include "deploy/fault_physics.h"
#include "deploy/fault_script.h"
#include "deploy/link_server.h"

namespace realward {

class FaultPlayer {
 public:
  // For world 0 of `env`, made with PrepareForFaults; `env` must outlive this. `seed` and `unit`
  // address the draws of faults with a probability. Errors: those of BindFaults and FaultPhysics.
  static Result<std::unique_ptr<FaultPlayer>> Make(const FaultScript& script,
                                                   std::span<const LinkChannel> channels,
                                                   Environments& env, std::uint64_t seed,
                                                   std::uint32_t unit);

  // Called right before and right after the environment's reset for a trial.
  void BeforeReset() { physics_->BeforeReset(); }
  void AfterReset(std::int64_t trial);

  // Called with each state of the trial in turn, from seq 0: changes the readings, [channels], and
  // sets what acts until the next state. An offset acts first, then a freeze, then a drop-out; the
  // true state is not touched by them.
  void At(std::int64_t seq, std::span<double> readings);

  // What began and ended and what the link shall do, since the last call.
  RobotEffects TakeEffects();

 private:
  FaultPlayer() = default;
  void Begin(const BoundFault& fault);
  void End(const BoundFault& fault);
  void SetPhysics(const BoundFault& fault, bool acts);
  void ChangeReadings(std::span<double> readings);

  std::vector<BoundFault> faults_;
  std::uint64_t seed_ = 0;
  std::uint32_t unit_ = 0;
  double period_ = 0.0;
  std::unique_ptr<FaultPhysics> physics_;
  std::vector<std::uint8_t> chosen_;  // [faults]: happens in this trial
  std::vector<std::uint8_t> acting_;  // [faults]: 0, or whether it has just begun
  std::vector<double> frozen_;        // [channels]
  RobotEffects effects_;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_FAULT_PLAYER_H_
