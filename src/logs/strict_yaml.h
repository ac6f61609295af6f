// Strict reading of this stage's small YAML files. Every error says file:line, the key, its value
// and what would be valid.
#ifndef REALWARD_LOGS_STRICT_YAML_H_
#define REALWARD_LOGS_STRICT_YAML_H_

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace realward {

// Parses one document of at most 1 MiB.
Result<YAML::Node> ParseStrictYaml(const std::string& text, const std::string& file);

// A map of a file in which every key is known and none is there twice.
class StrictMap {
 public:
  // `place` names the map in messages, such as "channels[0]"; empty at the root.
  static Result<StrictMap> Open(const YAML::Node& node, const std::string& file,
                                const std::string& place, const std::vector<std::string>& keys);

  bool Has(const std::string& key) const;
  int line() const { return line_; }
  int line(const std::string& key) const;

  // Required text, or a fallback. Text is 1 to 1000 bytes.
  Result<std::string> Text(const std::string& key) const;
  Result<std::string> TextOr(const std::string& key, const std::string& fallback) const;
  // A finite number without a unit.
  Result<double> NumberOr(const std::string& key, double fallback) const;
  Result<bool> BoolOr(const std::string& key, bool fallback) const;
  // The maps of a list; none when the key is missing and not required.
  Result<std::vector<StrictMap>> Maps(const std::string& key, const std::vector<std::string>& keys,
                                      bool required) const;
  // A map below this one.
  Result<StrictMap> Map(const std::string& key, const std::vector<std::string>& keys) const;

  // The error at a key: "file:line: key 'unit' in channels[0]: message".
  Error Fail(const std::string& key, const std::string& message) const;

 private:
  StrictMap(std::string file, std::string place, int line)
      : file_(std::move(file)), place_(std::move(place)), line_(line) {}

  struct Entry {
    std::string key;
    int line;
    YAML::Node value;
  };
  const Entry* Find(const std::string& key) const;

  std::string file_;
  std::string place_;
  int line_;
  std::vector<Entry> entries_;
};

}  // namespace realward

#endif  // REALWARD_LOGS_STRICT_YAML_H_
