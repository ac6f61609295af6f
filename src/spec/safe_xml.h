// XML of a file that nobody has looked at: bounded in size and depth, and without document types or
// entities, so that nothing outside the file is read and nothing in it grows.
#ifndef REALWARD_SPEC_SAFE_XML_H_
#define REALWARD_SPEC_SAFE_XML_H_

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace realward {

constexpr std::size_t kMostXmlBytes = std::size_t{64} << 20;
constexpr int kMostXmlDepth = 200;

// A parsed file. Nodes are valid while it lives.
class XmlFile {
 public:
  // Errors: the file cannot be read (environment), is too large or too deep, is no XML, or has a
  // DOCTYPE or ENTITY (invalid input). The message begins with the path, and the line if known.
  static Result<XmlFile> Load(const std::string& path);
  static Result<XmlFile> Parse(std::string text, const std::string& name);

  pugi::xml_document& document() { return *document_; }
  const pugi::xml_document& document() const { return *document_; }
  const std::string& text() const { return text_; }
  // Line of a node in the text, from 1; 0 for a node that was added later.
  int LineOf(const pugi::xml_node& node) const;

 private:
  XmlFile() = default;
  int LineAt(std::size_t offset) const;

  std::string text_;
  std::unique_ptr<pugi::xml_document> document_;
  std::vector<std::size_t> line_starts_;  // offset of the first byte of each line
};

}  // namespace realward

#endif  // REALWARD_SPEC_SAFE_XML_H_
