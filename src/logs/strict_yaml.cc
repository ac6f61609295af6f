#include "logs/strict_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace realward {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxText = 1000;

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

std::string InPlace(const std::string& place) {
  return place.empty() ? "" : fmt::format(" in {}", place);
}

}  // namespace

Result<YAML::Node> ParseStrictYaml(const std::string& text, const std::string& file) {
  if (text.size() > kMaxBytes) {
    return InvalidInput(
        fmt::format("{}: {} bytes; at most {} are read", file, text.size(), kMaxBytes));
  }
  try {  // yaml-cpp throws; nothing beyond this function does
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    return InvalidInput(fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

Result<StrictMap> StrictMap::Open(const YAML::Node& node, const std::string& file,
                                  const std::string& place, const std::vector<std::string>& keys) {
  if (!node.IsMap()) {
    return InvalidInput(fmt::format("{}:{}: {} must be a map with the keys {}", file,
                                    std::max(LineOf(node), 1), place.empty() ? "the file" : place,
                                    JoinChoices(keys)));
  }
  StrictMap map(file, place, LineOf(node));
  for (const auto& entry : node) {
    const int line = LineOf(entry.first);
    if (!entry.first.IsScalar()) {
      return InvalidInput(fmt::format("{}:{}: a key{} is not a text", file, line, InPlace(place)));
    }
    const std::string& key = entry.first.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return InvalidInput(
          fmt::format("{}:{}: {}", file, line, UnknownName("key", key, keys) + InPlace(place)));
    }
    if (map.Has(key)) {
      return InvalidInput(fmt::format("{}:{}: key '{}'{} is there twice, first on line {}", file,
                                      line, key, InPlace(place), map.line(key)));
    }
    map.entries_.push_back({key, line, entry.second});
  }
  return map;
}

const StrictMap::Entry* StrictMap::Find(const std::string& key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &*found;
}

bool StrictMap::Has(const std::string& key) const { return Find(key) != nullptr; }

int StrictMap::line(const std::string& key) const {
  const Entry* entry = Find(key);
  return entry == nullptr ? line_ : entry->line;
}

Error StrictMap::Fail(const std::string& key, const std::string& message) const {
  return InvalidInput(
      fmt::format("{}:{}: key '{}'{}: {}", file_, line(key), key, InPlace(place_), message));
}

Result<std::string> StrictMap::Text(const std::string& key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return Fail(key, "is missing and has no default");
  if (!entry->value.IsScalar()) return Fail(key, "must be a single value");
  const std::string& text = entry->value.Scalar();
  if (text.empty() || text.size() > kMaxText) {
    return Fail(key,
                fmt::format("holds {} bytes of text; 1 to {} are needed", text.size(), kMaxText));
  }
  return text;
}

Result<std::string> StrictMap::TextOr(const std::string& key, const std::string& fallback) const {
  if (!Has(key)) return fallback;
  return Text(key);
}

Result<double> StrictMap::NumberOr(const std::string& key, double fallback) const {
  if (!Has(key)) return fallback;
  RW_ASSIGN(const std::string text, Text(key));
  const auto number = ParseQuantity(text, "ratio");
  if (!number.ok()) return Fail(key, number.error().message);
  return *number;
}

Result<bool> StrictMap::BoolOr(const std::string& key, bool fallback) const {
  if (!Has(key)) return fallback;
  RW_ASSIGN(const std::string text, Text(key));
  if (text != "true" && text != "false")
    return Fail(key, fmt::format("'{}' must be true or false", text));
  return text == "true";
}

Result<std::vector<StrictMap>> StrictMap::Maps(const std::string& key,
                                               const std::vector<std::string>& keys,
                                               bool required) const {
  std::vector<StrictMap> maps;
  const Entry* entry = Find(key);
  if (entry == nullptr) {
    if (required) return Fail(key, "is missing and has no default");
    return maps;
  }
  if (!entry->value.IsSequence() || (required && entry->value.size() == 0)) {
    return Fail(key, fmt::format("must be a list of maps with the keys {}", JoinChoices(keys)));
  }
  for (const YAML::Node& item : entry->value) {
    const std::string place =
        (place_.empty() ? "" : place_ + ".") + fmt::format("{}[{}]", key, maps.size());
    RW_ASSIGN(StrictMap map, Open(item, file_, place, keys));
    maps.push_back(std::move(map));
  }
  return maps;
}

Result<StrictMap> StrictMap::Map(const std::string& key,
                                 const std::vector<std::string>& keys) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return Fail(key, "is missing and has no default");
  return Open(entry->value, file_, (place_.empty() ? "" : place_ + ".") + key, keys);
}

}  // namespace realward
