// YAML text and JSON values as one plain tree. The subset of YAML: one document, at most 1 MiB, at
// most 50 levels deep, no aliases (so no bombs), no tags, and keys that are text.
#ifndef REALWARD_SPEC_YAML_TREE_H_
#define REALWARD_SPEC_YAML_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

constexpr std::size_t kMaxYamlBytes = 1 << 20;
constexpr int kMaxYamlDepth = 50;

// One node. A map keeps keys[i], key_lines[i] and items[i] together; keys are unique.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  int line = 0;  // 1-based; 0 when there is none
  std::string text = {};
  std::vector<YamlNode> items = {};
  std::vector<std::string> keys = {};
  std::vector<int> key_lines = {};
};

// A finding about the text itself.
struct YamlProblem {
  int line = 0;
  std::string message;
};

struct YamlTree {
  YamlNode root;
  std::vector<YamlProblem> problems;  // keys that stand twice (the first one is kept)
};

// Errors say "name:line: what", for text that is no YAML or not in the subset. Never throws.
Result<YamlTree> ParseYaml(std::string_view text, const std::string& name);

// The same tree from JSON: numbers as their shortest round-trip text, no lines.
Result<YamlTree> TreeFromJson(const Json& json, const std::string& name);

// "'text'", shortened and with control characters replaced, for messages.
std::string Quoted(std::string_view text);

}  // namespace realward

#endif  // REALWARD_SPEC_YAML_TREE_H_
