#include "logs/segment.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "logs/log_check.h"

namespace realward {
namespace {

Log Clock(std::size_t samples, double step = 0.01) {
  Log log;
  for (std::size_t i = 0; i < samples; ++i) log.time_s.push_back(step * static_cast<double>(i));
  return log;
}

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;
Ranges RangesOf(const std::vector<LogSegment>& segments) {
  Ranges ranges;
  for (const LogSegment& segment : segments) ranges.emplace_back(segment.first, segment.last);
  return ranges;
}

TEST(Segment, EqualPiecesAndTheTail) {
  EXPECT_EQ(RangesOf(CutSegments(Clock(100), 0.25)),
            (Ranges{{0, 25}, {25, 50}, {50, 75}, {75, 100}}));
  EXPECT_EQ(RangesOf(CutSegments(Clock(65), 0.25)), (Ranges{{0, 25}, {25, 50}, {50, 65}}));
  EXPECT_EQ(RangesOf(CutSegments(Clock(60), 0.25)), (Ranges{{0, 25}, {25, 50}}));
  EXPECT_EQ(RangesOf(CutSegments(Clock(40), 0.1)), (Ranges{{0, 10}, {10, 20}, {20, 30}, {30, 40}}));
  EXPECT_EQ(RangesOf(CutSegments(Clock(10), 5.0)), Ranges{});
  EXPECT_TRUE(CutSegments(Log(), 1.0).empty());
  const auto segments = CutSegments(Clock(100), 0.25);
  EXPECT_DOUBLE_EQ(segments[1].begin_s, 0.25);
  EXPECT_DOUBLE_EQ(segments[1].end_s, 0.49);
}

TEST(Segment, NeverCrossesGapsOrCuts) {
  Log log = Clock(100);
  for (std::size_t i = 40; i < 100; ++i) log.time_s[i] += 0.5;
  log.cuts = {70};
  EXPECT_EQ(RangesOf(ContinuousStretches(log)), (Ranges{{0, 40}, {40, 70}, {70, 100}}));
  EXPECT_EQ(RangesOf(CutSegments(log, 0.2)),
            (Ranges{{0, 20}, {20, 40}, {40, 60}, {60, 70}, {70, 90}, {90, 100}}));
}

// For any stamps: segments are ordered, disjoint, inside one stretch, and no longer than asked.
TEST(Segment, HoldsForUnevenStamps) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Stream stream({.seed = 17, .episode = trial});
    Log log;
    double time = stream.Uniform(-5, 5);
    const std::size_t samples = 2 + stream.Index(300);
    for (std::size_t i = 0; i < samples; ++i) {
      log.time_s.push_back(time);
      time += stream.Index(40) == 0 ? 0.5 : stream.Uniform(0.005, 0.015);
      if (i > 0 && stream.Index(50) == 0) log.cuts.push_back(i);
    }
    const double length = stream.Uniform(0.03, 1.0);
    const double step = MedianStep(log.time_s);
    std::size_t end = 0;
    for (const LogSegment& segment : CutSegments(log, length)) {
      ASSERT_GE(segment.first, end);
      ASSERT_GE(segment.samples(), 2u);
      ASSERT_LE(segment.end_s - segment.begin_s, length);
      for (std::size_t i = segment.first + 1; i < segment.last; ++i) {
        ASSERT_LE(log.time_s[i] - log.time_s[i - 1], 3 * step);
        for (const std::size_t cut : log.cuts) ASSERT_NE(cut, i);
      }
      end = segment.last;
    }
  }
}

}  // namespace
}  // namespace realward
