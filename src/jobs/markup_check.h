// For tests only: says what is wrong with markup, or "" if every tag is closed in order, every
// attribute is quoted and every entity is known.
#ifndef REALWARD_JOBS_MARKUP_CHECK_H_
#define REALWARD_JOBS_MARKUP_CHECK_H_

#include <regex>
#include <string>
#include <vector>

namespace realward {

inline std::string MarkupFault(std::string text) {
  const std::string doctype = "<!DOCTYPE html>";
  if (text.starts_with(doctype)) text = text.substr(doctype.size());
  static const std::regex open(R"(<([a-zA-Z0-9]+)(\s+[a-zA-Z0-9:-]+="[^"<>]*")*\s*(/?)>)");
  static const std::regex entity(R"(&(amp|lt|gt|quot|#39);)");
  std::vector<std::string> stack;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_style = !stack.empty() && stack.back() == "style";
    if (text[i] == '&' && !in_style &&
        !std::regex_search(text.cbegin() + i, text.cend(), entity,
                           std::regex_constants::match_continuous)) {
      return "bare & at: " + text.substr(i, 40);
    }
    if (text[i] != '<') {
      ++i;
      continue;
    }
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos) return "unclosed tag at: " + text.substr(i, 40);
    const std::string tag = text.substr(i, end - i + 1);
    std::smatch match;
    if (tag.starts_with("</")) {
      const std::string name = tag.substr(2, tag.size() - 3);
      if (stack.empty() || stack.back() != name) {
        return "found " + tag + " inside <" + (stack.empty() ? "nothing" : stack.back()) +
               "> at byte " + std::to_string(i);
      }
      stack.pop_back();
    } else if (std::regex_match(tag, match, open)) {
      if (match[3].length() == 0) stack.push_back(match[1]);
    } else {
      return "malformed tag: " + tag.substr(0, 200);
    }
    i = end + 1;
  }
  return stack.empty() ? "" : "never closed: <" + stack.back() + ">";
}

}  // namespace realward

#endif  // REALWARD_JOBS_MARKUP_CHECK_H_
