#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

namespace realward {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/file_test_" + std::to_string(::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_;
};

TEST_F(FileTest, WritesReplacesAndReads) {
  const std::string path = folder_ + "/a.txt";
  ASSERT_TRUE(WriteFileAtomic(path, "one").ok());
  ASSERT_TRUE(WriteFileAtomic(path, "two").ok());
  EXPECT_EQ(*ReadFile(path), "two");
}

// A file-size limit makes write() fail half way, as a full disk does.
TEST_F(FileTest, AFailedWriteKeepsTheOldFileAndLeavesNothingBehind) {
  const std::string path = folder_ + "/a.txt";
  ASSERT_TRUE(WriteFileAtomic(path, "good").ok());
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit old_limit {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  struct rlimit small = old_limit;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = WriteFileAtomic(path, std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &old_limit);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kEnvironment);
  EXPECT_NE(status.error().message.find(path), std::string::npos);
  EXPECT_NE(status.error().message.find("bytes free"), std::string::npos);
  EXPECT_EQ(*ReadFile(path), "good");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, ErrorsNameThePath) {
  EXPECT_NE(ReadFile(folder_ + "/missing").error().message.find("missing"), std::string::npos);
  EXPECT_FALSE(ReadFile(folder_).ok());
  EXPECT_FALSE(WriteFileAtomic(folder_ + "/no/such/folder.txt", "x").ok());
}

}  // namespace
}  // namespace realward
