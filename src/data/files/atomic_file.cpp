#include "data/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "data/files/offset_file.h"

namespace mtfc::runtime {
namespace {

constexpr std::size_t most_buffered = std::size_t{1} << 20;

/// What the file of this name was may be another user's and private. Whoever may not give it away
/// keeps it: then the mode alone is as before.
void keep_owner(int descriptor, const OutputTarget::Owner& former) {
  const bool is_owner = ::fchown(descriptor, former.user, former.group) == 0;
  const mode_t others = S_ISUID | S_ISGID;  // not on behalf of somebody else
  ::fchmod(descriptor, is_owner ? former.mode : former.mode & ~others);
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  Result<OutputTarget> target = find_output(path);
  if (!target) return target.error();
  if (target->is_stream) {
    const Result<int> stream = open_stream(*target);
    if (!stream) return stream.error();
    return AtomicFile(std::move(*target), "", *stream);
  }
  std::string temporary = unfinished_name(target->path);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot("write", path, errno);
  AtomicFile file(std::move(*target), std::move(temporary), descriptor);
  if (file.target_.former) keep_owner(descriptor, *file.target_.former);
  file.buffer_.reserve(most_buffered);  // if that throws, the file is removed
  return file;
}

AtomicFile::AtomicFile(OutputTarget target, std::string temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_),
      position_(other.position_),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write_through(const std::byte* data, std::size_t size) {
  while (size > 0 && failure_ == 0) {
    const ssize_t written = ::write(descriptor_, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      failure_ = errno;
      return;
    }
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > most_buffered) {
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (bytes.size() > most_buffered) return write_through(bytes.data(), bytes.size());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

/// Gives the file its name; an errno. What has come there meanwhile is not replaced unless it is a
/// regular file.
int AtomicFile::replace() const {
  struct stat status {};
  const bool is_there = ::lstat(target_.path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) return EEXIST;
  return ::rename(temporary_.c_str(), target_.path.c_str()) == 0 ? 0 : errno;
}

Status AtomicFile::commit() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  const bool is_stream = temporary_.empty();
  // Devices and pipes cannot be synced.
  if (failure_ == 0 && !is_stream && ::fsync(descriptor_) != 0 && errno != EINVAL) failure_ = errno;
  if (::close(std::exchange(descriptor_, -1)) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ == 0 && !is_stream) failure_ = replace();
  if (failure_ == 0) {
    if (!is_stream) sync_folder_of(target_.path);
    return {};
  }
  if (!is_stream) ::unlink(temporary_.c_str());
  return cannot("write", target_.name, failure_);
}

Status write_text(const std::string& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(text);
  return file->commit();
}

}  // namespace mtfc::runtime
