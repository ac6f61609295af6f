#include "logs/csv_record.h"

#include <fmt/format.h>

namespace realward {
namespace {

constexpr std::size_t kPiece = 1 << 16;

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

CsvRecordReader::CsvRecordReader(std::istream& stream, char separator, std::size_t max_record_bytes)
    : stream_(stream), separator_(separator), max_bytes_(max_record_bytes), buffer_(kPiece) {}

Result<bool> CsvRecordReader::Next(std::vector<std::string>& cells, std::size_t& line) {
  while (true) {
    RW_ASSIGN(const bool more, ReadRecord(cells, line));
    if (!more) return false;
    if (cells.size() > 1 || has_quotes_ || !TrimBlanks(cells[0]).empty()) return true;
  }
}

int CsvRecordReader::Take() {
  if (position_ == filled_) {
    stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    filled_ = static_cast<std::size_t>(stream_.gcount());
    position_ = 0;
    if (filled_ == 0) return -1;
  }
  return static_cast<unsigned char>(buffer_[position_++]);
}

int CsvRecordReader::Peek() {
  const int c = Take();
  if (c >= 0) --position_;
  return c;
}

void CsvRecordReader::InQuotes(char c) {
  if (c != '"') {
    field_ += c;
  } else if (Peek() == '"') {
    field_ += '"';
    Take();
  } else {
    inside_ = false;
    quoted_size_ = field_.size();
  }
}

void CsvRecordReader::EndField(std::vector<std::string>& cells) {
  cells.push_back(std::move(field_));
  field_.clear();
  quoted_size_ = 0;
}

Result<bool> CsvRecordReader::ReadRecord(std::vector<std::string>& cells, std::size_t& line) {
  cells.clear();
  field_.clear();
  line = line_;
  quoted_size_ = 0;
  inside_ = has_quotes_ = false;
  std::size_t bytes = 0;
  for (int next = Take();; next = Take(), ++bytes) {
    if (bytes > max_bytes_) return TooLong(line);
    if (next < 0 && bytes == 0) return false;
    if (next < 0 && inside_) {
      return InvalidInput(
          fmt::format("line {}: a quote is opened in this row and never closed", line));
    }
    const char c = static_cast<char>(next);
    if (next == '\n') ++line_;
    if (next < 0 || (next == '\n' && !inside_)) {
      // The CR of a line end; one between quotes is the field's own.
      if (field_.size() > quoted_size_ && field_.back() == '\r') field_.pop_back();
      EndField(cells);
      return true;
    }
    if (inside_) {
      InQuotes(c);
    } else if (c == separator_) {
      EndField(cells);
    } else if (c == '"' && quoted_size_ == 0 && TrimBlanks(field_).empty()) {
      inside_ = has_quotes_ = true;
      field_.clear();
    } else {
      field_ += c;
    }
  }
}

Error CsvRecordReader::TooLong(std::size_t line) const {
  return InvalidInput(fmt::format(
      "line {}: a row of more than {} bytes{}", line, max_bytes_,
      inside_ ? " (a quote is opened in it and not closed)" : "; is this a text table?"));
}

}  // namespace realward
