#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>

namespace realward {
namespace {

TEST(Workers, RunEveryItemOnceAtAnyThreadCount) {
  for (int threads : {1, 2, 5}) {
    std::atomic<int> started{0};
    Workers workers(threads, [&] { ++started; });
    for (int round = 0; round < 50; ++round) {
      std::vector<int> counts(37, 0);
      workers.Run(37, [&](int i) { ++counts[i]; });
      EXPECT_EQ(counts, std::vector<int>(37, 1));
    }
    workers.Run(0, [](int) { FAIL(); });
    EXPECT_EQ(started, threads);
  }
}

}  // namespace
}  // namespace realward
