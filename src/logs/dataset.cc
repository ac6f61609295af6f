#include "logs/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "logs/strict_yaml.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

template <class T>
std::vector<std::string> NamesOf(const std::vector<T>& entries) {
  std::vector<std::string> names;
  for (const T& entry : entries) names.push_back(entry.name);
  return names;
}

template <class T>
const T* FindNamed(const std::vector<T>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const T& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

// A name that stays inside the folder it is joined to.
bool StaysInside(const std::string& name) {
  const fs::path path(name);
  if (path.is_absolute() || !path.has_filename()) return false;
  return std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

bool IsHex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Status ReadSources(const StrictMap& root, Dataset& dataset) {
  RW_ASSIGN(const auto maps,
            root.Maps("sources", {"name", "repository", "commit", "licence", "url"}, true));
  for (const StrictMap& map : maps) {
    DatasetSource source;
    RW_ASSIGN(source.name, map.Text("name"));
    RW_ASSIGN(source.repository, map.Text("repository"));
    RW_ASSIGN(source.commit, map.Text("commit"));
    RW_ASSIGN(source.licence, map.Text("licence"));
    RW_ASSIGN(source.url, map.TextOr("url", ""));
    if (!IsHex(source.commit, 40)) {
      return map.Fail("commit", fmt::format("'{}' is not 40 hexadecimal digits", source.commit));
    }
    if (FindNamed(dataset.sources, source.name))
      return map.Fail("name", fmt::format("'{}' is there twice", source.name));
    dataset.sources.push_back(std::move(source));
  }
  return {};
}

Status ReadLayouts(const StrictMap& root, Dataset& dataset) {
  RW_ASSIGN(const auto maps, root.Maps("layouts", {"name", "columns"}, true));
  for (const StrictMap& map : maps) {
    DatasetLayout layout;
    RW_ASSIGN(layout.name, map.Text("name"));
    RW_ASSIGN(const auto columns, map.Maps("columns", {"name", "unit", "meaning"}, true));
    for (const StrictMap& column : columns) {
      DatasetColumn entry;
      RW_ASSIGN(entry.name, column.Text("name"));
      RW_ASSIGN(entry.unit, column.Text("unit"));
      RW_ASSIGN(entry.meaning, column.Text("meaning"));
      const auto unit = ParseUnit(entry.unit);
      if (!unit.ok()) return column.Fail("unit", unit.error().message);
      layout.columns.push_back(std::move(entry));
    }
    dataset.layouts.push_back(std::move(layout));
  }
  return {};
}

Result<DatasetFile> ReadFileEntry(const StrictMap& map, const Dataset& dataset) {
  DatasetFile file;
  RW_ASSIGN(file.name, map.Text("name"));
  RW_ASSIGN(file.source, map.Text("source"));
  RW_ASSIGN(file.path, map.Text("path"));
  RW_ASSIGN(file.sha256, map.Text("sha256"));
  RW_ASSIGN(file.layout, map.TextOr("layout", ""));
  RW_ASSIGN(const std::string rate, map.TextOr("rate", ""));
  RW_ASSIGN(file.converted, map.BoolOr("converted", false));
  RW_ASSIGN(file.note, map.TextOr("note", ""));
  if (file.layout.empty() != rate.empty()) {
    return map.Fail(file.layout.empty() ? "layout" : "rate",
                    "is missing; a table has a layout and a rate, any other file has neither");
  }
  if (!rate.empty()) {
    const auto rate_hz = ParseQuantity(rate, "frequency");
    if (!rate_hz.ok()) return map.Fail("rate", rate_hz.error().message);
    file.rate_hz = *rate_hz;
  }
  if (!StaysInside(file.name)) {
    return map.Fail("name", fmt::format("'{}' must be a relative path without '..'", file.name));
  }
  if (!IsHex(file.sha256, 64)) {
    return map.Fail("sha256",
                    fmt::format("'{}' is not 64 lower-case hexadecimal digits", file.sha256));
  }
  if (!FindNamed(dataset.sources, file.source)) {
    return map.Fail("source", UnknownName("source", file.source, NamesOf(dataset.sources)));
  }
  if (!file.layout.empty() && !FindNamed(dataset.layouts, file.layout)) {
    return map.Fail("layout", UnknownName("layout", file.layout, NamesOf(dataset.layouts)));
  }
  if (FindNamed(dataset.files, file.name))
    return map.Fail("name", fmt::format("'{}' is there twice", file.name));
  return file;
}

// What is known about one file after the search.
struct Search {
  std::string path;                // with the right hash; empty when there is none
  std::vector<std::string> tried;  // places without it
  std::vector<std::string> wrong;  // files with another hash
};

void SearchFolders(const std::string& name, const DatasetFile& file, const DatasetOptions& options,
                   Search& search) {
  std::vector<std::string> folders = options.mirror_folders;
  if (!options.cache_folder.empty()) folders.push_back(options.cache_folder);
  for (const std::string& folder : folders) {
    const std::string path = (fs::path(folder) / name / file.name).string();
    std::error_code code;
    if (!fs::is_regular_file(path, code)) {
      search.tried.push_back(path);
      continue;
    }
    const auto hash = HashFile(path);
    if (hash.ok() && *hash == file.sha256) {
      search.path = path;
      return;
    }
    search.wrong.push_back(hash.ok()
                               ? fmt::format("{}: found {}, expected {}", path, *hash, file.sha256)
                               : hash.error().message);
  }
}

// Fetches a file into the cache; its bytes are checked before anything is written.
Status Fetch(const Dataset& dataset, const DatasetFile& file, const DatasetOptions& options,
             Search& search) {
  const std::string url = FetchUrl(dataset, file);
  if (url.empty() || !options.fetch || options.cache_folder.empty()) return {};
  const auto bytes = options.fetch(url);
  if (!bytes.ok()) {
    search.tried.push_back(fmt::format("{} ({})", url, bytes.error().message));
    return {};
  }
  const std::string hash = HashBytes(*bytes);
  if (hash != file.sha256) {
    search.wrong.push_back(fmt::format("{}: found {}, expected {}", url, hash, file.sha256));
    return {};
  }
  const fs::path path = fs::path(options.cache_folder) / dataset.name / file.name;
  RW_TRY(MakeFolders(path.parent_path().string()));
  RW_TRY(WriteFileAtomic(path.string(), *bytes));
  search.path = path.string();
  return {};
}

std::string HowToProvide(const Dataset& dataset, const DatasetOptions& options) {
  const std::string folder =
      options.mirror_folders.empty() ? "a folder" : options.mirror_folders.front();
  return fmt::format(
      "put the files into {}/{} under these names, or set REALWARD_DATA to a folder that holds {}; "
      "{}",
      folder, dataset.name, dataset.name,
      options.fetch ? "fetching did not give the rest" : "fetching from the network is not set up");
}

Result<std::vector<DatasetFile>> Wanted(const Dataset& dataset,
                                        const std::vector<std::string>& globs) {
  if (globs.empty()) return dataset.files;
  std::vector<DatasetFile> wanted;
  std::set<std::string> matched;
  for (const DatasetFile& file : dataset.files) {
    bool take = false;
    for (const std::string& glob : globs) {
      if (!GlobMatch(glob, file.name)) continue;
      matched.insert(glob);
      take = true;
    }
    if (take) wanted.push_back(file);
  }
  for (const std::string& glob : globs) {
    if (matched.count(glob) == 0) {
      return InvalidInput(fmt::format("data set {}: {}", dataset.name,
                                      UnknownName("file", glob, NamesOf(dataset.files))));
    }
  }
  return wanted;
}

}  // namespace

const DatasetSource& Dataset::SourceOf(const DatasetFile& entry) const {
  const DatasetSource* source = FindNamed(sources, entry.source);
  RW_CHECK(source != nullptr);
  return *source;
}

const DatasetLayout& Dataset::LayoutOf(const DatasetFile& entry) const {
  const DatasetLayout* layout = FindNamed(layouts, entry.layout);
  RW_CHECK(layout != nullptr);
  return *layout;
}

std::string FetchUrl(const Dataset& dataset, const DatasetFile& file) {
  const DatasetSource& source = dataset.SourceOf(file);
  if (source.url.empty() || file.converted || file.path.find('*') != std::string::npos) return "";
  std::string url = source.url;
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"{commit}", source.commit}, {"{path}", file.path}}) {
    const std::size_t at = url.find(key);
    if (at != std::string::npos) url.replace(at, key.size(), value);
  }
  return url;
}

Result<Dataset> ParseDataset(const std::string& text, const std::string& file) {
  RW_ASSIGN(const YAML::Node node, ParseStrictYaml(text, file));
  RW_ASSIGN(const StrictMap root,
            StrictMap::Open(node, file, "", {"dataset", "title", "sources", "layouts", "files"}));
  Dataset dataset;
  dataset.file = file;
  RW_ASSIGN(dataset.name, root.Text("dataset"));
  RW_ASSIGN(dataset.title, root.Text("title"));
  if (!StaysInside(dataset.name) || dataset.name.find('/') != std::string::npos) {
    return root.Fail("dataset", fmt::format("'{}' must be a plain folder name", dataset.name));
  }
  RW_TRY(ReadSources(root, dataset));
  RW_TRY(ReadLayouts(root, dataset));
  RW_ASSIGN(
      const auto files,
      root.Maps("files",
                {"name", "source", "path", "sha256", "layout", "rate", "converted", "note"}, true));
  for (const StrictMap& map : files) {
    RW_ASSIGN(DatasetFile entry, ReadFileEntry(map, dataset));
    dataset.files.push_back(std::move(entry));
  }
  return dataset;
}

Result<Dataset> LoadDataset(const std::string& path) {
  RW_ASSIGN(const std::string text, ReadFile(path));
  RW_ASSIGN(Dataset dataset, ParseDataset(text, path));
  const std::string stem = fs::path(path).stem().string();
  if (dataset.name != stem) {
    return InvalidInput(fmt::format("{}: names data set '{}'; the file must be named after it",
                                    path, dataset.name));
  }
  return dataset;
}

std::vector<std::string> DatasetNames(const std::vector<std::string>& description_folders) {
  std::set<std::string> names;
  for (const std::string& folder : description_folders) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

Result<Dataset> FindDataset(const std::string& name, const DatasetOptions& options) {
  const auto names = DatasetNames(options.description_folders);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return InvalidInput(UnknownName("data set", name, names));
  for (const std::string& folder : options.description_folders) {
    const std::string path = (fs::path(folder) / (name + ".yaml")).string();
    std::error_code code;
    if (fs::exists(path, code)) return LoadDataset(path);
  }
  return InvalidInput(UnknownName("data set", name, names));
}

Result<DatasetFiles> GetDataset(const std::string& name, const DatasetOptions& options) {
  DatasetFiles got;
  RW_ASSIGN(got.dataset, FindDataset(name, options));
  RW_ASSIGN(const std::vector<DatasetFile> wanted, Wanted(got.dataset, options.files));
  std::string missing, wrong;
  for (const DatasetFile& file : wanted) {
    Search search;
    SearchFolders(name, file, options, search);
    if (search.path.empty()) RW_TRY(Fetch(got.dataset, file, options, search));
    if (!search.path.empty()) {
      got.paths[file.name] = search.path;
      continue;
    }
    for (const std::string& text : search.wrong) wrong += "\n  " + text;
    if (!search.wrong.empty()) continue;
    missing += "\n  " + file.name;
    for (const std::string& place : search.tried) missing += "\n    not at " + place;
  }
  if (!wrong.empty()) {
    return Refused(fmt::format(
        "data set {}: these files are not the ones described in {} and are not used:{}{}", name,
        got.dataset.file, wrong, missing.empty() ? "" : "\nand these are missing:" + missing));
  }
  if (!missing.empty()) {
    return EnvironmentError(fmt::format("data set {}: {} of {} files are missing:{}\n{}", name,
                                        wanted.size() - got.paths.size(), wanted.size(), missing,
                                        HowToProvide(got.dataset, options)));
  }
  return got;
}

}  // namespace realward
