#include "jobs/robot_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace realward {
namespace {

TEST(RobotProcess, AProcessThatEndsIsNamedAsEnded) {
  const RobotProcess process =
      std::move(RobotProcess::Start({"/bin/false", "task.yaml", "", 1, "robot"})).value();
  const auto client = process.Connect();
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(client.error().message, testing::HasSubstr("process has ended (exit status 1)"));
}

TEST(RobotProcess, AProgramThatIsNotThereIsAnError) {
  const RobotProcess process =
      std::move(RobotProcess::Start({"/no/such/program", "task.yaml", "", 1, "robot"})).value();
  EXPECT_THAT(process.Connect().error().message, testing::HasSubstr("exit status 127"));
}

TEST(RobotProcess, LeavesNeitherProcessNorFolder) {
  pid_t pid = 0;
  std::string folder;
  {
    // Ignores its arguments and waits.
    const RobotProcess process =
        std::move(RobotProcess::Start({"/usr/bin/yes", "t", "", 1, "r"})).value();
    pid = process.pid();
    folder = std::filesystem::path(process.address().substr(5)).parent_path();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace realward
