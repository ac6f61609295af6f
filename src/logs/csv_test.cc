#include "logs/csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clocale>
#include <cmath>
#include <locale>
#include <sstream>

#include "base/random.h"

namespace realward {
namespace {

using ::testing::HasSubstr;

Result<CsvTable> FromText(const std::string& text, const CsvOptions& options = {}) {
  std::istringstream stream(text);
  return ParseCsv(stream, "log.csv", options);
}

TEST(Csv, PlainTable) {
  const auto table = FromText("t,q\n0,1.5\n0.1,-2e-3\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->columns[1].name, "q");
  EXPECT_EQ(table->Number(1, 1).value, -2e-3);
  EXPECT_EQ(table->line(1), 3u);
}

// What a comma-decimal locale does to C++ streams, on machines that have no such locale installed.
class CommaDecimal : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Csv, CaseD03SpreadsheetExportWithDecimalComma) {
  const std::string path =
      std::string(RW_SOURCE_DIR) + "/tests/cases/d03_csv_locale_bom_headers/messung.csv";
  for (const bool comma : {false, true}) {
    const std::locale before = std::locale::global(
        comma ? std::locale(std::locale::classic(), new CommaDecimal) : std::locale::classic());
    if (comma) std::setlocale(LC_ALL, "de_DE.UTF-8");
    const auto table = ReadCsv(path);
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(table->separator, ';');
    EXPECT_EQ(table->decimal, ',');
    const std::vector<std::string> names = {"Zeit", "Gelenk 1 pos", "Gelenk 1 vel", "Strom",
                                            "Kommentar"};
    const std::vector<std::string> units = {"s", "deg", "deg/s", "mA", ""};
    ASSERT_EQ(table->columns.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(table->columns[i].name, names[i]);
      EXPECT_EQ(table->columns[i].unit, units[i]);
    }
    ASSERT_EQ(table->rows(), 4u);
    EXPECT_TRUE(table->findings.empty());
    EXPECT_EQ(table->Number(0, 1).value, 10.5);
    EXPECT_EQ(table->Number(3, 1).value, 10.8);
    EXPECT_EQ(table->Number(1, 2).value, 10.0);
    EXPECT_EQ(table->Number(1, 3).value, -80.5);
    EXPECT_EQ(table->Number(3, 3).kind, CellKind::kEmpty);
    EXPECT_EQ(table->Cell(0, 4), "Start; Lauf 1");
    EXPECT_EQ(table->Cell(2, 4), "\"ok\"");
  }
}

TEST(Csv, CaseD11BadCellsDoNotShiftRows) {
  const auto table =
      ReadCsv(std::string(RW_SOURCE_DIR) + "/tests/cases/d11_csv_missing_values/log.csv");
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->rows(), 10u);
  EXPECT_EQ(table->Number(1, 2).kind, CellKind::kNotFinite);
  EXPECT_EQ(table->Number(2, 1).kind, CellKind::kEmpty);
  EXPECT_EQ(table->Number(2, 2).value, 2.1);
  EXPECT_EQ(table->Number(3, 2).kind, CellKind::kText);
  EXPECT_EQ(table->Number(5, 1).kind, CellKind::kNotFinite);
  EXPECT_EQ(table->Number(7, 2).kind, CellKind::kOverflow);
  EXPECT_EQ(table->Number(7, 3).value, 1.0);
  ASSERT_EQ(table->findings.size(), 2u);
  EXPECT_EQ(table->findings[0].line, 10u);
  EXPECT_EQ(table->findings[1].line, 11u);
  EXPECT_TRUE(table->ragged(8));
  EXPECT_EQ(table->fields(9), 5u);
}

TEST(Csv, CaseD10CellsKeepNineteenDigits) {
  const auto table = ReadCsv(std::string(RW_SOURCE_DIR) +
                             "/tests/cases/d10_timestamp_precision_and_rollover/log.csv");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->Cell(11, 0), "1722470400134456000");
  EXPECT_EQ(table->rows(), 12u);
}

TEST(Csv, AmbiguityAsksInsteadOfGuessing) {
  const auto thousands = FromText("a;b\n1,234;5\n");
  ASSERT_FALSE(thousands.ok());
  EXPECT_THAT(thousands.error().message, HasSubstr("'1,234'"));
  const auto separator = FromText("1,a;b\n1,234;5\n");
  ASSERT_FALSE(separator.ok());
  EXPECT_THAT(separator.error().message, HasSubstr("separator"));
  CsvOptions stated;
  stated.separator = ';';
  stated.decimal = ',';
  const auto table = FromText("a;b\n1,234;5\n", stated);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->Number(0, 0).value, 1.234);
  EXPECT_FALSE(table->Number(0, 1).value != 5.0);
}

TEST(Csv, DecimalCommaIsClearFromOtherCells) {
  const auto table = FromText("a;b\n1,234;0,5\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->decimal, ',');
  EXPECT_EQ(table->Number(0, 0).value, 1.234);
}

TEST(Csv, TabsQuotesAndLineBreaksInQuotes) {
  const auto table = FromText("t\tnote\r\n0\t\"two\r\nlines \"\"q\"\"\"\r\n\r\n1\tx\"y\r\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->separator, '\t');
  EXPECT_EQ(table->Cell(0, 1), "two\r\nlines \"q\"");
  EXPECT_EQ(table->Cell(1, 1), "x\"y");
  EXPECT_EQ(table->line(1), 5u);
}

TEST(Csv, OneColumnNeedsNoSeparator) {
  const auto table = FromText("q (rad)\n1\n2\n");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->columns[0].name, "q");
  EXPECT_EQ(table->columns[0].unit, "rad");
  EXPECT_EQ(table->rows(), 2u);
}

TEST(Csv, RefusesWhatIsNoTable) {
  EXPECT_THAT(FromText("").error().message, HasSubstr("empty"));
  EXPECT_THAT(FromText("0,1\n2,3\n").error().message, HasSubstr("name the columns"));
  EXPECT_THAT(FromText(std::string("\xff\xfe", 2) + "t").error().message, HasSubstr("UTF-16"));
  EXPECT_THAT(FromText("t,q\n0,\"1\n").error().message, HasSubstr("never closed"));
  EXPECT_THAT(ReadCsv("/nonexistent.csv").error().message, HasSubstr("/nonexistent.csv"));
  EXPECT_THAT(ReadCsv(RW_SOURCE_DIR).error().message, HasSubstr("folder"));
}

TEST(Csv, RefusesARowBeyondTheLimit) {
  const auto table = FromText("t,q\n0,1\n" + std::string((1 << 20) + 10, '7') + "\n");
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().message, HasSubstr("line 3"));
  const auto quote = FromText("t,q\n\"" + std::string((1 << 20) + 10, '7') + "\n");
  ASSERT_FALSE(quote.ok());
  EXPECT_THAT(quote.error().message, HasSubstr("quote"));
  CsvOptions small;
  small.max_bytes = 10;
  EXPECT_FALSE(FromText("t,q\n0,123456\n0,123456\n", small).ok());
}

// A file longer than the piece that detection looks at is read whole and in order.
TEST(Csv, LongFilesAreReadAcrossPieces) {
  std::string text = "t,q\n";
  for (int i = 0; i < 40000; ++i) text += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
  const auto table = FromText(text);
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->rows(), 40000u);
  for (int i = 0; i < 40000; ++i) {
    ASSERT_EQ(table->Number(i, 1).value, 2.0 * i);
    ASSERT_EQ(table->line(i), static_cast<std::size_t>(i) + 2);
  }
}

TEST(Csv, ColumnNamesNearestAndTwice) {
  const auto table = FromText("time,position,q,q\n0,1,2,3\n");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table->Column("position"), 1u);
  EXPECT_THAT(table->Column("positon").error().message, HasSubstr("position"));
  EXPECT_THAT(table->Column("q").error().message, HasSubstr("twice"));
}

TEST(ParseCell, NumbersAndWhatIsNone) {
  EXPECT_EQ(ParseCell(" +1.5 ", '.').value, 1.5);
  EXPECT_EQ(ParseCell("1e-400", '.').value, 0.0);
  EXPECT_EQ(ParseCell("1,5e1", ',').value, 15.0);
  for (const char* text : {"10,5", "1.5x", "-", "+-1", "0x10", "1.2.3", "--1"}) {
    EXPECT_EQ(ParseCell(text, '.').kind, CellKind::kText) << text;
  }
  EXPECT_EQ(ParseCell("1.5", ',').kind, CellKind::kText);
  EXPECT_EQ(ParseCell("-inf", '.').kind, CellKind::kNotFinite);
  EXPECT_EQ(ParseCell("NaN", '.').kind, CellKind::kNotFinite);
  EXPECT_EQ(ParseCell("-1e400", '.').kind, CellKind::kOverflow);
  EXPECT_TRUE(std::isnan(ParseCell("", '.').value));
}

// Any cells, quoted and joined, come back unchanged for every separator.
TEST(Csv, WriteThenReadIsTheIdentity) {
  EXPECT_TRUE(rc::check([](const std::vector<std::vector<std::string>>& raw) {
    for (const char separator : {',', ';', '\t'}) {
      std::string text = fmt::format("a{0}b{0}c\n", separator);
      std::vector<std::vector<std::string>> rows;
      for (const auto& cells : raw) {
        std::vector<std::string> row(3, "x");
        for (std::size_t i = 0; i < std::min<std::size_t>(3, cells.size()); ++i) row[i] = cells[i];
        rows.push_back(row);
        text += QuoteCell(row[0], separator) + separator + QuoteCell(row[1], separator) +
                separator + QuoteCell(row[2], separator) + "\n";
      }
      CsvOptions options;
      options.separator = separator;
      options.decimal = '.';
      const auto table = FromText(text, options);
      RC_ASSERT(table.ok());
      RC_ASSERT(table->rows() == rows.size());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < 3; ++c) RC_ASSERT(table->Cell(r, c) == rows[r][c]);
      }
    }
  }));
}

// Bytes drawn from what CSV treats specially never crash the reader, and what it gives keeps its
// shape.
TEST(Csv, RandomBytesNeverBreakTheShape) {
  const std::string alphabet = "\",;\t\r\n 0123456789.eE+-[]()ab\xef\xbb\xbf\xff";
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    Stream stream({.seed = 5, .purpose = Purpose::kTest, .episode = trial});
    std::string text(stream.Index(200), '\0');
    for (char& c : text) {
      c = stream.Index(10) == 0 ? static_cast<char>(stream.Index(256))
                                : alphabet[stream.Index(alphabet.size())];
    }
    const auto table = FromText(text);
    if (!table.ok()) {
      EXPECT_EQ(table.error().message.rfind("log.csv", 0), 0u);
      continue;
    }
    for (std::size_t r = 0; r < table->rows(); ++r) {
      for (std::size_t c = 0; c < table->columns.size(); ++c) {
        const CellNumber number = table->Number(r, c);
        ASSERT_EQ(number.kind == CellKind::kNumber, std::isfinite(number.value));
      }
    }
  }
}

}  // namespace
}  // namespace realward
