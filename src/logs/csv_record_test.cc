#include "logs/csv_record.h"

#include <gtest/gtest.h>

#include <sstream>

namespace realward {
namespace {

using Records = std::vector<std::vector<std::string>>;

Records Split(const std::string& text, char separator = ',') {
  std::istringstream stream(text);
  CsvRecordReader reader(stream, separator, 1000);
  Records records;
  std::vector<std::string> cells;
  std::size_t line = 0;
  while (true) {
    const auto more = reader.Next(cells, line);
    EXPECT_TRUE(more.ok());
    if (!more.ok() || !*more) return records;
    records.push_back(cells);
  }
}

TEST(CsvRecord, SplitsFieldsAndLines) {
  EXPECT_EQ(Split("a,b\r\n,\n1,2"), (Records{{"a", "b"}, {"", ""}, {"1", "2"}}));
  EXPECT_EQ(Split("a;b,c\n", ';'), (Records{{"a", "b,c"}}));
  EXPECT_EQ(Split(""), Records{});
  EXPECT_EQ(Split("\n\r\n  \n"), Records{});
}

TEST(CsvRecord, QuotedFields) {
  EXPECT_EQ(Split("\"a,b\",\"c\"\"d\"\n"), (Records{{"a,b", "c\"d"}}));
  EXPECT_EQ(Split("\"x\ny\",1\r\n2,3"), (Records{{"x\ny", "1"}, {"2", "3"}}));
  EXPECT_EQ(Split(" \"a\" ,b\n"), (Records{{"a ", "b"}}));
  EXPECT_EQ(Split("5\" pipe,b\n"), (Records{{"5\" pipe", "b"}}));
  EXPECT_EQ(Split("a,\"\r\"\r\n"), (Records{{"a", "\r"}}));
  EXPECT_EQ(Split("\"\"\n"), (Records{{""}}));
}

TEST(CsvRecord, LinesAreThoseOfTheFile) {
  std::istringstream stream("a\n\n\"b\nc\"\nd\n");
  CsvRecordReader reader(stream, ',', 1000);
  std::vector<std::string> cells;
  std::size_t line = 0;
  std::vector<std::size_t> lines;
  while (*reader.Next(cells, line)) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 3, 5}));
}

TEST(CsvRecord, BoundsARecord) {
  std::istringstream at_limit(std::string(1000, 'x') + "\n"), beyond(std::string(1001, 'x') + "\n");
  std::vector<std::string> cells;
  std::size_t line = 0;
  EXPECT_TRUE(CsvRecordReader(at_limit, ',', 1000).Next(cells, line).ok());
  EXPECT_FALSE(CsvRecordReader(beyond, ',', 1000).Next(cells, line).ok());
}

}  // namespace
}  // namespace realward
