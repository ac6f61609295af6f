#include "evaluate/text_table.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/check.h"

namespace realward {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: malformed
};

CodePoint Decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

struct Range {
  std::uint32_t first, last;
};

template <std::size_t N>
bool InRanges(const std::array<Range, N>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [value](Range r) { return r.first <= value && value <= r.last; });
}

// Unicode Standard Annex 11, the blocks that are wide as a whole.
constexpr std::array<Range, 11> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1F64F},
                                          {0x1F900, 0x1F9FF},
                                          {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 6> kZero = {{{0x0300, 0x036F},
                                         {0x1AB0, 0x1AFF},
                                         {0x200B, 0x200F},
                                         {0x20D0, 0x20FF},
                                         {0xFE00, 0xFE0F},
                                         {0xFEFF, 0xFEFF}}};

std::string WithoutControls(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\xEF\xBF\xBD";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    if (point.bytes == 0) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    width += InRanges(kWide, point.value) ? 2 : InRanges(kZero, point.value) ? 0 : 1;
    text.remove_prefix(std::max<std::size_t>(point.bytes, 1));
  }
  return width;
}

std::string FormatTable(std::span<const TableColumn> columns,
                        std::span<const std::vector<std::string>> rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const TableColumn& column : columns) lines[0].push_back(WithoutControls(column.title));
  for (const auto& row : rows) {
    RW_CHECK(row.size() <= columns.size());
    auto& line = lines.emplace_back();
    for (const std::string& cell : row) line.push_back(WithoutControls(cell));
    line.resize(columns.size());
  }
  std::vector<int> widths(columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(line[c]));
    }
  }
  std::string out;
  auto append = [&out](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string text, rule;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string padding(widths[c] - DisplayWidth(lines[l][c]), ' ');
      if (c > 0) text += "  ", rule += "  ";
      text += columns[c].align_right ? padding + lines[l][c] : lines[l][c] + padding;
      rule += std::string(widths[c], '-');
    }
    append(std::move(text));
    if (l == 0) append(std::move(rule));
  }
  return out;
}

}  // namespace realward
