#include "logs/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "logs/csv_record.h"

namespace realward {
namespace {

constexpr int kMaxDigits = 12;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Stamps {
  std::vector<std::optional<std::int64_t>> ticks;  // of each row
  double tick = 1.0;                               // in units of the column
};

// Number of digits after the decimal sign.
int FractionDigits(std::string_view text, char decimal) {
  const std::size_t at = text.find(decimal);
  return at == std::string_view::npos ? 0 : static_cast<int>(text.size() - at - 1);
}

// Whole numbers up to here are doubles exactly.
constexpr std::int64_t kExact = std::int64_t{1} << 53;

// All stamps as integers, if every readable one is a plain decimal number that fits.
// Near zero, doubles serve better: digits beyond kExact would be lost in the division.
std::optional<Stamps> ReadFixed(const CsvTable& table, std::size_t column, double factor) {
  int digits = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    digits = std::max(digits, FractionDigits(TrimBlanks(table.Cell(row, column)), table.decimal));
  }
  if (digits > kMaxDigits) return std::nullopt;
  Stamps stamps;
  stamps.tick = std::pow(10.0, -digits);
  bool large = false;
  std::int64_t first = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto value = ParseFixed(TrimBlanks(table.Cell(row, column)), table.decimal, digits);
    // Readable as a number but not in this form: the whole column needs the general way.
    if (!value && table.Number(row, column).kind == CellKind::kNumber) return std::nullopt;
    stamps.ticks.push_back(table.ragged(row) ? std::nullopt : value);
    large = large || (value && std::abs(*value) > kExact);
    if (value && first == 0) first = *value;
  }
  const bool far = std::abs(static_cast<double>(first) * stamps.tick * factor) > kFarFromZero;
  if (large && digits > 0 && !far) return std::nullopt;
  return stamps;
}

std::int64_t MedianForwardStep(const Stamps& stamps) {
  std::vector<std::int64_t> steps;
  std::optional<std::int64_t> last;
  for (const auto& value : stamps.ticks) {
    std::int64_t step = 0;
    if (value && last && !__builtin_sub_overflow(*value, *last, &step) && step > 0) {
      steps.push_back(step);
    }
    if (value) last = value;
  }
  if (steps.empty()) return 0;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  return steps[steps.size() / 2];
}

// Width of the counter that wrapped from one value to the next, or 0 when it did not.
int WrappedBits(std::int64_t from, std::int64_t to, std::int64_t median, int counter_bits) {
  if (to >= from || from < 0 || to < 0) return 0;
  for (const int bits : {16, 32, counter_bits}) {
    if (bits == 0 || (counter_bits != 0 && bits != counter_bits)) continue;
    const std::int64_t size = std::int64_t{1} << bits;
    if (from >= size) continue;
    const std::int64_t step = to + (size - from);
    if (counter_bits != 0 ? step < size / 2
                          : (median > 0 && step <= 10 * median && from > size / 2)) {
      return bits;
    }
  }
  return 0;
}

Finding Rollover(const CsvTable& table, std::size_t row, std::size_t column, int bits) {
  Finding finding;
  finding.kind = FindingKind::kCounterRollover;
  finding.severity = Severity::kInfo;
  finding.channel = table.columns[column].name;
  finding.line = table.line(row);
  finding.message = fmt::format("the {}-bit counter wraps to {}", bits, table.Cell(row, column));
  finding.action = fmt::format("2^{} is added from here on", bits);
  return finding;
}

// Adds what wrapped counters lost.
void ContinueCounter(const CsvTable& table, std::size_t column, int counter_bits, Stamps& stamps,
                     FindingList& findings) {
  const std::int64_t median = MedianForwardStep(stamps);
  std::optional<std::int64_t> last;  // as written
  std::int64_t added = 0;
  for (std::size_t row = 0; row < stamps.ticks.size(); ++row) {
    auto& value = stamps.ticks[row];
    if (!value) continue;
    const std::int64_t written = *value;
    const int bits = last ? WrappedBits(*last, written, median, counter_bits) : 0;
    if (bits != 0) {
      added += std::int64_t{1} << bits;
      findings.Add(Rollover(table, row, column, bits));
    }
    last = written;
    value = written + added;
  }
}

// Dividing whole numbers keeps decimal stamps such as 0.1 at the nearest double.
double ToSeconds(std::int64_t ticks, double second) {
  const double count = static_cast<double>(ticks);
  return second < 1.0 ? count / std::round(1.0 / second) : count * second;
}

TimeAxis FromTicks(const CsvTable& table, std::size_t column, double factor, int counter_bits,
                   Stamps stamps) {
  FindingList findings;
  if (stamps.tick == 1.0) ContinueCounter(table, column, counter_bits, stamps, findings);
  const double second = stamps.tick * factor;
  TimeAxis axis;
  axis.time_s.assign(stamps.ticks.size(), kNan);
  std::optional<std::int64_t> origin;
  for (std::size_t row = 0; row < stamps.ticks.size(); ++row) {
    const auto& value = stamps.ticks[row];
    if (!value) continue;
    if (!origin) {
      const bool far = std::abs(static_cast<double>(*value) * second) > kFarFromZero;
      origin = far ? *value : 0;
      if (far) axis.origin = std::string(TrimBlanks(table.Cell(row, column)));
    }
    // The difference of two readable stamps can overflow only for stamps of opposite sign.
    std::int64_t since = 0;
    if (__builtin_sub_overflow(*value, *origin, &since)) continue;
    axis.time_s[row] = ToSeconds(since, second);
  }
  axis.findings = findings.Take();
  return axis;
}

TimeAxis FromDoubles(const CsvTable& table, std::size_t column, double factor) {
  TimeAxis axis;
  double origin = kNan;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const CellNumber number = table.Number(row, column);
    const bool usable = number.kind == CellKind::kNumber && !table.ragged(row);
    if (usable && std::isnan(origin)) {
      const bool far = std::abs(number.value * factor) > kFarFromZero;
      origin = far ? number.value : 0.0;
      if (far) axis.origin = std::string(TrimBlanks(table.Cell(row, column)));
    }
    axis.time_s.push_back(usable ? (number.value - origin) * factor : kNan);
  }
  return axis;
}

// Whether 1/second is a whole number, so that FromTicks may divide by it.
bool DividesEvenly(double second) {
  if (second >= 1.0) return true;
  const double inverse = 1.0 / second;
  return std::abs(inverse - std::round(inverse)) < 1e-6 * inverse;
}

Status CheckAxis(const CsvTable& table, std::size_t column, const TimeAxis& axis) {
  std::size_t readable = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double time : axis.time_s) {
    if (std::isnan(time)) continue;
    ++readable;
    low = std::min(low, time);
    high = std::max(high, time);
  }
  const std::string& name = table.columns[column].name;
  if (readable == 0) {
    return InvalidInput(
        fmt::format("{}: no row has a readable time in column '{}'", table.name, name));
  }
  if (readable > 1 && low == high) {
    return InvalidInput(
        fmt::format("{}: all {} time stamps in column '{}' are equal ({}): the column is no time "
                    "base; were the "
                    "stamps stored in single precision? Map another time column",
                    table.name, readable, name, table.Cell(0, column)));
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> ParseFixed(std::string_view text, char decimal, int digits) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::int64_t value = 0;
  int seen = 0, after = -1;
  for (const char c : text) {
    if (c == decimal && after < 0) {
      after = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    ++seen;
    if (after >= 0 && ++after > digits) return std::nullopt;
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_add_overflow(value, std::int64_t{c - '0'}, &value)) {
      return std::nullopt;
    }
  }
  if (seen == 0) return std::nullopt;
  for (int i = std::max(after, 0); i < digits; ++i) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
  }
  return negative ? -value : value;
}

Result<TimeAxis> ReadTimeAxis(const CsvTable& table, std::size_t column, double factor,
                              int counter_bits) {
  auto stamps = ReadFixed(table, column, factor);
  if (stamps && !DividesEvenly(stamps->tick * factor)) stamps.reset();
  TimeAxis axis = stamps ? FromTicks(table, column, factor, counter_bits, std::move(*stamps))
                         : FromDoubles(table, column, factor);
  RW_TRY(CheckAxis(table, column, axis));
  FindingList findings;
  for (Finding& finding : axis.findings) findings.Add(std::move(finding));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!std::isnan(axis.time_s[row]) || table.ragged(row)) continue;
    Finding finding;
    finding.kind = FindingKind::kBadTime;
    finding.severity = Severity::kWarning;
    finding.channel = table.columns[column].name;
    finding.line = table.line(row);
    const std::string_view cell = table.Cell(row, column);
    finding.message =
        fmt::format("the time stamp is {}", Describe(table.Number(row, column).kind, cell));
    finding.action = "the row is left out";
    findings.Add(std::move(finding));
  }
  axis.findings = findings.Take();
  return axis;
}

}  // namespace realward
