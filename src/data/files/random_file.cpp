#include "data/files/random_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "data/files/read_file.h"

namespace mtfc::runtime {

RandomFile::RandomFile(std::string path, int descriptor, std::int64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

RandomFile::RandomFile(RandomFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

RandomFile::~RandomFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<RandomFile> RandomFile::open(std::string path) {
  // Without O_NONBLOCK a pipe that nobody writes to would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot("read", path, errno);
  RandomFile file(std::move(path), descriptor, 0);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot("read", file.path_, errno);
  if (S_ISDIR(status.st_mode)) return cannot("read", file.path_, EISDIR);
  if (!S_ISREG(status.st_mode))
    return Error{"cannot read `" + file.path_ + "`: it is not a regular file", {}, {}};
  file.size_ = status.st_size;
  return file;
}

bool RandomFile::is_compressed() const {
  std::byte begin[2];
  return size_ >= 2 && read(0, begin) && begin[0] == std::byte{0x1f} && begin[1] == std::byte{0x8b};
}

Status RandomFile::read(std::int64_t from, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot("read", path_, errno);
    if (got == 0)
      return Error{"`" + path_ + "` has become shorter: it ends at byte " + std::to_string(from) +
                       ", it had " + std::to_string(size_),
                   {},
                   {}};
    from += got;
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace mtfc::runtime
