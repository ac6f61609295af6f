// realward data list; realward data get NAME
#include <fmt/format.h>

#include "gaps.h"
#include "logs/dataset.h"
#include "verbs.h"

namespace realward {
namespace {

DatasetOptions Places() {
  DatasetOptions options;
  options.description_folders = DatasetDescriptionFolders();
  options.mirror_folders = DatasetMirrorFolders();
  return options;
}

int List(const Context& context) {
  const std::vector<std::string> names = DatasetNames(DatasetDescriptionFolders());
  std::string text;
  Json list = Json::array();
  for (const std::string& name : names) {
    const Result<Dataset> dataset = FindDataset(name, Places());
    if (!dataset.ok()) return Report(context, dataset.error());
    list.push_back({{"name", name}, {"title", dataset->title}, {"files", dataset->files.size()}});
    text += fmt::format("{:<20} {} ({} files)\n", name, dataset->title, dataset->files.size());
  }
  return Answer(context, {{"datasets", list}}, text);
}

int Get(const Context& context, const std::string& name) {
  const Result<DatasetFiles> files = GetDataset(name, Places());
  if (!files.ok()) return Report(context, files.error());
  Json list = Json::object();
  std::string text = fmt::format("{}: {} files, every hash right\n", name, files->paths.size());
  for (const auto& [file, path] : files->paths) {
    list[file] = path;
    text += fmt::format("  {:<60} {}\n", file, path);
  }
  for (const DatasetSource& source : files->dataset.sources) {
    text += fmt::format("from {} at {}, licence {}\n", source.repository, source.commit,
                        source.licence);
  }
  return Answer(context, {{"dataset", name}, {"files", list}}, text);
}

}  // namespace

void AddData(CLI::App& app, Context& context) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("data", "Public data sets by name, every file checked by hash");
  verb->require_subcommand(1);
  CLI::App* list = verb->add_subcommand("list", "Data sets that are described");
  AddCommon(*list, context);
  list->callback([&context] { context.run = [&context] { return List(context); }; });
  CLI::App* get = verb->add_subcommand(
      "get", "Finds the files in $REALWARD_DATA or a mirror and checks their hashes");
  get->add_option("name", *name, "Data set")->required();
  AddCommon(*get, context);
  get->callback(
      [&context, name] { context.run = [&context, name] { return Get(context, *name); }; });
}

}  // namespace realward
