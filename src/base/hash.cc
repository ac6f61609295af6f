#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <fstream>

#include "base/check.h"

namespace realward {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  RW_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(std::string_view bytes) {
  RW_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Hex() {
  std::array<unsigned char, 32> digest{};
  RW_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string HashBytes(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Hex();
}

namespace {
void CheckFinite(const Json& value) {
  if (value.is_number_float()) RW_CHECK(std::isfinite(value.get<double>()));
  if (value.is_structured()) {
    for (const auto& item : value) CheckFinite(item);
  }
}
}  // namespace

std::string CanonicalJson(const Json& value) {
  CheckFinite(value);
  return value.dump();
}

std::string HashJson(const Json& value) { return HashBytes(CanonicalJson(value)); }

Result<std::string> HashFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return EnvironmentError("cannot read " + path);
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    hash.Update({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) return EnvironmentError("reading " + path + " failed");
  return hash.Hex();
}

}  // namespace realward
