#include "logs/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "logs/csv_record.h"
#include "logs/time_axis.h"

namespace realward {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr char kTime[] = "time";
constexpr char kCommandPrefix[] = "command.";

// Reports cells that hold no number, one finding per run of samples.
class MissingRuns {
 public:
  MissingRuns(const CsvTable& table, std::size_t column, const std::string& name,
              FindingList& findings)
      : table_(table), column_(column), name_(name), findings_(findings) {}

  void Add(std::size_t sample, std::size_t row, double time_s, CellKind kind) {
    if (run_.first != kNoIndex && run_.last == sample) {
      ++run_.last;
      return;
    }
    Flush();
    run_.first = sample;
    run_.last = sample + 1;
    run_.time_s = time_s;
    run_.line = table_.line(row);
    run_.message = Describe(kind, table_.Cell(row, column_));
  }

  void Flush() {
    if (run_.first == kNoIndex) return;
    run_.kind = FindingKind::kMissingValue;
    run_.severity = Severity::kWarning;
    run_.channel = name_;
    run_.message = fmt::format("column '{}' is {}", table_.columns[column_].name, run_.message);
    if (run_.last - run_.first > 1) {
      run_.message += fmt::format(", and {} rows after it", run_.last - run_.first - 1);
    }
    run_.action = "the value is missing";
    findings_.Add(std::move(run_));
    run_ = Finding();
  }

 private:
  const CsvTable& table_;
  std::size_t column_;
  const std::string& name_;
  FindingList& findings_;
  Finding run_;
};

// Fills one column of a matrix from the table's rows.
void FillColumn(const CsvTable& table, std::size_t from, const ColumnMap& map,
                const std::vector<std::size_t>& rows, const Log& log, Matrix<double>& matrix,
                std::size_t to, FindingList& findings) {
  MissingRuns missing(table, from, map.name, findings);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CellNumber number = table.Number(rows[i], from);
    const double scaled = number.value * map.scale;
    // Adding 0.0 would turn a recorded −0.0 into 0.0.
    const double value = (map.offset == 0.0 ? scaled : scaled + map.offset) * map.unit.factor;
    const bool usable = number.kind == CellKind::kNumber && std::isfinite(value);
    matrix(i, to) = usable ? value : kNan;
    if (usable) continue;
    const CellKind kind = number.kind == CellKind::kNumber ? CellKind::kOverflow : number.kind;
    missing.Add(i, rows[i], log.time_s[i], kind);
  }
  missing.Flush();
}

std::vector<std::string> NamesOf(const std::vector<ColumnMap>& columns) {
  std::vector<std::string> names;
  for (const ColumnMap& column : columns) names.push_back(column.name);
  return names;
}

void HashMatrix(Sha256& hash, const std::vector<double>& values) {
  std::vector<double> canonical = values;
  for (double& value : canonical) {
    if (std::isnan(value)) value = kNan;
  }
  hash.UpdateValues<double>(canonical);
}

Status CheckName(const std::string& name, std::set<std::string>& seen) {
  const bool plain = !name.empty() && TrimBlanks(name) == name &&
                     name.find_first_of("[]()\r\n") == std::string::npos;
  if (!plain) {
    return InvalidInput(fmt::format(
        "'{}' cannot name a channel: brackets, line breaks and blanks around it are not allowed",
        name));
  }
  if (!seen.insert(name).second)
    return InvalidInput(fmt::format("two columns would be named '{}'", name));
  return {};
}

Status CheckWritable(const Log& log) {
  std::set<std::string> seen = {kTime};
  for (const std::string& name : log.channels) RW_TRY(CheckName(name, seen));
  for (const std::string& name : log.actuators) RW_TRY(CheckName(kCommandPrefix + name, seen));
  if (log.channels.empty()) return InvalidInput("a log without channels cannot be written");
  if (log.values.rows() != log.samples() || log.values.cols() != log.channels.size() ||
      (!log.actuators.empty() &&
       (log.commands.rows() != log.samples() || log.commands.cols() != log.actuators.size()))) {
    return InvalidInput(fmt::format("log '{}': values and commands do not fit {} samples", log.name,
                                    log.samples()));
  }
  for (const double time : log.time_s) {
    if (std::abs(time) <= kFarFromZero) continue;
    return InvalidInput(fmt::format("time {} s is not within {} s: give times from the log's start",
                                    time, kFarFromZero));
  }
  return {};
}

ColumnMap OwnColumn(const std::string& name, const std::string& column) {
  ColumnMap map;
  map.name = name;
  map.column = column;
  map.unit = {"SI", "", 1.0};
  return map;
}

void AppendCell(std::string& text, const std::string& cell) {
  text += ',';
  text += cell;
}

std::string NumberCell(double value) {
  if (std::isnan(value)) return "";
  return fmt::format("{}", value);
}

}  // namespace

std::size_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? kNoIndex : static_cast<std::size_t>(found - names.begin());
}

std::string HashLog(const Log& log) {
  Sha256 hash;
  hash.Update(CanonicalJson(
      {{"channels", log.channels}, {"actuators", log.actuators}, {"samples", log.samples()}}));
  HashMatrix(hash, log.time_s);
  HashMatrix(hash, log.values.values());
  HashMatrix(hash, log.commands.values());
  return hash.Hex();
}

Result<Log> LogFromTable(const CsvTable& table, const Mapping& mapping, const std::string& name) {
  RW_ASSIGN(const ColumnPlaces places, FindColumns(mapping, table));
  if (table.rows() == 0)
    return InvalidInput(fmt::format("{}: there is no row below the header", table.name));
  RW_ASSIGN(const TimeAxis axis,
            ReadTimeAxis(table, places.time, mapping.time.unit.factor * mapping.time.scale,
                         mapping.counter_bits));
  Log log;
  log.name = name;
  log.origin = axis.origin;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (std::isnan(axis.time_s[row])) {  // unreadable or ragged
      if (!rows.empty() && (log.cuts.empty() || log.cuts.back() != rows.size())) {
        log.cuts.push_back(rows.size());
      }
      continue;
    }
    rows.push_back(row);
    log.time_s.push_back(axis.time_s[row]);
    log.lines.push_back(table.line(row));
  }
  if (!log.cuts.empty() && log.cuts.back() == rows.size()) log.cuts.pop_back();

  log.channels = NamesOf(mapping.channels);
  log.actuators = NamesOf(mapping.commands);
  log.values = Matrix<double>(rows.size(), log.channels.size());
  log.commands = Matrix<double>(rows.size(), log.actuators.size());
  FindingList findings;
  for (const Finding& finding : table.findings) findings.Add(finding);
  for (const Finding& finding : axis.findings) findings.Add(finding);
  for (std::size_t i = 0; i < places.channels.size(); ++i) {
    FillColumn(table, places.channels[i], mapping.channels[i], rows, log, log.values, i, findings);
  }
  for (std::size_t i = 0; i < places.commands.size(); ++i) {
    FillColumn(table, places.commands[i], mapping.commands[i], rows, log, log.commands, i,
               findings);
  }
  log.reading = findings.Take();
  log.hash = HashLog(log);
  return log;
}

Result<Log> ReadLog(const std::string& path, const Mapping& mapping) {
  RW_ASSIGN(const CsvTable table, ReadCsv(path, mapping.csv));
  return LogFromTable(table, mapping, std::filesystem::path(path).filename().string());
}

std::string ToCsv(const Log& log) {
  std::string text = kTime;
  for (const std::string& name : log.channels) AppendCell(text, QuoteCell(name));
  for (const std::string& name : log.actuators) AppendCell(text, QuoteCell(kCommandPrefix + name));
  text += '\n';
  for (std::size_t i = 0; i < log.samples(); ++i) {
    text += NumberCell(log.time_s[i]);
    for (const double value : log.values.row(i)) AppendCell(text, NumberCell(value));
    if (!log.actuators.empty()) {
      for (const double value : log.commands.row(i)) AppendCell(text, NumberCell(value));
    }
    text += '\n';
  }
  return text;
}

Mapping MappingOf(const Log& log) {
  Mapping mapping;
  mapping.name = log.name.empty() ? "log" : log.name;
  mapping.time = OwnColumn(kTime, kTime);
  for (const std::string& name : log.channels) mapping.channels.push_back(OwnColumn(name, name));
  for (const std::string& name : log.actuators) {
    mapping.commands.push_back(OwnColumn(name, kCommandPrefix + name));
  }
  mapping.csv.separator = ',';
  mapping.csv.decimal = '.';
  return mapping;
}

Status WriteLog(const Log& log, const std::string& path) {
  RW_TRY(CheckWritable(log));
  RW_TRY(WriteFileAtomic(path, ToCsv(log)));
  const std::string mapping_path =
      std::filesystem::path(path).replace_extension(".mapping.yaml").string();
  return WriteFileAtomic(mapping_path, ToYaml(MappingOf(log)));
}

}  // namespace realward
