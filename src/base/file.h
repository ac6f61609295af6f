// Whole files, written so that a reader sees the old content or the new, never a part: write to a
// temporary file beside it, fsync, rename, fsync the folder.
#ifndef REALWARD_BASE_FILE_H_
#define REALWARD_BASE_FILE_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace realward {

// The content of a file. Errors name the path and the system's reason.
Result<std::string> ReadFile(const std::string& path);

// Replaces path by content atomically. On failure (for instance a full disk) the old file is
// untouched, no temporary file stays, and the error names the path, the reason and the free bytes.
Status WriteFileAtomic(const std::string& path, std::string_view content);

// Makes a folder and its parents.
Status MakeFolders(const std::string& path);

}  // namespace realward

#endif  // REALWARD_BASE_FILE_H_
