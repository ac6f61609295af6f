#include "spec/yaml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"

namespace realward {
namespace {

constexpr std::size_t kMaxText = 1000;

bool Printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

const char* KindName(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "?";
}

// "a torque (N*m, mN*m) or a force (N, mN)".
std::string DimensionsText(const std::vector<std::string>& dimensions) {
  std::vector<std::string> parts;
  for (const std::string& dimension : dimensions) {
    parts.push_back(fmt::format("{} ({})", dimension, fmt::join(UnitNames(dimension), ", ")));
  }
  return JoinChoices(parts);
}

std::string LimitsText(const NumberRule& rule) {
  const std::string unit = rule.dimensions.size() == 1 && rule.dimensions[0] != "ratio"
                               ? fmt::format(" {}", SiUnit(rule.dimensions[0]))
                               : "";
  const bool low = std::isfinite(rule.low);
  const bool high = std::isfinite(rule.high);
  const std::string from = fmt::format("{} {}{}", rule.low_open ? ">" : ">=", rule.low, unit);
  const std::string to = fmt::format("<= {}{}", rule.high, unit);
  return low && high ? from + " and " + to : low ? from : to;
}

// The quantity in one of several dimensions.
Result<Quantity> ParseAny(const std::string& text, const std::vector<std::string>& dimensions) {
  if (const auto plain = ParseQuantity(text, ""); plain.ok()) return Quantity{*plain, ""};
  for (const std::string& dimension : dimensions) {
    const auto value = ParseQuantity(text, dimension);
    if (value.ok()) return Quantity{*value, dimension};
    if (dimensions.size() == 1) return value.error();
  }
  const auto reason = ParseQuantity(text, "");
  // Words for a value whose unit is known but of none of the dimensions.
  for (const std::string& unit : UnitNames()) {
    const std::string dimension = ParseUnit(unit)->dimension;
    if (!ParseQuantity(text, dimension).ok()) continue;
    return InvalidInput(fmt::format("{} is in {} ({}), but a value in {} is needed here",
                                    Quoted(text), unit, dimension, DimensionsText(dimensions)));
  }
  return reason.error();
}

bool Inside(double value, const NumberRule& rule) {
  return (rule.low_open ? value > rule.low : value >= rule.low) && value <= rule.high;
}

}  // namespace

NumberRule AnyNumber(std::vector<std::string> dimensions) {
  return {.dimensions = std::move(dimensions)};
}
NumberRule Positive(std::vector<std::string> dimensions) {
  return {.dimensions = std::move(dimensions), .low = 0.0, .low_open = true};
}
NumberRule NonNegative(std::vector<std::string> dimensions) {
  return {.dimensions = std::move(dimensions), .low = 0.0};
}
NumberRule Between(double low, double high, std::vector<std::string> dimensions) {
  return {.dimensions = std::move(dimensions), .low = low, .high = high};
}
NumberRule Narrowed(NumberRule rule, const std::string& dimension) {
  if (!dimension.empty()) rule.dimensions = {dimension};
  return rule;
}

void YamlErrors::Add(int line, const std::string& message) {
  if (full()) {
    ++left_out_;
  } else {
    errors_.push_back({line, message});
  }
}

Status YamlErrors::status() const {
  if (errors_.empty()) return {};
  std::vector<Entry> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.line < b.line; });
  std::string text;
  for (const Entry& entry : sorted) {
    if (!text.empty()) text += "\n";
    text += entry.line > 0 ? fmt::format("{}:{}: {}", file_, entry.line, entry.message)
                           : fmt::format("{}: {}", file_, entry.message);
  }
  if (left_out_ > 0) text += fmt::format("\n{}: and {} more errors", file_, left_out_);
  return InvalidInput(std::move(text));
}

std::string YamlValue::path() const { return context_.empty() ? key_ : context_ + "." + key_; }

void YamlValue::Fail(const std::string& message) const {
  if (key_.empty()) {
    errors_->Add(line_, message);
  } else if (context_.empty()) {
    errors_->Add(line_, fmt::format("key {}: {}", Quoted(key_), message));
  } else {
    errors_->Add(line_, fmt::format("key {} in {}: {}", Quoted(key_), context_, message));
  }
}

std::optional<std::string> YamlValue::Text() const {
  if (!is_scalar()) {
    Fail(fmt::format("needs a text, has {}", KindName(node_->kind)));
  } else if (node_->text.empty() || node_->text.size() > kMaxText || !Printable(node_->text)) {
    Fail(fmt::format("{} is no text of 1 to {} printable bytes", Quoted(node_->text), kMaxText));
  } else {
    return node_->text;
  }
  return std::nullopt;
}

std::optional<bool> YamlValue::Bool() const {
  if (is_scalar() && node_->text == "true") return true;
  if (is_scalar() && node_->text == "false") return false;
  Fail(fmt::format("needs true or false, has {}",
                   is_scalar() ? Quoted(node_->text) : KindName(node_->kind)));
  return std::nullopt;
}

std::optional<Quantity> YamlValue::Number(const NumberRule& rule) const {
  if (!is_scalar()) {
    Fail(fmt::format("needs a number, has {}", KindName(node_->kind)));
    return std::nullopt;
  }
  if (node_->text.size() > kMaxText || !Printable(node_->text)) {
    Fail(fmt::format("{} is not a number", Quoted(node_->text)));
    return std::nullopt;
  }
  const auto quantity = ParseAny(node_->text, rule.dimensions);
  if (!quantity.ok()) {
    Fail(quantity.error().message);
    return std::nullopt;
  }
  // A huge number times a unit's factor may overflow.
  if (!std::isfinite(quantity->value)) {
    Fail(fmt::format("{} is not a finite number", Quoted(node_->text)));
    return std::nullopt;
  }
  if (!Inside(quantity->value, rule)) {
    Fail(fmt::format("{} is out of range; valid: {}", Quoted(node_->text), LimitsText(rule)));
    return std::nullopt;
  }
  return *quantity;
}

std::optional<std::int64_t> YamlValue::Whole(std::int64_t low, std::int64_t high) const {
  constexpr double kExact =
      9007199254740992.0;  // 2^53: above it not every whole number is a double
  if (!is_scalar()) {
    Fail(fmt::format("needs a whole number, has {}", KindName(node_->kind)));
    return std::nullopt;
  }
  const std::string& text = node_->text;
  std::int64_t value = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || rest != text.data() + text.size()) {
    double real = 0.0;  // 1e6 is a whole number too
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
        !(std::abs(real) <= kExact) || real != std::floor(real)) {
      Fail(fmt::format("{} is not a whole number", Quoted(text)));
      return std::nullopt;
    }
    value = static_cast<std::int64_t>(real);
  }
  if (value < low || value > high) {
    Fail(fmt::format("{} is out of range; valid: {} to {}", value, low, high));
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> YamlValue::Seed() const {
  const std::string& text = node_->text;
  std::uint64_t value = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!is_scalar() || code != std::errc() || rest != text.data() + text.size()) {
    Fail(fmt::format("needs a seed, a whole number from 0 to 2^64 - 1, has {}",
                     is_scalar() ? Quoted(text) : KindName(node_->kind)));
    return std::nullopt;
  }
  return value;
}

bool YamlValue::SameUnitStyle(const Quantity& first, const Quantity& second) const {
  if (first.dimension.empty() == second.dimension.empty()) return true;
  if (first.dimension.empty() ? first.value == 0.0 : second.value == 0.0) return true;
  Fail("one number has a unit and another has none; give every number its unit");
  return false;
}

std::optional<QuantityRange> YamlValue::Range(const NumberRule& rule) const {
  if (!is_sequence() || node_->items.size() != 2) {
    Fail(is_sequence() ? fmt::format("needs two ends [low, high], has {}", node_->items.size())
                       : fmt::format("needs a range [low, high], has {}", KindName(node_->kind)));
    return std::nullopt;
  }
  const std::vector<YamlValue> ends = Items();
  const auto low = ends[0].Number(rule);
  const auto high = ends[1].Number(low ? Narrowed(rule, low->dimension) : rule);
  if (!low || !high || !SameUnitStyle(*low, *high)) return std::nullopt;
  if (low->value > high->value) {
    Fail(fmt::format("the range [{}, {}] is reversed; the low end comes first", ends[0].node().text,
                     ends[1].node().text));
    return std::nullopt;
  }
  return QuantityRange{low->value, high->value,
                       low->dimension.empty() ? high->dimension : low->dimension};
}

std::vector<YamlValue> YamlValue::Items() const {
  std::vector<YamlValue> values;
  if (!is_sequence()) {
    Fail(fmt::format("needs a list, has {}", KindName(node_->kind)));
    return values;
  }
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const YamlNode& item = node_->items[i];
    values.emplace_back(&item, errors_, fmt::format("{}[{}]", key_, i), context_, item.line);
  }
  return values;
}

YamlMap::YamlMap(const YamlValue& value) : value_(value) {
  if (value_.is_map()) return;
  abandoned_ = true;
  value_.Fail(fmt::format("needs a map of keys, has {}", KindName(value_.node().kind)));
}

YamlMap::~YamlMap() {
  if (abandoned_) return;
  const YamlNode& node = value_.node();
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& key = node.keys[i];
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const YamlValue place(&node.items[i], &value_.errors(), key, value_.path(), node.key_lines[i]);
    if (value_.errors().full()) {
      place.Fail("unknown");  // only counted
    } else {
      place.Fail("unknown key; nearest valid: " +
                 JoinChoices(NearestNames(std::string_view(key).substr(0, 60), asked_)));
    }
  }
}

std::optional<std::size_t> YamlMap::Find(std::string_view key) const {
  const auto& keys = value_.node().keys;
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (!value_.is_map() || found == keys.end()) return std::nullopt;
  return static_cast<std::size_t>(found - keys.begin());
}

bool YamlMap::Has(std::string_view key) const { return Find(key).has_value(); }

std::optional<YamlValue> YamlMap::Optional(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const auto index = Find(key);
  if (!index) return std::nullopt;
  const YamlNode& item = value_.node().items[*index];
  // A value's own line, but the key's when it starts further down.
  const int line =
      item.kind == YamlNode::Kind::kScalar ? item.line : value_.node().key_lines[*index];
  return YamlValue(&item, &value_.errors(), key, value_.path(), line);
}

std::optional<YamlValue> YamlMap::Required(const std::string& key) {
  auto value = Optional(key);
  if (!value) ReportMissing(key);
  return value;
}

void YamlMap::ReportMissing(const std::string& key) const {
  if (!value_.is_map()) return;  // that was reported
  YamlValue(&value_.node(), &value_.errors(), key, value_.path(), value_.line())
      .Fail("is missing, and there is no default");
}

std::string YamlMap::Text(const std::string& key, std::optional<std::string> fallback) {
  const auto value = fallback ? Optional(key) : Required(key);
  const auto text = value ? value->Text() : std::nullopt;
  return text ? *text : fallback.value_or("");
}

bool YamlMap::Bool(const std::string& key, std::optional<bool> fallback) {
  const auto value = fallback ? Optional(key) : Required(key);
  const auto flag = value ? value->Bool() : std::nullopt;
  return flag ? *flag : fallback.value_or(false);
}

double YamlMap::Number(const std::string& key, const NumberRule& rule,
                       std::optional<double> fallback) {
  const auto value = fallback ? Optional(key) : Required(key);
  const auto number = value ? value->Number(rule) : std::nullopt;
  return number ? number->value : fallback.value_or(0.0);
}

std::int64_t YamlMap::Whole(const std::string& key, std::int64_t low, std::int64_t high,
                            std::optional<std::int64_t> fallback) {
  const auto value = fallback ? Optional(key) : Required(key);
  const auto number = value ? value->Whole(low, high) : std::nullopt;
  return number ? *number : fallback.value_or(0);
}

std::uint64_t YamlMap::Seed(const std::string& key, std::optional<std::uint64_t> fallback) {
  const auto value = fallback ? Optional(key) : Required(key);
  const auto seed = value ? value->Seed() : std::nullopt;
  return seed ? *seed : fallback.value_or(0);
}

std::vector<std::string> YamlMap::Texts(const std::string& key, bool required) {
  std::vector<std::string> texts;
  const auto value = required ? Required(key) : Optional(key);
  if (!value) return texts;
  for (const YamlValue& item : value->is_scalar() ? std::vector{*value} : value->Items()) {
    if (const auto text = item.Text()) texts.push_back(*text);
  }
  return texts;
}

std::vector<YamlValue> YamlMap::Items(const std::string& key, bool required) {
  const auto value = required ? Required(key) : Optional(key);
  return value ? value->Items() : std::vector<YamlValue>{};
}

std::optional<std::size_t> YamlMap::ChoiceIndex(const std::string& key,
                                                const std::vector<std::string>& names,
                                                bool required) {
  const auto value = required ? Required(key) : Optional(key);
  const auto text = value ? value->Text() : std::nullopt;
  if (!text) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  value->Fail(fmt::format("{} is unknown; nearest valid: {}", Quoted(*text),
                          JoinChoices(NearestNames(text->substr(0, 60), names))));
  return std::nullopt;
}

Result<YamlDocument> YamlDocument::Load(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (!code && size > kMaxYamlBytes) {
    return InvalidInput(
        fmt::format("{} has {} bytes; at most {} are read", path, size, kMaxYamlBytes));
  }
  RW_ASSIGN(const std::string text, ReadFile(path));
  return Parse(text, path);
}

YamlDocument::YamlDocument(YamlTree tree, const std::string& name)
    : root_(std::make_unique<YamlNode>(std::move(tree.root))),
      errors_(std::make_unique<YamlErrors>(name)) {
  for (const YamlProblem& problem : tree.problems) errors_->Add(problem.line, problem.message);
}

Result<YamlDocument> YamlDocument::Parse(std::string_view text, const std::string& name) {
  RW_ASSIGN(YamlTree tree, ParseYaml(text, name));
  return YamlDocument(std::move(tree), name);
}

Result<YamlDocument> YamlDocument::FromJson(const Json& json, const std::string& name) {
  RW_ASSIGN(YamlTree tree, TreeFromJson(json, name));
  return YamlDocument(std::move(tree), name);
}

YamlValue YamlDocument::root() const { return {root_.get(), errors_.get(), "", "", root_->line}; }

std::string PathBeside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path base = fs::absolute(file, code).parent_path();
  return (base / path).lexically_normal().string();
}

}  // namespace realward
