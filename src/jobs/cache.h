// Stage results on disk, found again by the hash of their inputs.
#ifndef REALWARD_JOBS_CACHE_H_
#define REALWARD_JOBS_CACHE_H_

#include <functional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

// What a stage gives: a JSON value and named files in its folder.
struct StageOutput {
  Json value;
  std::vector<std::string> files;  // names inside the folder
  bool final = true;  // false: use it now, but run again next time (something was missing)
};

struct StageResult {
  std::string name;
  std::string folder;
  Json value;
  std::string input_hash;
  std::string hash;     // of value and file contents: the identity that later stages depend on
  bool cached = false;  // it was there already
};

// A folder of stage results: <root>/<name>-<first 12 digits of the input hash>/. A result counts
// only when its result.json is whole, fits the inputs, and every file has the hash that was written
// down; otherwise the stage runs again in the same folder (a stage may find its own checkpoints
// there).
class StageCache {
 public:
  explicit StageCache(std::string root) : root_(std::move(root)) {}

  // Runs `make` unless its result is there. inputs: everything that the result depends on, parents
  // by hash. `make` gets the folder. On error or interruption nothing counts as done.
  Result<StageResult> Run(
      const std::string& name, const Json& inputs,
      const std::function<Result<StageOutput>(const std::string& folder)>& make) const;
  // The result if it is there.
  Result<StageResult> Find(const std::string& name, const Json& inputs) const;
  std::string FolderOf(const std::string& name, const Json& inputs) const;

 private:
  std::string root_;
};

}  // namespace realward

#endif  // REALWARD_JOBS_CACHE_H_
