#include "spec/safe_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace realward {
namespace {

// Offset of a declaration that XML allows and we refuse, outside of comments and CDATA.
std::size_t FindDeclaration(std::string_view text) {
  std::size_t at = 0;
  while ((at = text.find("<!", at)) != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    std::string_view end;
    if (rest.starts_with("<!--")) {
      end = "-->";
    } else if (rest.starts_with("<![CDATA[")) {
      end = "]]>";
    } else {
      return at;
    }
    const std::size_t close = text.find(end, at + 4);
    if (close == std::string_view::npos) return close;
    at = close + end.size();
  }
  return at;
}

// Walks without recursion: the depth is what is in question.
struct DepthGuard : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    if (depth() < kMostXmlDepth) return true;
    too_deep = node;
    return false;
  }
  pugi::xml_node too_deep;
};

}  // namespace

Result<XmlFile> XmlFile::Load(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (!code && size > kMostXmlBytes) {
    return InvalidInput(fmt::format("{}: {} bytes; a model description has at most {} MiB", path,
                                    size, kMostXmlBytes >> 20));
  }
  RW_ASSIGN(std::string text, ReadFile(path));
  return Parse(std::move(text), path);
}

Result<XmlFile> XmlFile::Parse(std::string text, const std::string& name) {
  if (text.size() > kMostXmlBytes) {
    return InvalidInput(fmt::format("{}: {} bytes; a model description has at most {} MiB", name,
                                    text.size(), kMostXmlBytes >> 20));
  }
  XmlFile file;
  file.text_ = std::move(text);
  file.line_starts_.push_back(0);
  for (std::size_t i = 0; i < file.text_.size(); ++i) {
    if (file.text_[i] == '\n') file.line_starts_.push_back(i + 1);
  }
  const std::size_t declaration = FindDeclaration(file.text_);
  if (declaration != std::string::npos) {
    return InvalidInput(
        fmt::format("{}:{}: has a document type or entity declaration; a model description needs "
                    "none, and it is refused because it can read other files or grow without bound",
                    name, file.LineAt(declaration)));
  }
  file.document_ = std::make_unique<pugi::xml_document>();
  const pugi::xml_parse_result parsed = file.document_->load_buffer(
      file.text_.data(), file.text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return InvalidInput(fmt::format("{}:{}: is no well-formed XML: {}", name,
                                    file.LineAt(static_cast<std::size_t>(parsed.offset)),
                                    parsed.description()));
  }
  DepthGuard guard;
  file.document_->traverse(guard);
  if (guard.too_deep) {
    return InvalidInput(fmt::format("{}:{}: elements are nested deeper than {}", name,
                                    file.LineOf(guard.too_deep), kMostXmlDepth));
  }
  return file;
}

int XmlFile::LineOf(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  return offset < 0 ? 0 : LineAt(static_cast<std::size_t>(offset));
}

int XmlFile::LineAt(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(after - line_starts_.begin());
}

}  // namespace realward
