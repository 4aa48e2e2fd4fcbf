#include "data/files/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mtfc::runtime {
namespace {

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

Error too_large(const std::string& path, std::size_t limit) {
  return {"`" + path + "` is larger than " + std::to_string(limit) + " bytes", {}, {}};
}

/// Opens for reading, refusing directories (which open() accepts).
Result<int> open_for_reading(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot("read", path, errno);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return cannot("read", path, EISDIR);
  }
  return descriptor;
}

constexpr std::size_t chunk = std::size_t{1} << 20;

/// Appends what `read` gives, chunk by chunk, until it gives nothing.
template <class Read>
Result<Bytes> read_all(const std::string& path, std::size_t limit, const Read& read) {
  Bytes bytes;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + chunk);
    const auto got = read(bytes.data() + before, chunk);
    if (got < 0) return cannot("read", path, errno == 0 ? EIO : errno);
    bytes.resize(before + static_cast<std::size_t>(got));
    if (bytes.size() > limit) return too_large(path, limit);
    if (got == 0) return bytes;
  }
}

}  // namespace

void sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

Error cannot(std::string_view what, const std::string& path, int error_number) {
  const std::string reason = lower_first(std::strerror(error_number));
  return {"cannot " + std::string(what) + " `" + path + "`: " + reason, {}, {}, what == "read"};
}

Result<Bytes> read_file(const std::string& path, std::size_t limit) {
  const Result<int> descriptor = open_for_reading(path);
  if (!descriptor) return descriptor.error();
  Result<Bytes> bytes = read_all(path, limit, [&](std::byte* to, std::size_t size) {
    ssize_t got = 0;
    do got = ::read(*descriptor, to, size);
    while (got < 0 && errno == EINTR);
    return got;
  });
  ::close(*descriptor);
  return bytes;
}

Result<Bytes> read_maybe_gzip(const std::string& path, std::size_t limit) {
  const Result<int> descriptor = open_for_reading(path);
  if (!descriptor) return descriptor.error();
  errno = 0;
  gzFile file = ::gzdopen(*descriptor, "rb");
  if (file == nullptr) {
    ::close(*descriptor);
    return Error{"not enough memory to read `" + path + "`", {}, {}};
  }
  ::gzbuffer(file, chunk);
  Result<Bytes> bytes = read_all(path, limit, [&](std::byte* to, std::size_t size) {
    return ::gzread(file, to, static_cast<unsigned>(size));
  });
  // zlib tells of damage only through its own error, and of a cut file only at the close.
  const int closed = ::gzclose(file);
  const bool damaged = bytes ? closed != Z_OK : closed == Z_BUF_ERROR || errno == 0;
  if (damaged) return Error{"`" + path + "` is damaged or cut off: it does not decompress", {}, {}};
  return bytes;
}

// ---------------------------------------------------------------- writing
Result<AtomicFile> AtomicFile::create(std::string path) {
  const std::string temporary = path + ".writing-" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot("write", path, errno);
  return AtomicFile(std::move(path), temporary, descriptor);
}

AtomicFile::AtomicFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {
  buffer_.reserve(chunk);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_),
      position_(other.position_),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
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
  if (buffer_.size() + bytes.size() > chunk) {
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (bytes.size() > chunk) return write_through(bytes.data(), bytes.size());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

void AtomicFile::overwrite(std::size_t position, std::string_view text) {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  while (!text.empty() && failure_ == 0) {
    const ssize_t written =
        ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      failure_ = errno;
      return;
    }
    position += static_cast<std::size_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

Status AtomicFile::commit() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  if (failure_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL) failure_ = errno;
  if (::close(std::exchange(descriptor_, -1)) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) failure_ = errno;
  if (failure_ == 0) sync_folder_of(path_);
  if (failure_ == 0) return {};
  ::unlink(temporary_.c_str());
  return cannot("write", path_, failure_);
}

Status write_text(const std::string& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(text);
  return file->commit();
}

}  // namespace mtfc::runtime
