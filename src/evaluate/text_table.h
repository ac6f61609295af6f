// Tables for a terminal: columns aligned by display width, so that Chinese names line up too.
#ifndef REALWARD_EVALUATE_TEXT_TABLE_H_
#define REALWARD_EVALUATE_TEXT_TABLE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace realward {

// Whether the bytes are well-formed UTF-8 (no overlong forms, surrogates or values past U+10FFFF).
bool IsUtf8(std::string_view text);

// Terminal columns: 2 for East Asian wide characters and emoji, 0 for combining marks and joiners.
// Bytes that are not UTF-8 count 1 each.
int DisplayWidth(std::string_view text);

struct TableColumn {
  std::string title;
  bool align_right = false;
};

// Title line, a rule, then the rows; two spaces between columns, no trailing spaces, a newline
// after each line. Missing cells are empty; cells beyond the columns are a broken assumption.
// Control characters in a cell show as U+FFFD.
std::string FormatTable(std::span<const TableColumn> columns,
                        std::span<const std::vector<std::string>> rows);

}  // namespace realward

#endif  // REALWARD_EVALUATE_TEXT_TABLE_H_
