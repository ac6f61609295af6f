// Names for people: the nearest valid ones to a misspelled one, and joined lists for messages.
#ifndef REALWARD_BASE_TEXT_H_
#define REALWARD_BASE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace realward {

// Optimal-string-alignment distance (insert, delete, substitute, swap of neighbours), ignoring
// case.
int EditDistance(std::string_view a, std::string_view b);

// Up to `most` of `names`, nearest first; ties keep the order of `names`. Names too far from
// `wanted` to be what was meant are left out unless none is near, then the first `most` names are
// given.
std::vector<std::string> NearestNames(std::string_view wanted,
                                      const std::vector<std::string>& names, std::size_t most = 3);

// "a, b or c"; "none" when empty.
std::string JoinChoices(const std::vector<std::string>& names);

// "unknown joint 'hinje'; nearest: hinge, …" with the valid names.
std::string UnknownName(std::string_view what, std::string_view name,
                        const std::vector<std::string>& valid);

// Shell-style match with * and ?.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace realward

#endif  // REALWARD_BASE_TEXT_H_
