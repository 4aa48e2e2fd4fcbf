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

}  // namespace mtfc::runtime
