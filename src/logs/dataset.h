// Public data sets by name. A description (content/datasets/NAME.yaml) says where each file comes
// from and what its bytes must hash to; the files themselves are found in folders or fetched, and
// one whose hash differs is never used. Form of a description: see content/datasets/.
#ifndef REALWARD_LOGS_DATASET_H_
#define REALWARD_LOGS_DATASET_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace realward {

// Where files of a data set come from: one repository at one commit.
struct DatasetSource {
  std::string name;
  std::string repository;  // address
  std::string commit;
  std::string licence;  // SPDX identifier
  std::string url;      // address of a file with {commit} and {path}; empty when not fetchable
};

struct DatasetColumn {
  std::string name;
  std::string unit;
  std::string meaning;
};

// The columns shared by several files.
struct DatasetLayout {
  std::string name;
  std::vector<DatasetColumn> columns;
};

struct DatasetFile {
  std::string name;    // ours: relative path inside the data set's folder
  std::string source;  // DatasetSource::name
  std::string path;    // inside the repository; with * when only its folder is known
  std::string sha256;
  std::string layout;      // DatasetLayout::name; empty when the file is no table
  double rate_hz = 0.0;    // of a table
  bool converted = false;  // the bytes are ours, made from the repository's file: not fetchable
  std::string note;
};

struct Dataset {
  std::string name;
  std::string title;
  std::string file;  // the description
  std::vector<DatasetSource> sources;
  std::vector<DatasetLayout> layouts;
  std::vector<DatasetFile> files;

  const DatasetSource& SourceOf(const DatasetFile& entry) const;
  // The file must be a table.
  const DatasetLayout& LayoutOf(const DatasetFile& entry) const;
};

// The address a file can be fetched from; empty when there is none.
std::string FetchUrl(const Dataset& dataset, const DatasetFile& file);

struct DatasetOptions {
  std::vector<std::string> description_folders;  // where NAME.yaml lies
  std::vector<std::string> mirror_folders;       // each may hold NAME/…; searched in order
  std::string cache_folder;  // fetched files are kept in NAME/… here; may be empty
  // Gives the bytes at an address. Without it nothing is fetched.
  std::function<Result<std::string>(const std::string& url)> fetch;
  // Globs of file names that are needed; all when empty.
  std::vector<std::string> files;
};

struct DatasetFiles {
  Dataset dataset;
  std::map<std::string, std::string> paths;  // our name → path of a file with the right hash
};

Result<Dataset> LoadDataset(const std::string& path);
Result<Dataset> ParseDataset(const std::string& text, const std::string& file);

// Names of the data sets described in these folders, sorted.
std::vector<std::string> DatasetNames(const std::vector<std::string>& description_folders);

// The description of a data set by name; an unknown name lists the nearest.
Result<Dataset> FindDataset(const std::string& name, const DatasetOptions& options);

// The files, used where they lie; every one is hashed. Errors: unknown name or a glob that matches
// no file (invalid input); a file of the wrong hash and no right one (refused: found and expected
// hash); files that are nowhere (environment: every place that was tried, and how to provide them).
Result<DatasetFiles> GetDataset(const std::string& name, const DatasetOptions& options);

}  // namespace realward

#endif  // REALWARD_LOGS_DATASET_H_
