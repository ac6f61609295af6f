#include "evaluate/text_table.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

TEST(TextTable, Utf8) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("Δ ≤ 摆 🤖"));
  EXPECT_FALSE(IsUtf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(IsUtf8("\xE0\x80\xAF"));      // overlong, three bytes
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // past U+10FFFF
  EXPECT_FALSE(IsUtf8("abc\xE6\x91"));       // cut off
  EXPECT_FALSE(IsUtf8("\x80"));
}

TEST(TextTable, Width) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("Δ±≤"), 3);
  EXPECT_EQ(DisplayWidth("摆动"), 4);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);  // e with a combining acute
  EXPECT_EQ(DisplayWidth("\xFF\xFE"), 2);
}

TEST(TextTable, Aligns) {
  const std::vector<TableColumn> columns = {{"policy", false}, {"n", true}, {"note", false}};
  const std::vector<std::vector<std::string>> rows = {
      {"nominal", "200", "ok"}, {"名义策略", "7", ""}, {"a\nb"}};
  EXPECT_EQ(FormatTable(columns, rows),
            "policy      n  note\n"
            "--------  ---  ----\n"
            "nominal   200  ok\n"
            "名义策略    7\n"
            "a\uFFFD"
            "b\n");
  EXPECT_EQ(FormatTable(columns, {}), "policy  n  note\n------  -  ----\n");
}

}  // namespace
}  // namespace realward
