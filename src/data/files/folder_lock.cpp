#include "data/files/folder_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "data/files/file_lock.h"
#include "data/files/read_file.h"
#include "support/host_name.h"

namespace mtfc::runtime {
namespace {

/// "1234 machine" in the file, as "process 1234 on `machine`".
std::string holder(int descriptor) {
  char text[320] = "";
  const ssize_t size = ::pread(descriptor, text, sizeof text - 1, 0);
  const std::string line(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t blank = line.find(' '), end = line.find('\n');
  if (blank == std::string::npos || end == std::string::npos || blank > end)
    return "another process";
  return "process " + line.substr(0, blank) + " on `" + line.substr(blank + 1, end - blank - 1) +
         "`";
}

Error held(const std::string& folder, int descriptor) {
  return {"`" + folder + "` is in use: " + holder(descriptor) + " writes into it",
          {"wait until it has ended, or end it; then `--resume` continues what it did",
           "name another folder"},
          {}};
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/" + file_name;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) return cannot("write", path, errno);
  FolderLock lock(descriptor);
  if (is_locked_by_another(descriptor, FileLock::exclusive)) return held(folder, descriptor);
  // For the message only: on a full disk the lock is held all the same.
  const std::string line = std::to_string(::getpid()) + " " + host_name() + "\n";
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, line.data(), line.size(), 0) < 0)
    return lock;
  return lock;
}

Status FolderLock::is_free(const std::string& folder) {
  const std::string path = folder + "/" + file_name;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return {};
  const FolderLock lock(descriptor);
  return is_locked_by_another(descriptor, FileLock::shared) ? Status(held(folder, descriptor))
                                                            : Status();
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace mtfc::runtime
