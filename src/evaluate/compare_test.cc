#include "evaluate/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

namespace realward {
namespace {

Stream TestStream(std::uint64_t seed) { return Stream({.seed = seed, .purpose = Purpose::kTest}); }

TrialRecord Trial(const std::string& policy, std::uint64_t seed, bool success) {
  TrialRecord out;
  out.policy = policy;
  out.suite = std::string("held-out");
  out.key = {seed, "w", "0"};
  out.success = success;
  return out;
}

Result<Comparison> Compare(const std::vector<TrialRecord>& a, const std::vector<TrialRecord>& b) {
  Stream random = TestStream(1);
  return ComparePolicies(a, b, {.alpha = 0.05, .resamples = 200}, random);
}

TEST(Compare, PairsByKeyNotByRow) {
  // A succeeds on even seeds, B on odd ones; B's rows come in reverse. By row they would agree.
  std::vector<TrialRecord> a, b;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    a.push_back(Trial("a", seed, seed % 2 == 0));
    b.push_back(Trial("b", 9 - seed, seed % 2 == 0));
  }
  const auto made = Compare(a, b);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->table.pairs(), 10);
  EXPECT_EQ(made->table.only_a, 5);
  EXPECT_EQ(made->table.only_b, 5);
  EXPECT_TRUE(made->excluded.empty());
}

TEST(Compare, ExclusionsHaveReasons) {
  std::vector<TrialRecord> a, b;
  a.push_back(Trial("a", 1, true));  // a pair
  b.push_back(Trial("b", 1, false));
  a.push_back(Trial("a", 2, true));  // one-sided
  b.push_back(Trial("b", 3, true));
  a.push_back(Trial("a", 4, true));  // another world
  b.push_back(Trial("b", 4, true));
  b.back().key.world = "v";
  a.push_back(Trial("a", 5, true));  // another initial state
  b.push_back(Trial("b", 5, true));
  b.back().key.initial_state = "1";
  a.push_back(Trial("a", 6, true));  // aborted on one side
  b.push_back(Trial("b", 6, false));
  b.back().end = TrialEnd::kAborted;
  a.push_back(Trial("a", 7, true));  // another suite is another trial
  b.push_back(Trial("b", 7, true));
  b.back().suite = "nominal";
  const auto made = Compare(a, b);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->table.pairs(), 1);
  std::vector<std::string> listed;
  for (const auto& e : made->excluded) {
    listed.push_back(e.suite + " " + std::to_string(e.seed) + " " + std::string(Name(e.reason)));
  }
  const std::vector<std::string> expected = {
      "held-out 2 only A",        "held-out 3 only B",
      "held-out 4 world differs", "held-out 5 initial state differs",
      "held-out 6 aborted",       "held-out 7 only A",
      "nominal 7 only B"};
  EXPECT_EQ(listed, expected);
}

TEST(Compare, VerdictNeedsEvidence) {
  auto verdict = [](int only_a, int only_b) {
    std::vector<TrialRecord> a, b;
    std::uint64_t seed = 0;
    for (int i = 0; i < only_a; ++i, ++seed) {
      a.push_back(Trial("a", seed, true));
      b.push_back(Trial("b", seed, false));
    }
    for (int i = 0; i < only_b; ++i, ++seed) {
      a.push_back(Trial("a", seed, false));
      b.push_back(Trial("b", seed, true));
    }
    a.push_back(Trial("a", seed, true));
    b.push_back(Trial("b", seed, true));
    return Compare(a, b)->verdict;
  };
  EXPECT_EQ(verdict(5, 0), Verdict::kNotShown);  // p = 1/16
  EXPECT_EQ(verdict(6, 0), Verdict::kABetter);   // p = 1/32
  EXPECT_EQ(verdict(0, 6), Verdict::kBBetter);
  EXPECT_EQ(verdict(0, 0), Verdict::kNotShown);
}

TEST(Compare, AbortsThatDecideAreShown) {
  std::vector<TrialRecord> a, b;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    a.push_back(Trial("a", seed, true));
    b.push_back(Trial("b", seed, false));
    if (seed >= 4) b.back().end = TrialEnd::kEmergencyStop;
  }
  const auto made = Compare(a, b);
  EXPECT_EQ(made->verdict, Verdict::kNotShown);  // 4 : 0 among the finished
  EXPECT_EQ(made->verdict_aborts_fail, Verdict::kABetter);
  EXPECT_EQ(made->excluded.size(), 4u);
}

TEST(Compare, NothingInCommon) {
  const auto made = Compare({Trial("a", 1, true)}, {Trial("b", 2, true)});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->table.pairs(), 0);
  EXPECT_FALSE(made->success.difference.has_value());
  EXPECT_EQ(made->verdict, Verdict::kNotShown);
  EXPECT_EQ(made->return_difference.state, MeanState::kNotMeasured);
  EXPECT_NE(CanonicalJson(ToJson(*made)).find("\"difference\":null"), std::string::npos);
}

TEST(Compare, ReturnsArePairedToo) {
  std::vector<TrialRecord> a, b;
  Stream data = TestStream(2);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const double difficulty = 20.0 * data.Normal();
    a.push_back(Trial("a", seed, true));
    a.back().episode_return = difficulty + 1.0 + 0.5 * data.Normal();
    b.push_back(Trial("b", seed, true));
    b.back().episode_return = difficulty + 0.5 * data.Normal();
  }
  a.back().episode_return.reset();
  std::reverse(b.begin(), b.end());
  const auto made = Compare(a, b);
  EXPECT_EQ(made->return_difference.count, 29u);
  EXPECT_EQ(made->return_difference.replication, "pair");
  EXPECT_NEAR(*made->return_difference.mean, 1.0, 0.5);
  EXPECT_LT(made->return_difference.interval->width(), 1.0);
}

TEST(Compare, BadInputIsNamed) {
  EXPECT_NE(Compare({}, {Trial("b", 1, true)}).error().message.find("side A"), std::string::npos);
  EXPECT_NE(Compare({Trial("a", 1, true), Trial("c", 1, true)}, {Trial("b", 1, true)})
                .error()
                .message.find("'a' and 'c'"),
            std::string::npos);
  EXPECT_NE(Compare({Trial("a", 1, true)}, {Trial("a", 1, true)}).error().message.find("'a'"),
            std::string::npos);
  Stream random = TestStream(3);
  const std::vector<TrialRecord> a = {Trial("a", 1, true)}, b = {Trial("b", 1, true)};
  EXPECT_FALSE(ComparePolicies(a, b, {.alpha = 0.0, .resamples = 200}, random).ok());
}

RC_GTEST_PROP(Compare, OrderAndSidesDoNotMatter, ()) {
  const auto seeds_a = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 30));
  const auto seeds_b = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 30));
  RC_PRE(!seeds_a.empty() && !seeds_b.empty());
  std::vector<TrialRecord> a, b;
  auto fill = [](const std::string& policy, const std::vector<int>& seeds, auto& out) {
    for (int seed : seeds) {
      out.push_back(Trial(policy, seed, *rc::gen::arbitrary<bool>()));
      out.back().episode_return = *rc::gen::inRange(-9, 9);
    }
  };
  fill("a", seeds_a, a);
  fill("b", seeds_b, b);
  const auto made = Compare(a, b);
  std::reverse(a.begin(), a.end());
  RC_ASSERT(CanonicalJson(ToJson(*Compare(a, b))) == CanonicalJson(ToJson(*made)));
  const auto swapped = Compare(b, a);
  RC_ASSERT(swapped->table.only_a == made->table.only_b);
  RC_ASSERT(swapped->p_value == made->p_value);
  // Every trial is in a pair or in the list.
  std::size_t in_list = 0;
  for (const auto& e : made->excluded) in_list += e.a.has_value() + e.b.has_value();
  RC_ASSERT(2 * made->table.pairs() + in_list == a.size() + b.size());
}

}  // namespace
}  // namespace realward
