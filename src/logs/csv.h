// CSV tables as people and spreadsheets write them: byte-order mark, CRLF, quoted fields, the
// separators , ; and tab, decimal comma, units in the header's brackets. Cells stay text, so
// nothing is rounded or guessed before a column's meaning is known; numbers do not depend on the
// locale.
#ifndef REALWARD_LOGS_CSV_H_
#define REALWARD_LOGS_CSV_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "logs/finding.h"

namespace realward {

struct CsvOptions {
  char separator = 0;                                   // ',' ';' or '\t'; 0: detected
  char decimal = 0;                                     // '.' or ','; 0: detected
  std::size_t max_record_bytes = std::size_t{1} << 20;  // of one row, quoted line breaks included
  std::size_t max_bytes = std::size_t{1} << 31;         // of all cells, at most 4 GiB
};

struct CsvColumn {
  std::string name;  // trimmed, without the unit
  std::string unit;  // from "[…]" or "(…)" at the end of the header cell; empty when there is none
};

// What a cell holds when a number is wanted.
enum class CellKind { kNumber, kEmpty, kText, kNotFinite, kOverflow };

struct CellNumber {
  CellKind kind = CellKind::kEmpty;
  double value = 0.0;  // NaN unless kNumber
};

// The number in a cell. `decimal` is '.' or ','. Surrounding blanks are ignored; anything else
// around a number makes the cell text, so that "10,5" is never read as 10. An underflow is a zero.
CellNumber ParseCell(std::string_view cell, char decimal);

// "empty", "not a number ('-')", "not finite ('nan')", "beyond the range of a double ('1e400')".
std::string Describe(CellKind kind, std::string_view cell);

// Rows × columns of text. Invariant: every row has exactly the header's number of cells.
class CsvTable {
 public:
  std::string name;  // for messages: the path
  char separator = ',';
  char decimal = '.';
  std::vector<CsvColumn> columns;
  std::vector<Finding> findings;  // ragged rows

  std::size_t rows() const { return lines_.size(); }
  // Valid while the table lives.
  std::string_view Cell(std::size_t row, std::size_t column) const;
  CellNumber Number(std::size_t row, std::size_t column) const {
    return ParseCell(Cell(row, column), decimal);
  }
  // Line of the file a row begins at, from 1.
  std::size_t line(std::size_t row) const { return lines_[row]; }
  // Number of fields the file has in this row. When it is not the number of columns, which name
  // belongs to which cell is not known: short rows are padded with empty cells, further cells are
  // left out.
  std::size_t fields(std::size_t row) const { return fields_[row]; }
  bool ragged(std::size_t row) const { return fields_[row] != columns.size(); }
  // The column of this name; an error lists the nearest, or says that the name is there twice.
  Result<std::size_t> Column(std::string_view column_name) const;

  // Adds a row that begins at a line, padded or cut to the columns.
  void AddRow(const std::vector<std::string>& cells, std::size_t line);
  std::size_t text_bytes() const { return text_.size(); }

 private:
  std::string text_;
  std::vector<std::uint32_t> ends_;  // of each cell in text_
  std::vector<std::size_t> lines_;
  std::vector<std::uint32_t> fields_;
};

// Reads a table; the first row is the header. Memory is that of the cells; the file is read once,
// in pieces. Errors (invalid input): no header, a header of numbers, a separator or a decimal sign
// that cannot be told from the file, a row beyond max_record_bytes, UTF-16.
Result<CsvTable> ReadCsv(const std::string& path, const CsvOptions& options = {});
Result<CsvTable> ParseCsv(std::istream& stream, const std::string& name,
                          const CsvOptions& options = {});

// One cell as text that reads back as itself with this separator.
std::string QuoteCell(std::string_view cell, char separator = ',');

}  // namespace realward

#endif  // REALWARD_LOGS_CSV_H_
