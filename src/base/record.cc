#include "base/record.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file.h"

namespace realward {
namespace {
constexpr std::string_view kMagic = "realward-record 1\n";
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kMaxHeader = 1 << 26;
}  // namespace

std::string EncodeRecord(const Record& record) {
  Json header = {{"meta", record.meta}, {"sections", Json::array()}};
  for (const auto& [name, bytes] : record.sections) {
    header["sections"].push_back({{"name", name}, {"bytes", bytes.size()}});
  }
  const std::string text = CanonicalJson(header);
  std::string out = fmt::format("{}{}\n{}", kMagic, text.size(), text);
  for (const auto& entry : record.sections) out += entry.second;
  out += HashBytes(out);
  return out;
}

Result<Record> DecodeRecord(std::string_view bytes) {
  if (bytes.empty()) return InvalidInput("the file is empty");
  if (!bytes.starts_with(kMagic))
    return InvalidInput("this is no record: it does not begin with its magic line");
  std::string_view rest = bytes.substr(kMagic.size());
  const std::size_t newline = rest.substr(0, 24).find('\n');
  std::size_t header_size = 0;
  if (newline == std::string_view::npos ||
      std::from_chars(rest.data(), rest.data() + newline, header_size).ptr !=
          rest.data() + newline ||
      header_size > kMaxHeader) {
    return InvalidInput("the header length is not readable");
  }
  rest.remove_prefix(newline + 1);
  if (rest.size() < header_size) return InvalidInput("size: the file ends inside its header");
  const Json header = Json::parse(rest.substr(0, header_size), nullptr, false);
  if (!header.is_object() || !header.contains("sections") || !header["sections"].is_array()) {
    return InvalidInput("the header is not readable");
  }
  rest.remove_prefix(header_size);
  std::size_t needed = kHashDigits;
  for (const Json& section : header["sections"]) {
    if (!section.is_object() || !section.contains("bytes") ||
        !section["bytes"].is_number_unsigned() || !section.contains("name") ||
        !section["name"].is_string() || section["bytes"].get<std::size_t>() > bytes.size()) {
      return InvalidInput("size: a section is larger than the file");
    }
    needed += section["bytes"].get<std::size_t>();
  }
  if (rest.size() != needed) {
    return InvalidInput(
        fmt::format("size: {} bytes after the header, needed {}", rest.size(), needed));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kHashDigits);
  if (HashBytes(body) != bytes.substr(body.size()))
    return InvalidInput("hash: the content was altered");
  Record record;
  record.meta = header.value("meta", Json::object());
  for (const Json& section : header["sections"]) {
    const auto size = section["bytes"].get<std::size_t>();
    record.sections[section["name"].get<std::string>()] = std::string(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return record;
}

Status WriteRecord(const std::string& path, const Record& record) {
  return WriteFileAtomic(path, EncodeRecord(record));
}

Result<Record> ReadRecord(const std::string& path) {
  RW_ASSIGN(const std::string bytes, ReadFile(path));
  Result<Record> record = DecodeRecord(bytes);
  if (!record.ok()) return Error{record.error().kind, path + ": " + record.error().message};
  return record;
}

}  // namespace realward
