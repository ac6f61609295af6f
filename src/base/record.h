// A file of named binary sections that verifies itself: checkpoints and other machine state.
//
// Layout: magic line, decimal header length, '\n', JSON header {"sections": [{"name", "bytes"}],
// "meta": …}, section bytes in order, then the SHA-256 of everything before it as 64 hex digits. A
// cut, zero-filled or altered file does not read.
#ifndef REALWARD_BASE_RECORD_H_
#define REALWARD_BASE_RECORD_H_

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

struct Record {
  Json meta = Json::object();
  std::map<std::string, std::string> sections;

  template <class T>
  void Put(const std::string& name, std::span<const T> values) {
    sections[name].assign(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  template <class T>
  void Put(const std::string& name, const std::vector<T>& values) {
    Put(name, std::span<const T>(values));
  }
  // Copies a section into `values`. An absent section or another size is an error that names it.
  template <class T>
  Status Get(const std::string& name, std::span<T> values) const {
    const auto found = sections.find(name);
    if (found == sections.end()) return InvalidInput("record has no section '" + name + "'");
    if (found->second.size() != values.size_bytes()) {
      return InvalidInput("section '" + name + "' has " + std::to_string(found->second.size()) +
                          " bytes, needed " + std::to_string(values.size_bytes()));
    }
    std::memcpy(values.data(), found->second.data(), values.size_bytes());
    return {};
  }
  template <class T>
  Status Get(const std::string& name, std::vector<T>& values) const {
    return Get(name, std::span<T>(values));
  }
};

std::string EncodeRecord(const Record& record);
// Errors say what is wrong: not a record, cut short (found and needed bytes), altered (hash).
Result<Record> DecodeRecord(std::string_view bytes);

Status WriteRecord(const std::string& path, const Record& record);
// The error names the path.
Result<Record> ReadRecord(const std::string& path);

}  // namespace realward

#endif  // REALWARD_BASE_RECORD_H_
