#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace realward {

int EditDistance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before(columns), last(columns), now(columns);
  std::iota(last.begin(), last.end(), 0);
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      now[j] =
          std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> NearestNames(std::string_view wanted,
                                      const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::pair<int, std::string>> ranked;
  for (const std::string& name : names) {
    const int limit = std::max<int>(2, static_cast<int>(std::max(wanted.size(), name.size())) / 2);
    const int distance = EditDistance(wanted, name);
    if (distance <= limit) ranked.emplace_back(distance, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> nearest;
  for (const auto& entry : ranked) nearest.push_back(entry.second);
  if (nearest.empty()) nearest = names;
  if (nearest.size() > most) nearest.resize(most);
  return nearest;
}

std::string JoinChoices(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

std::string UnknownName(std::string_view what, std::string_view name,
                        const std::vector<std::string>& valid) {
  if (valid.empty()) return fmt::format("unknown {} '{}': there is none here", what, name);
  return fmt::format("unknown {} '{}'; nearest valid: {}", what, name,
                     JoinChoices(NearestNames(name, valid)));
}

bool GlobMatch(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace realward
