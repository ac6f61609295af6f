// For tests only: says what is wrong with markup, or "" if every tag is closed in order, every
// attribute is quoted and every entity is known.
#ifndef REALWARD_JOBS_MARKUP_CHECK_H_
#define REALWARD_JOBS_MARKUP_CHECK_H_

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace realward {

// The name of an opening tag's inside, "p class=\"a\"" or "br/"; "" if it is malformed.
inline std::string OpenTagName(std::string_view inside) {
  std::size_t i = 0;
  const auto word = [&] {
    const std::size_t start = i;
    while (i < inside.size() && (std::isalnum(static_cast<unsigned char>(inside[i])) ||
                                 inside[i] == '-' || inside[i] == ':')) {
      ++i;
    }
    return inside.substr(start, i - start);
  };
  const std::string name(word());
  while (i < inside.size() && inside[i] == ' ') {
    ++i;
    if (word().empty() || !inside.substr(i).starts_with("=\"")) return "";
    i = inside.find('"', i + 2);
    if (i == std::string_view::npos) return "";
    ++i;
  }
  return i == inside.size() || inside.substr(i) == "/" ? name : "";
}

inline bool KnownEntity(std::string_view text) {
  for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
    if (text.starts_with(entity)) return true;
  }
  return false;
}

inline std::string MarkupFault(std::string_view text) {
  const std::string_view doctype = "<!DOCTYPE html>";
  if (text.starts_with(doctype)) text.remove_prefix(doctype.size());
  std::vector<std::string> stack;
  for (std::size_t i = 0; i < text.size();) {
    const std::string near(text.substr(i, 60));
    const bool in_style = !stack.empty() && stack.back() == "style";
    if (text[i] == '&' && !in_style && !KnownEntity(text.substr(i, 6))) return "bare & at: " + near;
    if (text[i] != '<') {
      i = text.find_first_of("<&", i + 1);
      continue;
    }
    const std::size_t end = text.find('>', i);
    if (end == std::string_view::npos) return "unclosed tag at: " + near;
    const std::string_view inside = text.substr(i + 1, end - i - 1);
    for (std::size_t at = inside.find('&'); at != std::string_view::npos;
         at = inside.find('&', at + 1)) {
      if (!KnownEntity(inside.substr(at, 6))) return "bare & in: " + near;
    }
    if (inside.starts_with("/")) {
      if (stack.empty() || stack.back() != inside.substr(1)) {
        return near + " closes <" + (stack.empty() ? "nothing" : stack.back()) + ">";
      }
      stack.pop_back();
    } else {
      const std::string name = OpenTagName(inside);
      if (name.empty() || inside.find('<') != std::string_view::npos) return "malformed: " + near;
      if (!inside.ends_with("/")) stack.push_back(name);
    }
    i = end + 1;
  }
  return stack.empty() ? "" : "never closed: <" + stack.back() + ">";
}

}  // namespace realward

#endif  // REALWARD_JOBS_MARKUP_CHECK_H_
