#include "deploy/fault_player.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace realward {
namespace {

// Values of acting_.
constexpr std::uint8_t kJustBegun = 1;
constexpr std::uint8_t kGoesOn = 2;

}  // namespace

Result<std::unique_ptr<FaultPlayer>> FaultPlayer::Make(const FaultScript& script,
                                                       std::span<const LinkChannel> channels,
                                                       Environments& env, std::uint64_t seed,
                                                       std::uint32_t unit) {
  std::unique_ptr<FaultPlayer> player(new FaultPlayer());
  FaultSites sites;
  sites.channels.assign(channels.begin(), channels.end());
  sites.joints = JammableJoints(env.model());
  sites.actuators = ObjectNames(env.model(), mjOBJ_ACTUATOR);
  player->period_ = env.control_period();
  RW_ASSIGN(player->faults_, BindFaults(script, sites, player->period_));
  const bool jams =
      std::any_of(player->faults_.begin(), player->faults_.end(),
                  [](const BoundFault& f) { return f.spec.kind == FaultKind::kJointJams; });
  RW_ASSIGN(player->physics_, FaultPhysics::Make(env, 0, jams));
  player->seed_ = seed;
  player->unit_ = unit;
  player->chosen_.assign(player->faults_.size(), 0);
  player->acting_ = player->chosen_;
  player->frozen_.assign(channels.size(), 0.0);
  return player;
}

void FaultPlayer::AfterReset(std::int64_t trial) {
  physics_->AfterReset();
  effects_ = {};
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    chosen_[i] = Happens(faults_[i].spec, i, seed_, unit_, trial);
    acting_[i] = 0;
  }
}

void FaultPlayer::At(std::int64_t seq, std::span<double> readings) {
  // Ends come before beginnings: of two faults in a row the second is the one that then holds.
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (acting_[i] && !faults_[i].ActsAt(seq)) {
      acting_[i] = 0;
      End(faults_[i]);
    }
  }
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (chosen_[i] && !acting_[i] && faults_[i].ActsAt(seq)) {
      acting_[i] = kJustBegun;
      Begin(faults_[i]);
    }
  }
  ChangeReadings(readings);
  for (std::uint8_t& acts : acting_) acts = acts ? kGoesOn : 0;
}

void FaultPlayer::Begin(const BoundFault& fault) {
  effects_.notes.push_back({"fault_begins", fault.Text()});
  SetPhysics(fault, true);
  switch (fault.spec.kind) {
    case FaultKind::kLinkStalls:
      effects_.hold_s = fault.spec.duration ? static_cast<double>(fault.end - fault.begin) * period_
                                            : std::numeric_limits<double>::infinity();
      break;
    case FaultKind::kLinkBreaks:
      effects_.breaks = true;
      break;
    case FaultKind::kRobotProcessDies:
      effects_.dies = true;
      break;
    default:
      break;
  }
}

void FaultPlayer::End(const BoundFault& fault) {
  effects_.notes.push_back({"fault_ends", fault.Text()});
  SetPhysics(fault, false);
}

void FaultPlayer::SetPhysics(const BoundFault& fault, bool acts) {
  if (fault.spec.kind == FaultKind::kVoltageDrops)
    physics_->SetSupply(acts ? fault.spec.amount : 1.0);
  for (const int target : fault.targets) {
    if (fault.spec.kind == FaultKind::kJointJams) physics_->Jam(target, acts);
    if (fault.spec.kind == FaultKind::kActuatorDies) physics_->Kill(target, acts);
  }
}

void FaultPlayer::ChangeReadings(std::span<double> readings) {
  const auto each = [&](FaultKind kind, auto change) {
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      if (acting_[i] == 0 || faults_[i].spec.kind != kind) continue;
      for (const int c : faults_[i].targets) change(i, c);
    }
  };
  each(FaultKind::kSensorJumps,
       [&](std::size_t i, int c) { readings[c] += faults_[i].spec.amount; });
  each(FaultKind::kSensorFreezes, [&](std::size_t i, int c) {
    if (acting_[i] == kJustBegun) frozen_[c] = readings[c];
    readings[c] = frozen_[c];
  });
  each(FaultKind::kSensorDropsOut,
       [&](std::size_t, int c) { readings[c] = std::numeric_limits<double>::quiet_NaN(); });
}

RobotEffects FaultPlayer::TakeEffects() { return std::exchange(effects_, {}); }

}  // namespace realward
