#include "base/record.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace realward {
namespace {

Record Sample() {
  Record record;
  record.meta = {{"step", 12}};
  record.Put("weights", std::vector<float>{1.5f, -2.0f});
  record.Put("empty", std::vector<double>{});
  return record;
}

TEST(Record, RoundTrips) {
  const Record read = *DecodeRecord(EncodeRecord(Sample()));
  EXPECT_EQ(read.meta["step"], 12);
  std::vector<float> weights(2);
  ASSERT_TRUE(read.Get("weights", weights).ok());
  EXPECT_EQ(weights, (std::vector<float>{1.5f, -2.0f}));
  std::vector<float> wrong(3);
  EXPECT_NE(read.Get("weights", wrong).error().message.find("weights"), std::string::npos);
  EXPECT_FALSE(read.Get("absent", wrong).ok());
}

TEST(Record, EveryCutAndEveryChangedByteIsRefused) {
  const std::string good = EncodeRecord(Sample());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeRecord(good.substr(0, size)).ok()) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(DecodeRecord(bad).ok()) << at;
  }
  std::string zeros = good;  // right size, zero-filled tail
  std::fill(zeros.end() - 70, zeros.end(), '\0');
  EXPECT_NE(DecodeRecord(zeros).error().message.find("hash"), std::string::npos);
}

TEST(Record, RandomBytesNeverCrash) {
  EXPECT_TRUE(rc::check([](const std::string& junk) {
    const std::string tail = "realward-record 1\n" + junk;
    RC_ASSERT(!DecodeRecord(junk).ok());
    RC_ASSERT(!DecodeRecord(tail).ok());
  }));
}

}  // namespace
}  // namespace realward
