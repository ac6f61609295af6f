#include "jobs/loop_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace realward {
namespace {

using testing::HasSubstr;

class LoopLogsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/loop_logs_" + std::to_string(::getpid());
    std::filesystem::create_directories(root_);
    std::ofstream(root_ + "/mapping.yaml")
        << "mapping: m\ntime: {column: t, unit: ms}\nchannels:\n"
           "  - {channel: hinge.position, column: q, unit: deg}\n"
           "commands:\n  - {actuator: motor, column: u, unit: N*m}\n";
    loop_.logs.mapping_path = root_ + "/mapping.yaml";
    loop_.logs.fit = {{root_ + "/a.csv", 0.0, 0.0}};
    loop_.logs.validate = {{root_ + "/b.csv", 0.2, 0.5}};
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& extra = "") {
    std::ofstream file(root_ + "/" + name);
    file << "t,q,u\n";
    for (int i = 0; i < 100; ++i)
      file << 10 * i << "," << 30.0 * i / 100 << "," << (i % 7) * 0.1 << "\n";
    file << extra;
  }
  Result<LoopLogs> Gather() { return GatherLogs({&loop_, &places_, nullptr, ""}); }

  std::string root_;
  LoopSpec loop_;
  DatasetPlaces places_;
};

TEST_F(LoopLogsTest, ReadsInSiAndCutsStretches) {
  Write("a.csv");
  Write("b.csv");
  const LoopLogs logs = *Gather();
  EXPECT_TRUE(logs.source.from_hardware);
  ASSERT_EQ(logs.fit[0].samples(), 100u);
  EXPECT_NEAR(logs.fit[0].values(50, 0), 15.0 * 3.14159265358979 / 180.0, 1e-12);
  ASSERT_EQ(logs.validate[0].samples(), 31u);
  EXPECT_NEAR(logs.validate[0].time_s.front() - logs.fit[0].time_s.front(), 0.2, 1e-12);
  EXPECT_EQ(logs.items.size(), 2u);
  EXPECT_EQ(logs.items[0].hash, *HashFile(root_ + "/a.csv"));
}

TEST_F(LoopLogsTest, ALogThatRunsBackwardsIsRefusedWithItsPlace) {
  Write("a.csv", "5,1,0\n");
  Write("b.csv");
  const auto refused = Gather();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("102"));  // the line
}

TEST_F(LoopLogsTest, AStretchOutsideTheLogIsAnError) {
  Write("a.csv");
  Write("b.csv");
  loop_.logs.validate[0].from = 5.0;
  loop_.logs.validate[0].until = 6.0;
  EXPECT_THAT(Gather().error().message, HasSubstr("fewer than two samples"));
}

TEST_F(LoopLogsTest, AMissingDataSetWithoutFallbackSaysSo) {
  loop_.logs.dataset = "nobody";
  places_.descriptions = {root_};
  const auto refused = Gather();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("nobody"));
}

}  // namespace
}  // namespace realward
