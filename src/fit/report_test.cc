#include "fit/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fit/posterior.h"
#include "fit/test_logs.h"

namespace realward {
namespace {

using ::testing::HasSubstr;
using testing::SimulatedLog;

const std::atomic<bool> kNeverStop{false};

// A pendulum without velocity channel weights: the velocity is left out of the fit.
Result<FitReport> SmallFit(int threads) {
  static const ModelPtr model =
      std::move(LoadModel(testing::SourcePath("content/robots/pendulum/pendulum.xml"))).value();
  const auto log = [&](std::uint64_t seed) {
    return SimulatedLog(*model, {.duration = 1.5,
                                 .position_noise = 0.003,
                                 .velocity_noise = 0.1,
                                 .seed = seed,
                                 .command = [](double t) { return 2.0 * std::sin(4.0 * t); }});
  };
  const std::vector<Log> logs = {log(1)};
  const std::vector<Log> held_out = {log(2)};
  FitInput input;
  input.identify.model = model.get();
  input.identify.gap.name = "small";
  GapParameter mass;
  mass.name = "mass";
  mass.kind = "body_mass";
  mass.targets = {"pendulum"};
  mass.distribution.a = 0.9;
  mass.bound_low = 0.3;
  mass.bound_high = 1.6;
  input.identify.gap.parameters = {mass};
  input.identify.options.velocity_noise = std::numeric_limits<double>::infinity();
  input.identify.options.validation_window = 0.5;
  input.identify.logs = logs;
  input.identify.threads = threads;
  input.model = {"pendulum", "model-hash"};
  input.validation = held_out;
  return Fit(input, kNeverStop);
}

TEST(Report, IsCompleteAndTheSameBytesAtAnyThreadCount) {
  const auto one = SmallFit(1);
  const auto two = SmallFit(2);
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_TRUE(two.ok());
  const Json json = ToJson(*one);
  EXPECT_EQ(CanonicalJson(json), CanonicalJson(ToJson(*two)));
  EXPECT_NEAR(json["identification"]["parameters"][0]["estimate"].get<double>(), 0.676, 0.01);
  EXPECT_EQ(json["identification"]["parameters"][0]["unit"], "kg");
  EXPECT_TRUE(json["identification"]["channels"][1]["sigma"].is_null());  // left out
  EXPECT_TRUE(json["options"]["velocity_noise"].is_null());
  EXPECT_EQ(json["validation"][0]["hash"], "simulated-2");
  EXPECT_EQ(json["validation"][0]["errors"].size(), 2u);  // 0.5 s and the whole run
  EXPECT_EQ(json["derived"][0]["joint"], "hinge");
  EXPECT_EQ(one->Parents()[0], "model-hash");
  EXPECT_EQ(one->Parents()[2], "simulated-1");
}

TEST(Report, TextNamesWhatAReaderNeeds) {
  auto report = std::move(SmallFit(1)).value();
  const std::string text = ToText(report);
  EXPECT_THAT(text, HasSubstr("mass"));
  EXPECT_THAT(text, HasSubstr("[0.3, 1.6]"));
  EXPECT_THAT(text, HasSubstr("hinge: inertia 0.14733 -> "));
  EXPECT_THAT(text, HasSubstr("3 x 0.5 s"));
  EXPECT_THAT(text, HasSubstr("whole run"));
  report.identification.excited = false;
  report.identification.parameters[0].determined = false;
  report.identification.parameters[0].bound = BoundState::kAtLow;
  report.identification.undetermined = {{{"a", "b"}, {0.71, -0.71}, 0.98, "a and b together"}};
  const std::string bad = ToText(report);
  EXPECT_THAT(bad, HasSubstr("The logs excite no parameter"));
  EXPECT_THAT(bad, HasSubstr("on its lower bound, not determined"));
  EXPECT_THAT(bad, HasSubstr("does not determine a and b together: 98 % of the prior's spread"));
}

}  // namespace
}  // namespace realward
