// Time stamps from text without losing precision: integers and long decimals are subtracted as
// 64-bit integers before they become seconds, and wrapped counters are continued.
#ifndef REALWARD_LOGS_TIME_AXIS_H_
#define REALWARD_LOGS_TIME_AXIS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "logs/csv.h"
#include "logs/finding.h"

namespace realward {

// Stamps further than this from zero become relative to the first one: a double of 10⁵ s resolves
// 10⁻¹¹ s, one of today's Unix time only 2·10⁻⁷ s.
inline constexpr double kFarFromZero = 1e5;

struct TimeAxis {
  std::vector<double> time_s;  // of each row of the table; NaN where there is no readable stamp
  std::string origin;          // the first stamp as written when time_s counts from it; else empty
  std::vector<Finding> findings;
};

// Reads a time column. factor: seconds per unit of the column. counter_bits: width of a counter
// that wraps, or 0: then a wrap at 16 or 32 bits is recognised by a next step like the others.
// Errors (invalid input): no readable stamp, all stamps equal (as left by single precision).
Result<TimeAxis> ReadTimeAxis(const CsvTable& table, std::size_t column, double factor,
                              int counter_bits = 0);

// A plain decimal number as an integer count of 10^-digits; nothing when it has another form, more
// digits after the point, or does not fit.
std::optional<std::int64_t> ParseFixed(std::string_view text, char decimal, int digits);

}  // namespace realward

#endif  // REALWARD_LOGS_TIME_AXIS_H_
