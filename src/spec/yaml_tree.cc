#include "spec/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cctype>
#include <sstream>
#include <unordered_map>

namespace realward {
namespace {

// Stops the parser from inside a handler; caught in ParseYaml only.
struct Unsupported {
  int line;
  std::string message;
};

int LineOf(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }

// Builds the tree from the parser's events.
class Builder : public YAML::EventHandler {
 public:
  YamlTree& tree() { return tree_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Add({.kind = YamlNode::Kind::kNull, .line = LineOf(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Unsupported{LineOf(mark), "aliases (*name) are not supported; write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    RefuseTag(mark, tag);
    Add({.kind = YamlNode::Kind::kScalar, .line = LineOf(mark), .text = value});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    YamlNode node;
    std::unordered_map<std::string, int> seen = {};  // key → its line
    bool wants_key = true;                           // of a map: the next node is a key
    bool repeated = false;  // the value that follows belongs to a repeated key
  };

  static void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Unsupported{LineOf(mark),
                      fmt::format("tags ({}) are not supported; remove it", Quoted(tag))};
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    RefuseTag(mark, tag);
    if (static_cast<int>(frames_.size()) >= kMaxYamlDepth) {
      throw Unsupported{LineOf(mark), fmt::format("nested deeper than {} levels", kMaxYamlDepth)};
    }
    frames_.push_back({.node = {.kind = kind, .line = LineOf(mark)}});
  }

  void Close() {
    YamlNode node = std::move(frames_.back().node);
    frames_.pop_back();
    Add(std::move(node));
  }

  void Add(YamlNode node) {
    if (frames_.empty()) {
      tree_.root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind != YamlNode::Kind::kMap) {
      frame.node.items.push_back(std::move(node));
    } else if (frame.wants_key) {
      AddKey(frame, node);
    } else {
      frame.wants_key = true;
      if (frame.repeated) return;
      // The parser marks an absent value where the next token stands.
      if (node.kind == YamlNode::Kind::kNull) node.line = frame.node.key_lines.back();
      frame.node.items.push_back(std::move(node));
    }
  }

  void AddKey(Frame& frame, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) {
      throw Unsupported{node.line, "a key must be plain text"};
    }
    frame.wants_key = false;
    const auto [entry, fresh] = frame.seen.emplace(node.text, node.line);
    frame.repeated = !fresh;
    if (fresh) {
      frame.node.keys.push_back(node.text);
      frame.node.key_lines.push_back(node.line);
      return;
    }
    tree_.problems.push_back(
        {node.line, fmt::format("key {}: stands twice in one map (first in line {}); keep one",
                                Quoted(node.text), entry->second)});
  }

  YamlTree tree_;
  std::vector<Frame> frames_;
};

// Whether anything follows the first document.
class AnyEvent : public Builder {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Unsupported{LineOf(mark), "a second document starts here; a file holds one"};
  }
};

YamlNode ScalarNode(std::string text) {
  return {.kind = YamlNode::Kind::kScalar, .text = std::move(text)};
}

// False when nested too deep.
bool FromJson(const Json& json, int depth, YamlNode* node) {
  if (depth > kMaxYamlDepth) return false;
  if (json.is_null()) return true;
  if (json.is_string()) {
    *node = ScalarNode(json.get<std::string>());
  } else if (json.is_number_float()) {
    *node = ScalarNode(fmt::format("{}", json.get<double>()));
  } else if (json.is_structured()) {
    node->kind = json.is_array() ? YamlNode::Kind::kSequence : YamlNode::Kind::kMap;
    for (const auto& [key, value] : json.items()) {
      if (json.is_object()) {
        node->keys.push_back(key);
        node->key_lines.push_back(0);
      }
      node->items.emplace_back();
      if (!FromJson(value, depth + 1, &node->items.back())) return false;
    }
  } else {
    *node = ScalarNode(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return true;
}

}  // namespace

Result<YamlTree> ParseYaml(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes) {
    return InvalidInput(
        fmt::format("{} has {} bytes; at most {} are read", name, text.size(), kMaxYamlBytes));
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder;
    if (parser.HandleNextDocument(builder)) {
      AnyEvent rest;
      parser.HandleNextDocument(rest);
    }
    return std::move(builder.tree());
  } catch (const Unsupported& unsupported) {
    return InvalidInput(fmt::format("{}:{}: {}", name, unsupported.line, unsupported.message));
  } catch (const YAML::Exception& error) {
    return InvalidInput(
        fmt::format("{}:{}: not valid YAML: {}", name, LineOf(error.mark), error.msg));
  } catch (const std::exception& error) {
    return InvalidInput(fmt::format("{}: not valid YAML: {}", name, error.what()));
  }
}

Result<YamlTree> TreeFromJson(const Json& json, const std::string& name) {
  YamlTree tree;
  if (!FromJson(json, 0, &tree.root)) {
    return InvalidInput(fmt::format("{}: nested deeper than {} levels", name, kMaxYamlDepth));
  }
  return tree;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown = "'";
  for (char c : text.substr(0, kMost)) {
    shown += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? '?' : c;
  }
  if (text.size() > kMost) {
    // No part of a UTF-8 character at the cut.
    while ((static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
    if (static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
    shown += "...";
  }
  return shown + "'";
}

}  // namespace realward
