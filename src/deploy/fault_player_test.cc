#include "deploy/fault_player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/test_task.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::SlideGap;
using testing_support::SlideTask;

// Plays a script on made-up readings of a channel pair: state k measures (k, 100 + k), 0.01 s
// apart.
class Played {
 public:
  explicit Played(const std::string& faults) {
    EnvironmentOptions options;
    options.auto_reset = false;
    options.edit_model = &PrepareForFaults;
    env_ = std::move(Environments::Make(SlideTask(), SlideGap(), options)).value();
    const std::vector<LinkChannel> channels = {{"rail.position", "m"}, {"rail.velocity", "m/s"}};
    auto player = FaultPlayer::Make(ParseFaults("faults:\n" + faults, "f.yaml").value(), channels,
                                    *env_, 1, 0);
    EXPECT_TRUE(player.ok()) << player.error().message;
    player_ = std::move(player).value();
  }
  // Position readings of states 0 … last.
  std::vector<double> Positions(int trial, int last) {
    std::vector<double> values;
    notes_.clear();
    player_->BeforeReset();
    env_->Reset(0, trial);
    player_->AfterReset(trial);
    for (int k = 0; k <= last; ++k) {
      std::vector<double> readings = {1.0 * k, 100.0 + k};
      player_->At(k, readings);
      values.push_back(readings[0]);
      EXPECT_EQ(readings[1], 100.0 + k) << "the other channel";
      const RobotEffects effects = player_->TakeEffects();
      for (const RobotNote& note : effects.notes)
        notes_.push_back(std::to_string(k) + " " + note.kind + " " + note.message);
      effects_.push_back(effects);
    }
    return values;
  }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<RobotEffects>& effects() const { return effects_; }

 private:
  std::unique_ptr<Environments> env_;
  std::unique_ptr<FaultPlayer> player_;
  std::vector<std::string> notes_;
  std::vector<RobotEffects> effects_;
};

TEST(FaultPlayer, AFrozenSensorRepeatsTheReadingOfItsFirstInstant) {
  Played played(
      "  - {fault: sensor_freezes, target: rail.position, trials: [2], from: 30 ms, for: 30 ms}\n");
  EXPECT_THAT(played.Positions(2, 7), ElementsAre(0, 1, 2, 3, 3, 3, 6, 7));
  EXPECT_THAT(played.notes(), ElementsAre("3 fault_begins sensor_freezes of 'rail.position'",
                                          "6 fault_ends sensor_freezes of 'rail.position'"));
  EXPECT_THAT(played.Positions(1, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(played.notes(), IsEmpty());
}

TEST(FaultPlayer, ADropOutIsNoReading) {
  Played played("  - {fault: sensor_drops_out, target: '*.position', from: 0 s, for: 20 ms}\n");
  EXPECT_THAT(played.Positions(0, 3), ElementsAre(testing::IsNan(), testing::IsNan(), 2, 3));
}

// Offsets add up; a frozen reading keeps the offset that it was frozen with; a drop-out hides it.
TEST(FaultPlayer, AJumpIsAnOffsetUnderTheOtherFaults) {
  Played played(
      "  - {fault: sensor_freezes, target: rail.position, from: 40 ms, for: 20 ms}\n"
      "  - {fault: sensor_jumps, target: rail.position, from: 10 ms, by: 500 mm}\n"
      "  - {fault: sensor_jumps, target: rail.position, from: 40 ms, by: -2 m, for: 10 ms}\n"
      "  - {fault: sensor_drops_out, target: rail.position, from: 70 ms}\n");
  EXPECT_THAT(played.Positions(0, 7),
              ElementsAre(0, 1.5, 2.5, 3.5, 2.5, 2.5, 6.5, testing::IsNan()));
}

TEST(FaultPlayer, SaysWhatTheLinkShallDo) {
  Played played(
      "  - {fault: link_stalls, from: 10 ms, for: 300 ms}\n"
      "  - {fault: link_breaks, from: 20 ms, trials: [0]}\n"
      "  - {fault: robot_process_dies, from: 30 ms}\n"
      "  - {fault: link_stalls, from: 1 s}\n");
  played.Positions(0, 100);
  const auto& effects = played.effects();
  EXPECT_EQ(effects[0].hold_s, 0.0);
  EXPECT_DOUBLE_EQ(effects[1].hold_s, 0.3);
  EXPECT_EQ(effects[2].hold_s, 0.0);
  EXPECT_TRUE(effects[2].breaks);
  EXPECT_FALSE(effects[2].dies);
  EXPECT_TRUE(effects[3].dies);
  EXPECT_EQ(effects[100].hold_s, std::numeric_limits<double>::infinity());
}

TEST(FaultPlayer, AScriptThatDoesNotFitTheRobotIsRefused) {
  EnvironmentOptions options;
  options.edit_model = &PrepareForFaults;
  const auto env = std::move(Environments::Make(SlideTask(), SlideGap(), options)).value();
  const auto script =
      ParseFaults("faults:\n  - {fault: joint_jams, target: rial, from: 0 s}\n", "f.yaml");
  const auto player = FaultPlayer::Make(*script, {}, *env, 1, 0);
  ASSERT_FALSE(player.ok());
  EXPECT_THAT(player.error().message, HasSubstr("f.yaml:2: joint_jams: unknown joint 'rial'"));
}

}  // namespace
}  // namespace realward
