#include "sim/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/sim_test_support.h"

namespace realward {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Contract, AcceptsItsOwnTask) {
  const TaskSpec task = sim_test::CartTask();
  const Json contract = MakeContract(task);
  EXPECT_TRUE(CheckContract(contract, task).ok());
  EXPECT_EQ(contract.at("observation_names").size(), 11u);
  // It survives its file form.
  EXPECT_TRUE(CheckContract(Json::parse(contract.dump()), task).ok());
}

// What a policy cannot see in its inputs and outputs may differ.
TEST(Contract, RewardsAndLimitsOfAnEpisodeDoNotMatter) {
  TaskSpec task = sim_test::CartTask();
  const Json contract = MakeContract(task);
  task.horizon *= 2;
  task.rewards.clear();
  task.terminations.clear();
  task.resets.clear();
  EXPECT_TRUE(CheckContract(contract, task).ok());
}

TEST(Contract, RefusesEveryDifferenceByName) {
  const TaskSpec task = sim_test::CartTask();
  const Json contract = MakeContract(task);
  struct Difference {
    const char* named;
    std::function<void(TaskSpec&)> change;
  };
  const Difference differences[] = {
      {"control_period_s", [](TaskSpec& t) { t.control_period = 0.02; }},
      {"observations", [](TaskSpec& t) { std::swap(t.observations[0], t.observations[2]); }},
      {"observations", [](TaskSpec& t) { t.observations[1].history = 3; }},
      {"observations", [](TaskSpec& t) { t.observations[1].scale = 1.0; }},
      {"observations", [](TaskSpec& t) { t.observations.pop_back(); }},
      {"actions", [](TaskSpec& t) { std::swap(t.actions[0], t.actions[1]); }},
      {"actions", [](TaskSpec& t) { t.actions[1].high = 0.9; }},
      {"actions", [](TaskSpec& t) { t.actions.pop_back(); }},
  };
  for (const Difference& difference : differences) {
    TaskSpec other = task;
    difference.change(other);
    const Status status = CheckContract(contract, other);
    ASSERT_FALSE(status.ok()) << difference.named;
    EXPECT_EQ(status.error().kind, ErrorKind::kRefused);
    EXPECT_THAT(status.error().message, HasSubstr(difference.named));
  }
}

TEST(Contract, ListsAllDifferencesAndOnlyThose) {
  TaskSpec other = sim_test::CartTask();
  const Json contract = MakeContract(other);
  other.control_period = 0.02;
  other.actions.pop_back();
  const std::string message = CheckContract(contract, other).error().message;
  EXPECT_THAT(message, HasSubstr("control_period_s"));
  EXPECT_THAT(message, HasSubstr("actions"));
  EXPECT_THAT(message, Not(HasSubstr("observations")));
}

TEST(Contract, RefusesWhatIsNoContract) {
  const TaskSpec task = sim_test::CartTask();
  EXPECT_FALSE(CheckContract(Json(), task).ok());
  EXPECT_FALSE(CheckContract(Json::array(), task).ok());
  EXPECT_FALSE(CheckContract(Json::object(), task).ok());
}

}  // namespace
}  // namespace realward
