#include "logs/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/hash.h"
#include "logs/csv.h"

namespace realward {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr char kCommit[] = "0123456789abcdef0123456789abcdef01234567";

// A data set of two small files, described in a fresh folder.
class DatasetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("rw_dataset_" +
             std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    for (const char* folder : {"describe", "mirror_a/toy/runs", "mirror_b/toy/runs"})
      fs::create_directories(root_ / folder);
    Write("describe/toy.yaml", Description());
    options_.description_folders = {(root_ / "describe").string()};
    options_.mirror_folders = {(root_ / "mirror_a").string(), (root_ / "mirror_b").string()};
    options_.cache_folder = (root_ / "cache").string();
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(WriteFileAtomic((root_ / name).string(), content).ok());
  }

  static std::string Description() {
    return std::string(
               "dataset: toy\ntitle: Toy runs\nsources:\n  - {name: lab, repository: "
               "https://example.org/lab, commit: ") +
           kCommit + ", licence: BSD-3-Clause, url: \"https://example.org/{commit}/{path}\"}\n" +
           "layouts:\n  - name: simple\n    columns:\n      - {name: time, unit: s, meaning: "
           "time}\nfiles:\n" +
           "  - {name: runs/one.csv, source: lab, path: data/1.csv, sha256: " + HashBytes("one") +
           ", layout: simple, rate: 200 Hz}\n" +
           "  - {name: runs/two.csv, source: lab, path: data/2.csv, sha256: " + HashBytes("two") +
           ", layout: simple, rate: 0.2 kHz}\n";
  }

  fs::path root_;
  DatasetOptions options_;
};

TEST_F(DatasetTest, FilesAreUsedWhereTheyLie) {
  Write("mirror_a/toy/runs/one.csv", "one");
  Write("mirror_b/toy/runs/two.csv", "two");
  const auto got = GetDataset("toy", options_);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->paths.at("runs/one.csv"), (root_ / "mirror_a/toy/runs/one.csv").string());
  EXPECT_EQ(got->paths.at("runs/two.csv"), (root_ / "mirror_b/toy/runs/two.csv").string());
  EXPECT_EQ(got->dataset.files[1].rate_hz, 200.0);
  EXPECT_FALSE(fs::exists(root_ / "cache"));
}

TEST_F(DatasetTest, AWrongHashIsRefusedAndNamed) {
  Write("mirror_a/toy/runs/one.csv", "One");
  Write("mirror_a/toy/runs/two.csv", "two");
  const auto got = GetDataset("toy", options_);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, ErrorKind::kRefused);
  EXPECT_THAT(got.error().message, HasSubstr("runs/one.csv: found " + HashBytes("One") +
                                             ", expected " + HashBytes("one")));
  // A right copy further on is used instead.
  Write("mirror_b/toy/runs/one.csv", "one");
  const auto again = GetDataset("toy", options_);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->paths.at("runs/one.csv"), HasSubstr("mirror_b"));
}

TEST_F(DatasetTest, MissingFilesSayWhatWasTried) {
  Write("mirror_a/toy/runs/one.csv", "one");
  const auto got = GetDataset("toy", options_);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(got.error().message, HasSubstr("1 of 2 files are missing"));
  EXPECT_THAT(got.error().message,
              HasSubstr("not at " + (root_ / "mirror_b/toy/runs/two.csv").string()));
  EXPECT_THAT(got.error().message, HasSubstr("REALWARD_DATA"));
  options_.files = {"*/one.csv"};
  EXPECT_TRUE(GetDataset("toy", options_).ok());
  options_.files = {"runs/onw.csv"};
  EXPECT_THAT(GetDataset("toy", options_).error().message,
              HasSubstr("nearest valid: runs/one.csv"));
}

TEST_F(DatasetTest, FetchedFilesAreCheckedThenKept) {
  std::vector<std::string> urls;
  std::string second = "not two";
  options_.fetch = [&](const std::string& url) -> Result<std::string> {
    urls.push_back(url);
    return std::string(url.ends_with("1.csv") ? "one" : second);
  };
  const auto got = GetDataset("toy", options_);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(urls[0], std::string("https://example.org/") + kCommit + "/data/1.csv");
  EXPECT_TRUE(fs::exists(root_ / "cache/toy/runs/one.csv"));
  EXPECT_FALSE(fs::exists(root_ / "cache/toy/runs/two.csv"));
  second = "two";
  urls.clear();
  ASSERT_TRUE(GetDataset("toy", options_).ok());
  EXPECT_EQ(urls.size(), 1u);  // the first is in the cache
  options_.fetch = [](const std::string&) -> Result<std::string> {
    return EnvironmentError("no route to host");
  };
  fs::remove_all(root_ / "cache");
  EXPECT_THAT(GetDataset("toy", options_).error().message, HasSubstr("no route to host"));
}

TEST_F(DatasetTest, UnknownNamesListTheNearest) {
  EXPECT_EQ(GetDataset("toi", options_).error().message,
            "unknown data set 'toi'; nearest valid: toy");
  EXPECT_EQ(GetDataset("../describe/toy", options_).error().kind, ErrorKind::kInvalidInput);
}

TEST_F(DatasetTest, DescriptionsAreStrict) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string text = Description();
    text.replace(text.find(from), from.size(), to);
    const auto dataset = ParseDataset(text, "toy.yaml");
    return dataset.ok() ? std::string("no error") : dataset.error().message;
  };
  EXPECT_EQ(error("toy", "toy"), "no error");
  EXPECT_THAT(error("name: runs/one.csv", "name: ../one.csv"),
              HasSubstr("toy.yaml:10: key 'name' in files[0]"));
  EXPECT_THAT(error("name: runs/one.csv", "name: /one.csv"), HasSubstr("relative"));
  EXPECT_THAT(error("dataset: toy", "dataset: a/b"), HasSubstr("plain folder name"));
  EXPECT_THAT(error(HashBytes("one"), "abc"), HasSubstr("64 lower-case"));
  EXPECT_THAT(error("source: lab", "source: lap"), HasSubstr("nearest valid: lab"));
  EXPECT_THAT(error("layout: simple", "layout: sample"), HasSubstr("nearest valid: simple"));
  EXPECT_THAT(error("200 Hz", "200 m"), HasSubstr("key 'rate'"));
  EXPECT_EQ(error(", layout: simple, rate: 200 Hz", ""), "no error");  // no table
  EXPECT_THAT(error(", layout: simple", ""), HasSubstr("key 'layout' in files[0]: is missing"));
  EXPECT_THAT(error(", rate: 200 Hz", ""), HasSubstr("a table has a layout and a rate"));
  EXPECT_THAT(error("licence", "license"), HasSubstr("nearest valid: licence"));
  EXPECT_THAT(error("unit: s", "unit: sek"), HasSubstr("key 'unit'"));
  EXPECT_THAT(error("runs/two.csv", "runs/one.csv"), HasSubstr("twice"));
}

// The descriptions in the repository read, and what they say about columns and hashes holds for the
// files when those are here.
TEST(Dataset, ShippedDescriptionsFitTheFiles) {
  DatasetOptions options;
  options.description_folders = {std::string(RW_SOURCE_DIR) + "/content/datasets"};
  const auto names = DatasetNames(options.description_folders);
  ASSERT_THAT(names, ::testing::IsSupersetOf({"actuator_nets", "dfki_pendulums", "quanser_tud"}));
  for (const std::string& name : names) {
    const auto dataset = FindDataset(name, options);
    ASSERT_TRUE(dataset.ok()) << dataset.error().message;
  }
  const std::string mirror = std::string(RW_SOURCE_DIR) + "/../shared/data";
  if (!fs::exists(mirror)) GTEST_SKIP() << "no recorded data beside the checkout";
  options.mirror_folders = {mirror};
  for (const std::string& name : names) {
    const auto got = GetDataset(name, options);
    ASSERT_TRUE(got.ok()) << got.error().message;
    for (const DatasetFile& file : got->dataset.files) {
      if (file.layout.empty()) continue;  // no table
      const auto table = ReadCsv(got->paths.at(file.name));
      ASSERT_TRUE(table.ok()) << table.error().message;
      const DatasetLayout& layout = got->dataset.LayoutOf(file);
      ASSERT_EQ(table->columns.size(), layout.columns.size()) << file.name;
      for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        EXPECT_EQ(table->columns[i].name, layout.columns[i].name) << file.name;
      }
    }
  }
}

}  // namespace
}  // namespace realward
