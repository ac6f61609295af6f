#include "spec/mesh_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4096;
constexpr int kMostUps = 16;
constexpr std::size_t kMostPlacesNamed = 4;

bool IsFile(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

// Why a name is not even looked for; empty when it is.
std::string Unsafe(std::string_view name) {
  if (name.empty()) return "the file name is empty";
  if (name.size() > kMostBytes)
    return fmt::format("the path has {} bytes; at most {} are valid", name.size(), kMostBytes);
  if (std::any_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return "the path has control characters";
  int ups = 0;
  for (const fs::path& part : fs::path(name)) ups += part == ".." ? 1 : 0;
  if (ups > kMostUps)
    return fmt::format("the path has {} '..'; at most {} are valid", ups, kMostUps);
  return "";
}

// The folder and all above it, nearest first.
std::vector<fs::path> FoldersAbove(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    folders.push_back(at);
    if (at == at.root_path()) break;
  }
  return folders;
}

// Where "package://name/rest" can be: in a folder of packages, or in the package itself.
std::vector<fs::path> PackagePlaces(const std::string& package, const fs::path& rest,
                                    const MeshSearch& search) {
  std::vector<fs::path> roots(search.packages.begin(), search.packages.end());
  const std::vector<fs::path> above = FoldersAbove(search.folder);
  roots.insert(roots.end(), above.begin(), above.end());
  std::vector<fs::path> places;
  for (const fs::path& root : roots) {
    const fs::path clean = root.has_filename() ? root : root.parent_path();
    if (clean.filename() == package) places.push_back(clean / rest);
    places.push_back(clean / package / rest);
  }
  return places;
}

std::vector<fs::path> BesidePlaces(const fs::path& name, const MeshSearch& search) {
  const fs::path folder = search.folder;
  std::vector<fs::path> places;
  if (!search.mesh_folder.empty()) places.push_back(folder / search.mesh_folder / name);
  places.push_back(folder / name);
  return places;
}

MeshPlace Found(const fs::path& path, bool moved) {
  return {fs::absolute(path).lexically_normal().string(), "", moved};
}

std::string NotFound(const std::vector<fs::path>& places) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(places.size(), kMostPlacesNamed); ++i)
    names.push_back(places[i].lexically_normal().string());
  std::string text = "is not there; looked for " + JoinChoices(names);
  if (places.size() > names.size())
    text += fmt::format(" and {} more places", places.size() - names.size());
  return text;
}

}  // namespace

MeshPlace FindMesh(std::string_view name, const MeshSearch& search) {
  const std::string unsafe = Unsafe(name);
  if (!unsafe.empty()) return {"", unsafe, false};
  std::vector<fs::path> places;
  fs::path rest(name);
  bool package = false;
  const std::size_t colon = name.find("://");
  if (colon != std::string_view::npos) {
    const std::string_view scheme = name.substr(0, colon);
    rest = fs::path(name.substr(colon + 3));
    if (scheme == "package" || scheme == "model") {
      package = true;
      const std::string first = rest.empty() ? "" : rest.begin()->string();
      places = PackagePlaces(first, rest.lexically_relative(first), search);
    } else if (scheme != "file") {
      return {"",
              fmt::format("'{}://' is not supported; valid: package://, file:// or a path", scheme),
              false};
    }
  }
  if (!package)
    places = rest.is_absolute() ? std::vector<fs::path>{rest} : BesidePlaces(rest, search);
  if (!search.strip_path) {
    for (const fs::path& place : places) {
      if (IsFile(place)) return Found(place, false);
    }
  }
  std::vector<fs::path> stripped = BesidePlaces(rest.filename(), search);
  stripped.push_back(fs::path(search.folder) / "meshes" / rest.filename());
  for (const fs::path& place : stripped) {
    if (IsFile(place)) return Found(place, true);
  }
  std::string error = NotFound(search.strip_path ? stripped : places);
  if (package)
    error += "; give the folder of the package with --package-path, or set ROS_PACKAGE_PATH";
  return {"", error, false};
}

std::vector<std::string> PackagesOfEnvironment() {
  std::vector<std::string> folders;
  const char* value = std::getenv("ROS_PACKAGE_PATH");
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

}  // namespace realward
