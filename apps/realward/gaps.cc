#include "gaps.h"

#include <cstdlib>
#include <filesystem>

namespace realward {

Result<GapSpec> LoadGaps(const std::vector<std::string>& paths) {
  std::vector<GapSpec> layers;
  for (const std::string& path : paths) {
    RW_ASSIGN(GapSpec gap, LoadGap(path));
    layers.push_back(std::move(gap));
  }
  if (layers.size() == 1) return layers.front();
  return Compose(layers, layers.empty() ? "nominal" : "composed");
}

std::vector<std::string> DatasetDescriptionFolders() {
  return {"content/datasets", REALWARD_SOURCE_DIR "/content/datasets"};
}

std::vector<std::string> DatasetMirrorFolders() {
  std::vector<std::string> folders;
  // A mirror that is named is the only one: an empty value switches all off.
  if (const char* named = std::getenv("REALWARD_DATA")) {
    if (*named != '\0') folders.emplace_back(named);
    return folders;
  }
  folders.emplace_back("../shared/data");
  folders.push_back(
      (std::filesystem::path(REALWARD_SOURCE_DIR) / "../shared/data").lexically_normal().string());
  if (const char* home = std::getenv("HOME"))
    folders.push_back(std::string(home) + "/.cache/realward/data");
  return folders;
}

}  // namespace realward
