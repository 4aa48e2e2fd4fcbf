#include "data/files/offset_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <utility>

#include "data/files/read_file.h"

namespace mtfc::runtime {
namespace {

constexpr const char* mark = ".writing-";

/// Takes the room on the disk at once, so that a full one is found before anything is written.
/// Where that cannot be asked for, writing finds it.
int take_room(int descriptor, std::int64_t size) {
  if (::ftruncate(descriptor, size) != 0) return errno;
  if (size == 0 || ::fallocate(descriptor, 0, 0, size) == 0) return 0;
  return errno == ENOSPC || errno == EFBIG || errno == EDQUOT ? errno : 0;
}

}  // namespace

Result<OffsetFile> OffsetFile::create(std::string path, std::string name, std::int64_t size) {
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot("write", path, errno);
  OffsetFile file(std::move(path), descriptor);
  if (const int failed = take_room(descriptor, size); failed != 0) {
    ::unlink(name.c_str());
    return cannot("write", file.path_, failed);
  }
  return file;
}

Result<OffsetFile> OffsetFile::join(std::string path, const std::string& name) {
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot("write", path, errno);
  return OffsetFile(std::move(path), descriptor);
}

OffsetFile::OffsetFile(OffsetFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_) {}

OffsetFile::~OffsetFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OffsetFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty() && failure_ == 0) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      failure_ = errno;
      return;
    }
    offset += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

Status OffsetFile::close() {
  if (failure_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL) failure_ = errno;
  if (::close(std::exchange(descriptor_, -1)) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ == 0) return {};
  return cannot("write", path_, failure_);
}

std::string unfinished_name(const std::string& path) {
  // By chance as well: on another machine's disk there is no file of this name.
  std::random_device chance;
  return path + mark + std::to_string(::getpid()) + "-" + std::to_string(chance());
}

bool is_unfinished(const std::string& name) { return name.find(mark) != std::string::npos; }

Status rename_over(const std::string& name, const std::string& path) {
  std::error_code ignored;
  struct stat status {};
  const bool is_there = ::lstat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return Error{"cannot write `" + path + "`: it is a link or a device", {}, {}};
  if (!is_there || !S_ISDIR(status.st_mode)) {
    if (::rename(name.c_str(), path.c_str()) != 0) return cannot("write", path, errno);
  } else if (::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    std::filesystem::remove_all(name, ignored);
  } else if (errno != EINVAL && errno != ENOSYS) {
    return cannot("write", path, errno);
  } else {  // a filesystem without exchange: for a moment neither is there
    const std::string old = unfinished_name(path);
    if (::rename(path.c_str(), old.c_str()) != 0) return cannot("write", path, errno);
    if (::rename(name.c_str(), path.c_str()) != 0) {
      const int failure = errno;
      ::rename(old.c_str(), path.c_str());
      return cannot("write", path, failure);
    }
    std::filesystem::remove_all(old, ignored);
  }
  sync_folder_of(path);
  return {};
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  const std::string name = unfinished_name(path);
  std::filesystem::rename(path, name, ignored);
  std::filesystem::remove_all(name, ignored);
}

}  // namespace mtfc::runtime
