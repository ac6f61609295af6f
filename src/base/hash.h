// Content hashes. A value's identity is the SHA-256 of its canonical form: JSON with sorted keys,
// no white space, numbers in their shortest round-trip form; bytes as they are.
#ifndef REALWARD_BASE_HASH_H_
#define REALWARD_BASE_HASH_H_

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace realward {

using Json = nlohmann::json;

// Incremental SHA-256. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(std::string_view bytes);
  template <class T>
  void UpdateValues(std::span<const T> values) {
    Update({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // 64 lower-case hexadecimal digits. The object cannot be used further.
  std::string Hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 64 lower-case hexadecimal digits.
std::string HashBytes(std::string_view bytes);

// The canonical text of a JSON value. NaN and infinities have no JSON form and are a broken
// assumption.
std::string CanonicalJson(const Json& value);

// SHA-256 of CanonicalJson.
std::string HashJson(const Json& value);

// SHA-256 of a file's bytes.
Result<std::string> HashFile(const std::string& path);

}  // namespace realward

#endif  // REALWARD_BASE_HASH_H_
