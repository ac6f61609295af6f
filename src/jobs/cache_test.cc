#include "jobs/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/cache_test_" + std::to_string(::getpid());
  }
  void TearDown() override { fs::remove_all(root_); }

  Result<StageResult> Run(const Json& inputs) {
    return StageCache(root_).Run("stage", inputs,
                                 [this](const std::string& folder) -> Result<StageOutput> {
                                   ++runs_;
                                   RW_TRY(WriteFileAtomic(folder + "/data.txt", "content"));
                                   return StageOutput{{{"answer", 42}}, {"data.txt"}};
                                 });
  }

  std::string root_;
  int runs_ = 0;
};

TEST_F(CacheTest, RunsOncePerInputs) {
  const StageResult first = *Run({{"seed", 1}});
  const StageResult again = *Run({{"seed", 1}});
  EXPECT_EQ(runs_, 1);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(again.cached);
  EXPECT_EQ(again.hash, first.hash);
  EXPECT_EQ(again.value["answer"], 42);
  EXPECT_EQ(Run({{"seed", 2}})->hash, first.hash);  // other inputs, same content: same identity
  EXPECT_EQ(runs_, 2);
}

TEST_F(CacheTest, AlteredOrTornResultsRunAgain) {
  const StageResult first = *Run({{"seed", 1}});
  ASSERT_TRUE(WriteFileAtomic(first.folder + "/data.txt", "tampered").ok());
  EXPECT_FALSE(Run({{"seed", 1}})->cached);
  const std::string text = *ReadFile(first.folder + "/result.json");
  ASSERT_TRUE(WriteFileAtomic(first.folder + "/result.json", text.substr(0, text.size() / 2)).ok());
  EXPECT_FALSE(Run({{"seed", 1}})->cached);
  Json forged = Json::parse(text);
  forged["value"]["answer"] = 43;
  ASSERT_TRUE(WriteFileAtomic(first.folder + "/result.json", forged.dump()).ok());
  EXPECT_FALSE(Run({{"seed", 1}})->cached);
  fs::remove(first.folder + "/data.txt");
  EXPECT_FALSE(Run({{"seed", 1}})->cached);
  EXPECT_EQ(runs_, 5);
}

TEST_F(CacheTest, AFailedStageLeavesNoResult) {
  const auto failed = StageCache(root_).Run(
      "stage", {{"seed", 3}},
      [](const std::string&) -> Result<StageOutput> { return Interrupted("stopped"); });
  EXPECT_EQ(failed.error().kind, ErrorKind::kInterrupted);
  EXPECT_FALSE(StageCache(root_).Find("stage", {{"seed", 3}}).ok());
}

}  // namespace
}  // namespace realward
