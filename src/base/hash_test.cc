#include "base/hash.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace realward {
namespace {

TEST(Hash, MatchesTheStandardsExamples) {  // FIPS 180-4 examples
  EXPECT_EQ(HashBytes(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashBytes("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.Update("a");
  pieces.Update("bc");
  EXPECT_EQ(pieces.Hex(), HashBytes("abc"));
}

TEST(Hash, CanonicalJsonIgnoresKeyOrderAndSpace) {
  const Json a = Json::parse(R"({"b": 0.1, "a": [1, 2.50]})");
  const Json b = Json::parse(R"({"a":[1,2.5],"b":1e-1})");
  EXPECT_EQ(CanonicalJson(a), R"({"a":[1,2.5],"b":0.1})");
  EXPECT_EQ(HashJson(a), HashJson(b));
  EXPECT_NE(HashJson(a), HashJson(Json::parse(R"({"a":[1,2.5],"b":0.2})")));
}

TEST(Hash, NumbersKeepTheirLastBit) {
  const double next = std::nextafter(0.1, 1.0);
  EXPECT_NE(HashJson(Json{0.1}), HashJson(Json{next}));
}

TEST(HashDeathTest, RefusesNumbersWithoutACanonicalForm) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(CanonicalJson(Json{std::numeric_limits<double>::quiet_NaN()}), "isfinite");
}

TEST(Hash, FileEqualsBytes) {
  const std::string path = testing::TempDir() + "/hash_test.bin";
  const std::string content(200000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(*HashFile(path), HashBytes(content));
  std::filesystem::remove(path);
  EXPECT_EQ(HashFile(path).error().kind, ErrorKind::kEnvironment);
}

}  // namespace
}  // namespace realward
