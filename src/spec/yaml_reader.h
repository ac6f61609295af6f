// Strict reading of YAML files. All errors of a file are collected in one pass, each as
//   file:line: key 'x' in actions[0]: what is wrong, the value, what would be valid
// and given as one message. JSON values are read by the same code, so a file and its canonical JSON
// form share one schema. The tree and the subset of YAML: spec/yaml_tree.h.
#ifndef REALWARD_SPEC_YAML_READER_H_
#define REALWARD_SPEC_YAML_READER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "spec/yaml_tree.h"

namespace realward {

// What a number must be: its unit's dimension (one of several when the target decides) and its
// limits.
struct NumberRule {
  std::vector<std::string> dimensions = {"ratio"};  // base/units.h
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;  // low itself is not allowed
};
NumberRule AnyNumber(std::vector<std::string> dimensions = {"ratio"});
NumberRule Positive(std::vector<std::string> dimensions = {"ratio"});
NumberRule NonNegative(std::vector<std::string> dimensions = {"ratio"});
NumberRule Between(double low, double high, std::vector<std::string> dimensions = {"ratio"});
// The rule with one dimension left, the one of an earlier value; unchanged when that had no unit.
NumberRule Narrowed(NumberRule rule, const std::string& dimension);

// A number in SI units. The dimension is empty when it was written without a unit.
struct Quantity {
  double value = 0.0;
  std::string dimension;
};

struct QuantityRange {
  double low = 0.0;
  double high = 0.0;
  std::string dimension;
};

// Names of an enum's values, shared by YAML, JSON and messages.
template <class E>
struct Named {
  E value;
  const char* name;
};
template <class E>
const char* NameIn(std::span<const Named<E>> table, E value) {
  for (const auto& row : table) {
    if (row.value == value) return row.name;
  }
  return "?";
}

// The errors of one file. Beyond 50 they are only counted.
class YamlErrors {
 public:
  explicit YamlErrors(std::string file) : file_(std::move(file)) {}
  void Add(int line, const std::string& message);
  bool full() const { return errors_.size() >= kMost; }
  // Ok, or one invalid-input error: the messages by line, joined by newlines.
  Status status() const;

 private:
  static constexpr std::size_t kMost = 50;
  struct Entry {
    int line;
    std::string message;
  };
  std::string file_;
  std::vector<Entry> errors_;
  std::size_t left_out_ = 0;
};

// A place in a file: a node, its key and where that stands. Reading functions report what is wrong
// and give nothing then. Valid while its document lives.
class YamlValue {
 public:
  YamlValue(const YamlNode* node, YamlErrors* errors, std::string key, std::string context,
            int line)
      : node_(node),
        errors_(errors),
        key_(std::move(key)),
        context_(std::move(context)),
        line_(line) {}

  const YamlNode& node() const { return *node_; }
  YamlErrors& errors() const { return *errors_; }
  int line() const { return line_; }
  bool is_scalar() const { return node_->kind == YamlNode::Kind::kScalar; }
  bool is_map() const { return node_->kind == YamlNode::Kind::kMap; }
  bool is_sequence() const { return node_->kind == YamlNode::Kind::kSequence; }
  // "actions[0].range"; empty at the root.
  std::string path() const;

  // Reports an error at this place.
  void Fail(const std::string& message) const;

  // Text of 1 to 1000 printable bytes.
  std::optional<std::string> Text() const;
  std::optional<bool> Bool() const;
  std::optional<Quantity> Number(const NumberRule& rule) const;
  std::optional<std::int64_t> Whole(std::int64_t low, std::int64_t high) const;
  std::optional<std::uint64_t> Seed() const;
  // [low, high] with low ≤ high, both in units of one dimension.
  std::optional<QuantityRange> Range(const NumberRule& rule) const;
  // The entries of a list; none (and an error) when it is something else.
  std::vector<YamlValue> Items() const;
  // Reports a number written with a unit beside one without: "[-5, 5 deg]" is rarely what was
  // meant.
  bool SameUnitStyle(const Quantity& first, const Quantity& second) const;

 private:
  const YamlNode* node_;
  YamlErrors* errors_;
  std::string key_;
  std::string context_;
  int line_;
};

// Reads a map. Invariant: at its end every key was asked for, or is reported with the nearest that
// were. Without a fallback a key is required. A wrong value is reported and the fallback (or zero)
// given.
class YamlMap {
 public:
  explicit YamlMap(const YamlValue& value);
  ~YamlMap();
  YamlMap(const YamlMap&) = delete;
  YamlMap& operator=(const YamlMap&) = delete;

  bool Has(std::string_view key) const;
  std::optional<YamlValue> Optional(const std::string& key);
  std::optional<YamlValue> Required(const std::string& key);
  // Which keys are valid cannot be told (the key that decides it is wrong): unread ones are not
  // reported.
  void Abandon() { abandoned_ = true; }
  // Reports an error about the whole map.
  void Fail(const std::string& message) const { value_.Fail(message); }
  const YamlValue& value() const { return value_; }

  std::string Text(const std::string& key, std::optional<std::string> fallback = {});
  bool Bool(const std::string& key, std::optional<bool> fallback = {});
  double Number(const std::string& key, const NumberRule& rule,
                std::optional<double> fallback = {});
  std::int64_t Whole(const std::string& key, std::int64_t low, std::int64_t high,
                     std::optional<std::int64_t> fallback = {});
  std::uint64_t Seed(const std::string& key, std::optional<std::uint64_t> fallback = {});
  // Entries of a list, or a single text taken as a list of one.
  std::vector<std::string> Texts(const std::string& key, bool required);
  std::vector<YamlValue> Items(const std::string& key, bool required);

  // A name out of a table. Nothing when it is missing without a fallback, or unknown.
  template <class E>
  std::optional<E> Choice(const std::string& key, std::span<const Named<E>> table,
                          std::optional<E> fallback = {});

 private:
  std::optional<std::size_t> Find(std::string_view key) const;
  // Index into the table of names, or an error.
  std::optional<std::size_t> ChoiceIndex(const std::string& key,
                                         const std::vector<std::string>& names, bool required);
  void ReportMissing(const std::string& key) const;

  YamlValue value_;
  std::vector<std::string> asked_;
  bool abandoned_ = false;
};

// A file read into nodes. Movable; values point into it.
class YamlDocument {
 public:
  // Errors: the file cannot be read (environment), or is not in the subset of spec/yaml_tree.h.
  static Result<YamlDocument> Load(const std::string& path);
  static Result<YamlDocument> Parse(std::string_view text, const std::string& name);
  // The same nodes from JSON; messages then carry no line.
  static Result<YamlDocument> FromJson(const Json& json, const std::string& name);

  YamlValue root() const;
  YamlErrors& errors() const { return *errors_; }
  Status status() const { return errors_->status(); }

 private:
  YamlDocument(YamlTree tree, const std::string& name);
  std::unique_ptr<YamlNode> root_;
  std::unique_ptr<YamlErrors> errors_;
};

// The path made absolute, relative ones against the folder of `file`.
std::string PathBeside(const std::string& file, const std::string& path);

template <class E>
std::optional<E> YamlMap::Choice(const std::string& key, std::span<const Named<E>> table,
                                 std::optional<E> fallback) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  const bool present = Has(key);
  const auto index = ChoiceIndex(key, names, !fallback.has_value());
  if (index) return table[*index].value;
  return present ? std::nullopt : fallback;
}

}  // namespace realward

#endif  // REALWARD_SPEC_YAML_READER_H_
