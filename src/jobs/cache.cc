#include "jobs/cache.h"

#include <fmt/format.h>

#include "base/file.h"

namespace realward {
namespace {

constexpr std::size_t kFolderDigits = 12;

std::string IdentityOf(const Json& value, const Json& files) {
  return HashJson({{"value", value}, {"files", files}});
}

}  // namespace

std::string StageCache::FolderOf(const std::string& name, const Json& inputs) const {
  return fmt::format("{}/{}-{}", root_, name, HashJson(inputs).substr(0, kFolderDigits));
}

Result<StageResult> StageCache::Find(const std::string& name, const Json& inputs) const {
  const std::string folder = FolderOf(name, inputs);
  RW_ASSIGN(const std::string text, ReadFile(folder + "/result.json"));
  const Json json = Json::parse(text, nullptr, false);
  const auto broken = [&](const std::string& why) {
    return EnvironmentError(folder + "/result.json " + why);
  };
  if (!json.is_object() || !json.contains("value") || !json.contains("files") ||
      !json["files"].is_object() || !json.contains("input_hash") || !json.contains("hash")) {
    return broken("is not readable");
  }
  if (json["input_hash"] != HashJson(inputs)) return broken("belongs to other inputs");
  for (const auto& [file, hash] : json["files"].items()) {
    RW_ASSIGN(const std::string found, HashFile(folder + "/" + file));
    if (hash != found) return broken("names a file that was altered: " + file);
  }
  if (json["hash"] != IdentityOf(json["value"], json["files"])) return broken("was altered");
  StageResult result{name, folder, json["value"], json["input_hash"], json["hash"], true};
  return result;
}

Result<StageResult> StageCache::Run(
    const std::string& name, const Json& inputs,
    const std::function<Result<StageOutput>(const std::string&)>& make) const {
  Result<StageResult> found = Find(name, inputs);
  if (found.ok()) return found;
  const std::string folder = FolderOf(name, inputs);
  RW_TRY(MakeFolders(folder));
  RW_ASSIGN(const StageOutput output, make(folder));
  Json files = Json::object();
  for (const std::string& file : output.files) {
    RW_ASSIGN(files[file], HashFile(folder + "/" + file));
  }
  StageResult result{name, folder, output.value, HashJson(inputs), IdentityOf(output.value, files),
                     false};
  const Json json = {{"stage", name},         {"inputs", inputs}, {"input_hash", result.input_hash},
                     {"value", output.value}, {"files", files},   {"hash", result.hash}};
  if (output.final) RW_TRY(WriteFileAtomic(folder + "/result.json", CanonicalJson(json) + "\n"));
  return result;
}

}  // namespace realward
