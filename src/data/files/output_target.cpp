#include "data/files/output_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "data/files/file_lock.h"
#include "data/files/read_file.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

constexpr int most_links = 40;  // as many as the kernel follows

Error not_writable(const std::string& name, const std::string& why) {
  return {"cannot write `" + name + "`: " + why, {}, {}};
}

/// The number in "/dev/fd/3" and its kin. The file behind it must not be replaced: whoever opened
/// the descriptor would not see what is written.
std::optional<int> named_descriptor(const std::string& path) {
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd/";
  for (const std::string& folder : {std::string("/dev/fd/"), std::string("/proc/self/fd/"), own}) {
    if (!path.starts_with(folder)) continue;
    const auto number = read_number<int>(std::string_view(path).substr(folder.size()));
    if (number && *number >= 0) return number;
  }
  return std::nullopt;
}

/// A run holds a lock on its log.
bool is_log_of_a_run(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = is_locked_by_another(descriptor, FileLock::shared);
  ::close(descriptor);
  return locked;
}

Result<OutputTarget> existing(OutputTarget target, const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
      if (::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0)
        return cannot("write", target.name, errno);
      if (is_log_of_a_run(target.path)) return in_use_as_log(target.name);
      target.former =
          OutputTarget::Owner{status.st_mode & mode_t{07777}, status.st_uid, status.st_gid};
      return target;
    case S_IFCHR:
    case S_IFIFO:
      target.is_stream = true;
      return target;
    case S_IFDIR:
      return cannot("write", target.name, EISDIR);
    case S_IFBLK:
      return not_writable(target.name, "it is a disk");
    default:
      return not_writable(target.name, "it is a socket");
  }
}

}  // namespace

Error in_use_as_log(const std::string& name) {
  return {"another run writes its log into `" + name + "`",
          {"name another file, or wait until that run has ended"},
          {}};
}

Result<OutputTarget> find_output(const std::string& name) {
  OutputTarget target{name, name, false, -1, {}};
  for (int links = 0; links < most_links; ++links) {
    if (const std::optional<int> number = named_descriptor(target.path)) {
      target.is_stream = true;
      target.descriptor = *number;
      return target;
    }
    struct stat status {};
    if (::lstat(target.path.c_str(), &status) != 0) {
      if (errno == ENOENT) return target;
      return cannot("write", name, errno);
    }
    if (!S_ISLNK(status.st_mode)) return existing(std::move(target), status);
    std::error_code failed;
    const std::filesystem::path next = std::filesystem::read_symlink(target.path, failed);
    if (failed) return cannot("write", name, failed.value());
    // An absolute path replaces what stands before it.
    target.path = (std::filesystem::path(target.path).parent_path() / next).string();
  }
  return cannot("write", name, ELOOP);
}

Result<int> open_stream(const OutputTarget& target) {
  if (target.descriptor >= 0) {
    if (target.descriptor == STDOUT_FILENO) std::fflush(stdout);  // what was printed stands before
    const int same = ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (same < 0) return cannot("write", target.name, errno);
    return same;
  }
  const int descriptor = ::open(target.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENXIO)
    return not_writable(target.name, "nobody reads from this pipe");
  if (descriptor < 0) return cannot("write", target.name, errno);
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

}  // namespace mtfc::runtime
