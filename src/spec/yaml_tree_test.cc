#include "spec/yaml_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  const auto tree = ParseYaml(text, "f.yaml");
  return tree.ok() ? "" : tree.error().message;
}

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() + piece.size() <= bytes) text += piece;
  return text;
}

TEST(YamlTree, KeepsKeysTextsAndLines) {
  const auto tree = ParseYaml("# comment\na: 1\nb:\n  - x\n  - {c: 'y z'}\nd:\n", "f.yaml");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  const YamlNode& root = tree->root;
  EXPECT_EQ(root.kind, YamlNode::Kind::kMap);
  EXPECT_THAT(root.keys, ElementsAre("a", "b", "d"));
  EXPECT_THAT(root.key_lines, ElementsAre(2, 3, 6));
  EXPECT_EQ(root.items[0].text, "1");
  EXPECT_EQ(root.items[1].items[1].line, 5);
  EXPECT_EQ(root.items[1].items[1].items[0].text, "y z");
  EXPECT_EQ(root.items[2].kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root.items[2].line, 6) << "an absent value stands at its key";
}

TEST(YamlTree, RepeatedKeyKeepsTheFirstAndSaysBothLines) {
  const auto tree = ParseYaml("a: 1\nb: 2\na: [3]\n", "f.yaml");
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(tree->root.keys, ElementsAre("a", "b"));
  EXPECT_EQ(tree->root.items[0].text, "1");
  ASSERT_EQ(tree->problems.size(), 1u);
  EXPECT_EQ(tree->problems[0].line, 3);
  EXPECT_THAT(tree->problems[0].message, HasSubstr("'a'"));
  EXPECT_THAT(tree->problems[0].message, HasSubstr("line 1"));
}

TEST(YamlTree, RefusesWhatIsOutsideTheSubset) {
  EXPECT_THAT(ErrorOf("a: &x 1\nb: *x\n"), HasSubstr("f.yaml:2: aliases"));
  EXPECT_THAT(ErrorOf("a: !!python/object 1\n"), HasSubstr("f.yaml:1: tags"));
  EXPECT_THAT(ErrorOf("a: 1\n---\nb: 2\n"), HasSubstr("second document"));
  EXPECT_THAT(ErrorOf("[1, 2]: 3\n"), HasSubstr("plain text"));
  EXPECT_THAT(ErrorOf("a: [1, 2\nb: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(ErrorOf("a:\n\t- b\n"), HasSubstr("f.yaml:"));
}

// "Billion laughs": each level doubles the one before.
TEST(YamlTree, AliasBombIsRefused) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("f.yaml:2: aliases"));
}

TEST(YamlTree, DepthLimitIsExact) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(ErrorOf(nested(kMaxYamlDepth)), "");
  EXPECT_THAT(ErrorOf(nested(kMaxYamlDepth + 1)), HasSubstr("deeper than 50"));
  for (const char* piece : {"[", "{a: ", "- ", "? "}) {
    EXPECT_NE(ErrorOf(Repeated(piece, 100'000)), "") << piece;
  }
}

TEST(YamlTree, SizeLimitIsExact) {
  EXPECT_EQ(ErrorOf(std::string(kMaxYamlBytes, ' ')), "");
  EXPECT_THAT(ErrorOf(std::string(kMaxYamlBytes + 1, ' ')), HasSubstr("at most 1048576"));
}

RC_GTEST_PROP(YamlTree, RandomBytesNeverCrash, (const std::string& text)) {
  const auto tree = ParseYaml(text, "f.yaml");
  if (!tree.ok()) RC_ASSERT(tree.error().kind == ErrorKind::kInvalidInput);
}

RC_GTEST_PROP(YamlTree, RandomPunctuationNeverCrashes, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "[", "]", "{", "}", ": ", ", ", "- ", "? ", "&a ", "*a", "!t ", "|\n", ">-\n", "'", "\"",
      "\n", "\n  ", "#", "%", "---\n", "...", "a", "1", "\\", "\t", "\xff", "~", "<<",
      std::string(1, '\0')));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto tree = ParseYaml(text, "f.yaml");
  if (!tree.ok()) RC_ASSERT(!tree.error().message.empty());
}

TEST(YamlTree, JsonGivesTheSameTree) {
  const Json json = {{"a", 0.1}, {"b", {1, true, nullptr, "x"}}};
  const auto tree = TreeFromJson(json, "json");
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(tree->root.keys, ElementsAre("a", "b"));
  EXPECT_EQ(tree->root.items[0].text, "0.1");
  EXPECT_EQ(tree->root.items[1].items[1].text, "true");
  EXPECT_EQ(tree->root.items[1].items[2].kind, YamlNode::Kind::kNull);
  Json deep = 1;
  for (int i = 0; i < 60; ++i) deep = Json::array({deep});
  EXPECT_FALSE(TreeFromJson(deep, "json").ok());
}

RC_GTEST_PROP(YamlTree, JsonNumbersKeepTheirBits, (double value)) {
  const auto tree = TreeFromJson(Json(value), "json");
  RC_ASSERT(std::stod(tree->root.text) == value);
}

TEST(YamlTree, QuotedShortensAndCleans) {
  EXPECT_EQ(Quoted("a\nb"), "'a?b'");
  const std::string long_text(100, 'x');
  EXPECT_EQ(Quoted(long_text), fmt::format("'{:.60}...'", long_text));
  // 59 bytes and then a character of two: it is left out whole.
  EXPECT_EQ(Quoted(fmt::format("{:.59}éé", long_text)), fmt::format("'{:.59}...'", long_text));
}

}  // namespace
}  // namespace realward
