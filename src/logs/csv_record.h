// The lexical half of CSV: a stream split into records of fields, in pieces of fixed size.
#ifndef REALWARD_LOGS_CSV_RECORD_H_
#define REALWARD_LOGS_CSV_RECORD_H_

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace realward {

// Without the blanks (space, tab, CR, LF) around it.
std::string_view TrimBlanks(std::string_view text);

// Splits a stream into records: fields between separators, quoted fields with "" for a quote and
// any line breaks, line ends LF or CRLF. Blank lines are skipped. A quote inside an unquoted field
// is a plain character. Not thread-safe; the stream must outlive it.
class CsvRecordReader {
 public:
  CsvRecordReader(std::istream& stream, char separator, std::size_t max_record_bytes);

  // Reads one record and the line it begins at, from 1; false at the end of the stream. Errors
  // (invalid input, beginning "line N"): a record beyond the limit, a quote that is never closed.
  Result<bool> Next(std::vector<std::string>& cells, std::size_t& line);

 private:
  int Take();
  int Peek();
  void InQuotes(char c);
  void EndField(std::vector<std::string>& cells);
  Result<bool> ReadRecord(std::vector<std::string>& cells, std::size_t& line);
  Error TooLong(std::size_t line) const;

  std::istream& stream_;
  char separator_;
  std::size_t max_bytes_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;  // next character in the buffer
  std::size_t filled_ = 0;
  std::size_t line_ = 1;
  std::string field_;
  std::size_t quoted_size_ = 0;  // characters of the field that came from between quotes
  bool inside_ = false;          // between quotes
  bool has_quotes_ = false;      // some field of the record is quoted
};

}  // namespace realward

#endif  // REALWARD_LOGS_CSV_RECORD_H_
