// The rotary pendulum's recordings: fit on three chirps, predict two that were held out.
#include <gtest/gtest.h>

#include "fit/identify.h"
#include "fit/test_logs.h"
#include "fit/validate.h"

namespace realward {
namespace {

Log Chirp(const std::string& time) {
  return testing::FurutaRecording("qq_chrip_10to0Hz_+1.5V_250Hz_10s/2021-04-14_18-" + time +
                                  ".csv");
}

TEST(FurutaRecordings, HeldOutChirpsArePredictedHalfASecondAhead) {
  if (testing::DataFolder().empty()) GTEST_SKIP() << "no recorded data beside the checkout";
  const ModelPtr model =
      std::move(LoadModel(testing::SourcePath("content/robots/furuta/furuta.xml"))).value();
  const GapSpec gap =
      std::move(LoadGap(testing::SourcePath("content/gaps/furuta_fit.yaml"))).value();
  const std::vector<Log> logs = {Chirp("52-33"), Chirp("53-40"), Chirp("54-23")};
  const std::vector<Log> held_out = {Chirp("55-12"), Chirp("55-54")};
  IdentifyInput input;
  input.model = model.get();
  input.gap = gap;
  input.logs = logs;
  input.options.segment = 0.5;
  input.options.position_noise = 0.01;
  input.options.position_defect = 0.01;
  input.options.velocity_defect = 0.3;
  input.threads = 2;
  const std::atomic<bool> stop{false};
  const auto id = Identify(input, stop);
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_TRUE(id->converged);
  EXPECT_EQ(id->diverged, 0);
  const std::vector<double> windows = {0.5};
  const auto validation = Validate(*model, gap, id->values, held_out, windows, 2);
  ASSERT_TRUE(validation.ok()) << validation.error().message;
  for (const LogValidation& log : *validation) {
    const WindowError& e = log.errors[0];
    EXPECT_EQ(e.windows, 20);
    EXPECT_LE(e.fitted_rms[0], 0.060) << log.log << " " << e.channels[0];
    EXPECT_LE(e.fitted_rms[1], 0.030) << log.log << " " << e.channels[1];
    EXPECT_GT(e.datasheet_rms[0], 2.0 * e.fitted_rms[0]);
  }
}

}  // namespace
}  // namespace realward
