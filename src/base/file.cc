#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace realward {
namespace {

std::string FreeBytes(const std::string& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return "unknown free space";
  return fmt::format("{} bytes free",
                     static_cast<unsigned long long>(info.f_bavail) * info.f_frsize);
}

Error WriteError(const std::string& path, const std::string& folder, int code) {
  return EnvironmentError(fmt::format("cannot write {}: {} ({} in {})", path, std::strerror(code),
                                      FreeBytes(folder), folder));
}

bool WriteAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    return EnvironmentError(fmt::format("cannot read {}: it is a folder", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return EnvironmentError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) return EnvironmentError(fmt::format("reading {} failed", path));
  return content.str();
}

Status WriteFileAtomic(const std::string& path, std::string_view content) {
  const std::filesystem::path target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return WriteError(path, folder, errno);
  const bool written = WriteAll(descriptor, content) && ::fsync(descriptor) == 0;
  const int write_errno = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!written || !closed || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = written ? errno : write_errno;
    ::unlink(temporary.c_str());
    return WriteError(path, folder, code);
  }
  const int folder_descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    ::fsync(folder_descriptor);
    ::close(folder_descriptor);
  }
  return {};
}

Status MakeFolders(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return EnvironmentError(fmt::format("cannot make folder {}: {}", path, code.message()));
  return {};
}

}  // namespace realward
