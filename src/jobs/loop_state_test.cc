#include "jobs/loop_state.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

TEST(LoopState, EpisodesReadBack) {
  const EpisodeSummary episode{3, 7, 2, EpisodeEnd::kDiverged, false, -1.25, 40, -1.0};
  Json list = Json::array({ToJson(episode)});
  const auto read = *EpisodesFromJson(Json::parse(list.dump()));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(ToJson(read[0]), ToJson(episode));
  EXPECT_EQ(read[0].end, EpisodeEnd::kDiverged);
  list[0].erase("return");
  EXPECT_FALSE(EpisodesFromJson(list).ok());
}

TEST(LoopState, TrialsReadBackWithWhatIsUnknown) {
  RobotTrial aborted;
  aborted.trial = 4;
  aborted.end = "aborted";
  aborted.reason = "gone";
  RobotTrial done{5, true, true, 2.5, "horizon", 500, ""};
  const Json list = Json::array({ToJson(aborted), ToJson(done)});
  const auto read = *RobotTrialsFromJson(Json::parse(list.dump()));
  EXPECT_FALSE(read[0].success.has_value());
  EXPECT_EQ(read[0].reason, "gone");
  EXPECT_EQ(*read[1].trial_return, 2.5);
  EXPECT_EQ(ToJson(read[1]), ToJson(done));
}

TEST(LoopState, DecompositionsReadBack) {
  GapDecomposition d;
  d.parameters = {"mass"};
  d.nominal = {{0, 0, 0, EpisodeEnd::kHorizon, true, 1.0, 10, 0.5}};
  d.together = d.nominal;
  d.alone = {d.nominal};
  EXPECT_EQ(ToJson(*DecompositionFromJson(ToJson(d))), ToJson(d));
}

}  // namespace
}  // namespace realward
