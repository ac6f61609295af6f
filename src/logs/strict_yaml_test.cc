#include "logs/strict_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace realward {
namespace {

using ::testing::HasSubstr;

Result<StrictMap> Open(const std::string& text) {
  RW_ASSIGN(const YAML::Node node, ParseStrictYaml(text, "a.yaml"));
  return StrictMap::Open(node, "a.yaml", "", {"name", "scale", "on", "list", "map"});
}

TEST(StrictYaml, ReadsValuesAndFallbacks) {
  const auto map =
      Open("name: x\nscale: -2.5\non: true\nlist:\n  - {a: 1}\n  - {a: 2}\nmap: {b: y}\n");
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(*map->Text("name"), "x");
  EXPECT_EQ(*map->NumberOr("scale", 1.0), -2.5);
  EXPECT_TRUE(*map->BoolOr("on", false));
  const auto list = map->Maps("list", {"a"}, true);
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[1].line(), 6);
  EXPECT_EQ(*map->Map("map", {"b"})->Text("b"), "y");
  EXPECT_EQ(*map->Map("map", {"b"})->TextOr("c", "z"), "z");
}

TEST(StrictYaml, ErrorsSayFileLineKeyAndWhatIsValid) {
  EXPECT_EQ(Open("name: x\nscael: 2\n").error().message,
            "a.yaml:2: unknown key 'scael'; nearest valid: scale");
  EXPECT_THAT(Open("name: x\nname: y\n").error().message,
              HasSubstr("a.yaml:2: key 'name' is there twice"));
  EXPECT_THAT(Open("- 1\n").error().message, HasSubstr("a.yaml:1: the file must be a map"));
  EXPECT_THAT(Open("name: [1\n").error().message, HasSubstr("a.yaml:"));
  EXPECT_THAT(Open("scale: x\n")->NumberOr("scale", 1).error().message,
              HasSubstr("a.yaml:1: key 'scale': 'x' is not a number"));
  EXPECT_THAT(Open("on: yes\n")->BoolOr("on", false).error().message, HasSubstr("true or false"));
  EXPECT_THAT(Open("scale: 1\n")->Text("name").error().message,
              HasSubstr("key 'name': is missing"));
  EXPECT_THAT(Open("list: [{b: 1}]\n")->Maps("list", {"a"}, true).error().message,
              HasSubstr("unknown key 'b'"));
  EXPECT_THAT(Open("list: []\n")->Maps("list", {"a"}, true).error().message,
              HasSubstr("list of maps"));
  EXPECT_FALSE(Open("name: ''\n")->Text("name").ok());
  EXPECT_FALSE(Open("").ok());
  EXPECT_FALSE(ParseStrictYaml(std::string(2 << 20, ' '), "a.yaml").ok());
}

TEST(StrictYaml, RandomTextNeverThrows) {
  const std::string alphabet = "name:scale \n\t-[]{}'\"#&*!|>%@`,?0";
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    Stream stream({.seed = 9, .purpose = Purpose::kTest, .episode = trial});
    std::string text(stream.Index(60), ' ');
    for (char& c : text) c = alphabet[stream.Index(alphabet.size())];
    const auto map = Open(text);
    if (!map.ok()) {
      EXPECT_THAT(map.error().message, HasSubstr("a.yaml:"));
    }
  }
}

}  // namespace
}  // namespace realward
