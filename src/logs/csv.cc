#include "logs/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/text.h"
#include "logs/csv_record.h"

namespace realward {
namespace {

constexpr std::array<char, 3> kSeparators = {',', ';', '\t'};
constexpr std::size_t kDetectBytes = 1 << 16;
constexpr std::size_t kDetectRows = 100;

std::string SeparatorName(char separator) {
  return separator == '\t' ? "a tab" : fmt::format("'{}'", separator);
}

// "Zeit [s]" → Zeit, s; "Gyroscope X (deg/s)" → Gyroscope X, deg/s.
CsvColumn SplitUnit(std::string_view header) {
  const std::string_view text = TrimBlanks(header);
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    if (text.empty() || text.back() != close) continue;
    const std::size_t at = text.rfind(open);
    if (at == std::string_view::npos || TrimBlanks(text.substr(0, at)).empty()) continue;
    return {std::string(TrimBlanks(text.substr(0, at))),
            std::string(TrimBlanks(text.substr(at + 1, text.size() - at - 2)))};
  }
  return {std::string(text), ""};
}

// The first records of a file as one separator splits them.
struct Sample {
  char separator = ',';
  std::vector<std::vector<std::string>> records;
  double agreement = 0.0;  // share of rows with as many fields as the header; 1 when there are none

  std::size_t fields() const { return records.empty() ? 0 : records[0].size(); }
};

Sample SplitPrefix(const std::string& prefix, bool whole_file, char separator) {
  Sample sample;
  sample.separator = separator;
  std::istringstream stream(prefix);
  CsvRecordReader reader(stream, separator, prefix.size());
  std::vector<std::string> cells;
  std::size_t line = 0;
  while (sample.records.size() <= kDetectRows) {
    const auto more = reader.Next(cells, line);
    if (!more.ok() || !*more) {
      if (!whole_file && sample.records.size() > 1) sample.records.pop_back();
      break;
    }
    sample.records.push_back(cells);
  }
  std::size_t agreeing = 0;
  for (std::size_t i = 1; i < sample.records.size(); ++i) {
    agreeing += sample.records[i].size() == sample.fields();
  }
  const std::size_t rows = sample.records.empty() ? 0 : sample.records.size() - 1;
  sample.agreement = rows == 0 ? 1.0 : static_cast<double>(agreeing) / static_cast<double>(rows);
  return sample;
}

Result<Sample> DetectSeparator(const std::string& prefix, bool whole_file, char wanted) {
  if (wanted != 0) return SplitPrefix(prefix, whole_file, wanted);
  std::vector<Sample> fitting;
  for (const char separator : kSeparators) {
    Sample sample = SplitPrefix(prefix, whole_file, separator);
    if (sample.fields() >= 2 && sample.agreement >= 0.5) fitting.push_back(std::move(sample));
  }
  if (fitting.empty()) {  // one column, or rows that agree with nothing
    Sample best = SplitPrefix(prefix, whole_file, ',');
    for (const char separator : {';', '\t'}) {
      Sample other = SplitPrefix(prefix, whole_file, separator);
      if (other.fields() > best.fields()) best = std::move(other);
    }
    return best;
  }
  std::sort(fitting.begin(), fitting.end(),
            [](const Sample& a, const Sample& b) { return a.agreement > b.agreement; });
  if (fitting.size() > 1 && fitting[1].agreement > fitting[0].agreement - 0.2) {
    return InvalidInput(fmt::format("line 1: the separator can be {} or {}: state it",
                                    SeparatorName(fitting[0].separator),
                                    SeparatorName(fitting[1].separator)));
  }
  return fitting[0];
}

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a number with commas can also be read with commas between thousands: "1,234" but not
// "0,123", "10,5" or "1,2345".
bool CanBeThousands(std::string_view cell) {
  std::string_view text = TrimBlanks(cell);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::size_t at = text.find(',');
  if (at == 0 || at > 3 || text.front() == '0') return false;
  while (at != std::string_view::npos) {
    const std::size_t next = text.find(',', at + 1);
    const std::string_view group =
        text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    if (group.size() != 3 || !IsDigits(group)) return false;
    at = next;
  }
  return true;
}

Result<char> DetectDecimal(const Sample& sample, char wanted) {
  if (wanted != 0) return wanted;
  if (sample.separator == ',') return '.';
  std::size_t points = 0, commas = 0, clear = 0;
  std::string_view unclear;
  for (std::size_t row = 1; row < sample.records.size(); ++row) {
    for (const std::string& cell : sample.records[row]) {
      const bool comma = cell.find(',') != std::string::npos;
      if (!comma && cell.find('.') != std::string::npos) {
        points += ParseCell(cell, '.').kind == CellKind::kNumber;
      } else if (comma && CanBeThousands(cell)) {
        ++commas;
        unclear = cell;
      } else if (comma && ParseCell(cell, ',').kind == CellKind::kNumber) {
        ++commas;
        ++clear;
      }
    }
  }
  if (commas == 0 || points > 0) return '.';
  if (clear > 0) return ',';
  return InvalidInput(fmt::format(
      "the comma in '{}' can be a decimal comma or stand between thousands: state the decimal sign",
      TrimBlanks(unclear)));
}

Status CheckHeader(const std::vector<std::string>& header) {
  std::size_t numbers = 0;
  for (const std::string& cell : header) {
    numbers += ParseCell(cell, '.').kind == CellKind::kNumber ||
               ParseCell(cell, ',').kind == CellKind::kNumber;
  }
  if (numbers * 2 > header.size()) {
    return InvalidInput(
        fmt::format("line 1: the first row must name the columns, but it holds numbers ('{}')",
                    TrimBlanks(header[0])));
  }
  return {};
}

Finding RaggedRow(const CsvTable& table, std::size_t row) {
  Finding finding;
  finding.kind = FindingKind::kRaggedRow;
  finding.severity = Severity::kWarning;
  finding.line = table.line(row);
  finding.message =
      fmt::format("{} fields where the header names {}", table.fields(row), table.columns.size());
  finding.action = "which name belongs to which field is not known: the row is left out";
  return finding;
}

// The stream's first bytes without the byte-order mark.
Result<std::string> ReadPrefix(std::istream& stream) {
  std::string prefix(kDetectBytes, '\0');
  stream.read(prefix.data(), static_cast<std::streamsize>(prefix.size()));
  prefix.resize(static_cast<std::size_t>(stream.gcount()));
  if (prefix.starts_with("\xff\xfe") || prefix.starts_with("\xfe\xff")) {
    return InvalidInput("line 1: the file is UTF-16; save it as UTF-8");
  }
  if (prefix.starts_with("\xef\xbb\xbf")) prefix.erase(0, 3);
  return prefix;
}

// Reads a prefix that was taken already, then the rest of its stream.
class PrefixedBuffer : public std::streambuf {
 public:
  PrefixedBuffer(std::string prefix, std::streambuf* rest)
      : rest_(rest), buffer_(std::move(prefix)) {
    setg(buffer_.data(), buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int_type underflow() override {
    buffer_.resize(kDetectBytes);
    const std::streamsize count =
        rest_->sgetn(buffer_.data(), static_cast<std::streamsize>(kDetectBytes));
    if (count <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::streambuf* rest_;
  std::string buffer_;
};

Status ReadRows(CsvRecordReader& reader, const CsvOptions& options, CsvTable& table) {
  const std::size_t most =
      std::min<std::size_t>(options.max_bytes, std::numeric_limits<std::uint32_t>::max());
  FindingList findings;
  std::vector<std::string> cells;
  std::size_t line = 0;
  while (true) {
    RW_ASSIGN(const bool more, reader.Next(cells, line));
    if (!more) break;
    std::size_t bytes = table.text_bytes();
    for (const std::string& cell : cells) bytes += cell.size();
    if (bytes > most) {
      return InvalidInput(
          fmt::format("line {}: the cells are more than {} bytes; cut the file", line, most));
    }
    table.AddRow(cells, line);
    if (table.ragged(table.rows() - 1)) findings.Add(RaggedRow(table, table.rows() - 1));
  }
  table.findings = findings.Take();
  return {};
}

Result<CsvTable> Parse(std::istream& stream, const CsvOptions& options) {
  RW_ASSIGN(const std::string prefix, ReadPrefix(stream));
  const bool whole_file = prefix.size() + 3 < kDetectBytes;
  RW_ASSIGN(const Sample sample, DetectSeparator(prefix, whole_file, options.separator));
  CsvTable table;
  table.separator = sample.separator;
  RW_ASSIGN(table.decimal, DetectDecimal(sample, options.decimal));

  stream.clear();
  PrefixedBuffer buffer(prefix, stream.rdbuf());
  std::istream all(&buffer);
  CsvRecordReader reader(all, table.separator, options.max_record_bytes);
  std::vector<std::string> header;
  std::size_t line = 0;
  RW_ASSIGN(const bool more, reader.Next(header, line));
  if (!more) return InvalidInput("the file is empty; the first row must name the columns");
  RW_TRY(CheckHeader(header));
  for (const std::string& cell : header) table.columns.push_back(SplitUnit(cell));
  RW_TRY(ReadRows(reader, options, table));
  return table;
}

}  // namespace

CellNumber ParseCell(std::string_view cell, char decimal) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::string_view text = TrimBlanks(cell);
  if (text.empty()) return {CellKind::kEmpty, kNan};
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::string with_point;
  if (decimal == ',') {
    if (text.find('.') != std::string_view::npos) return {CellKind::kText, kNan};
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    text = with_point;
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc::invalid_argument || rest != end) return {CellKind::kText, kNan};
  if (code == std::errc::result_out_of_range) {
    const bool tiny = text.find("e-") != std::string_view::npos ||
                      text.find("E-") != std::string_view::npos ||
                      text.substr(text.front() == '-').starts_with("0.");
    return tiny ? CellNumber{CellKind::kNumber, 0.0} : CellNumber{CellKind::kOverflow, kNan};
  }
  if (!std::isfinite(value)) return {CellKind::kNotFinite, kNan};
  return {CellKind::kNumber, value};
}

std::string Describe(CellKind kind, std::string_view cell) {
  const std::string shown(TrimBlanks(cell).substr(0, 40));
  switch (kind) {
    case CellKind::kNumber:
      return fmt::format("a number ('{}')", shown);
    case CellKind::kEmpty:
      return "empty";
    case CellKind::kText:
      return fmt::format("not a number ('{}')", shown);
    case CellKind::kNotFinite:
      return fmt::format("not finite ('{}')", shown);
    case CellKind::kOverflow:
      return fmt::format("beyond the range of a double ('{}')", shown);
  }
  return "?";
}

std::string_view CsvTable::Cell(std::size_t row, std::size_t column) const {
  const std::size_t index = row * columns.size() + column;
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

Result<std::size_t> CsvTable::Column(std::string_view column_name) const {
  std::vector<std::string> names;
  std::size_t found = kNoIndex;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names.push_back(columns[i].name);
    if (columns[i].name != column_name) continue;
    if (found != kNoIndex) {
      return InvalidInput(fmt::format("{}: the header names column '{}' twice (columns {} and {})",
                                      name, column_name, found + 1, i + 1));
    }
    found = i;
  }
  if (found != kNoIndex) return found;
  return InvalidInput(fmt::format("{}: {}", name, UnknownName("column", column_name, names)));
}

void CsvTable::AddRow(const std::vector<std::string>& cells, std::size_t line) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i < cells.size()) text_ += cells[i];
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  lines_.push_back(line);
  fields_.push_back(static_cast<std::uint32_t>(cells.size()));
}

Result<CsvTable> ParseCsv(std::istream& stream, const std::string& name,
                          const CsvOptions& options) {
  auto table = Parse(stream, options);
  if (!table.ok()) {
    const bool has_line = table.error().message.starts_with("line ");
    return Error{table.error().kind,
                 fmt::format("{}{}{}", name, has_line ? ", " : ": ", table.error().message)};
  }
  table->name = name;
  return table;
}

Result<CsvTable> ReadCsv(const std::string& path, const CsvOptions& options) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    return InvalidInput(fmt::format("cannot read {}: it is a folder", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return InvalidInput(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return ParseCsv(file, path, options);
}

std::string QuoteCell(std::string_view cell, char separator) {
  const bool plain = cell.find_first_of("\"\r\n") == std::string_view::npos &&
                     cell.find(separator) == std::string_view::npos && TrimBlanks(cell) == cell;
  if (plain) return std::string(cell);
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace realward
