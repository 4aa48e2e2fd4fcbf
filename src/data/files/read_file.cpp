#include "data/files/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace mtfc::runtime {
namespace {

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

Error too_large(const std::string& path, std::size_t limit) {
  return {"`" + path + "` is larger than " + std::to_string(limit) + " bytes", {}, {}};
}

std::atomic<bool (*)()> interrupted{nullptr};

bool is_interrupted() {
  const auto asked = interrupted.load();
  return asked != nullptr && asked();
}

Error interruption(const std::string& path) {
  return {"`" + path + "` was not read: a signal came first", {}, {}, true};
}

Error not_a_file(const std::string& path, const char* what) {
  return {"cannot read `" + path + "`: it is " + what, {"name a regular file"}, {}, true};
}

/// A descriptor that is closed with it, and what kind of thing it reads.
struct Input {
  int descriptor = -1;
  bool is_stream = false;    // a pipe
  bool is_standard = false;  // standard input, which may be a terminal: it is waited for
  std::size_t size = 0;      // of a regular file

  explicit Input(int of) : descriptor(of) {}
  Input(Input&& other) noexcept { *this = std::move(other); }
  Input& operator=(Input&& other) noexcept {
    std::swap(descriptor, other.descriptor);
    is_stream = other.is_stream;
    is_standard = other.is_standard;
    size = other.size;
    return *this;
  }
  ~Input() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

/// Regular files and pipes. Opening does not wait for somebody who writes to a pipe.
Result<Input> open_for_reading(const std::string& path) {
  const bool standard = path == standard_input;
  Input input(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (standard ? 0 : O_NONBLOCK)));
  if (input.descriptor < 0) return cannot("read", path, errno);
  struct stat status {};
  if (::fstat(input.descriptor, &status) != 0) return cannot("read", path, errno);
  input.is_standard = standard;
  if (S_ISDIR(status.st_mode)) return cannot("read", path, EISDIR);
  if (S_ISREG(status.st_mode)) {
    input.size = static_cast<std::size_t>(status.st_size);
  } else if (standard || S_ISFIFO(status.st_mode)) {
    input.is_stream = true;
  } else {
    return not_a_file(path, S_ISSOCK(status.st_mode) ? "a socket" : "a device");
  }
  return input;
}

constexpr int patience = 10;  // seconds without a byte from a pipe

/// Waits until a pipe has something to read, or its end.
Status wait_for(const Input& input, const std::string& path) {
  if (input.is_standard) return {};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(patience);
  while (!is_interrupted()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      return Error{"cannot read `" + path + "`: nothing has come through this pipe for " +
                       std::to_string(patience) + " seconds",
                   {"write into a file first"},
                   {},
                   true};
    pollfd asked{input.descriptor, POLLIN, 0};
    // In short pieces: a signal may come between the question and the wait.
    const auto wait = std::min<std::int64_t>(left.count(), 200);
    if (::poll(&asked, 1, static_cast<int>(wait)) > 0) return {};
  }
  return interruption(path);
}

/// How much is asked for at once of an input: small files do not take a large buffer.
std::size_t chunk_of(const Input& input) {
  constexpr std::size_t least = 4096, most = std::size_t{1} << 20;
  return input.is_stream ? most : std::clamp(input.size + 1, least, most);
}

/// What a file may grow by while it is read; more has no end (/proc).
constexpr std::size_t growth = std::size_t{64} << 20;

/// Appends what `read` gives, chunk by chunk, until it gives nothing.
template <class Read>
Result<Bytes> read_all(const std::string& path, std::size_t limit, std::size_t chunk,
                       const Read& read) {
  Bytes bytes;
  while (true) {
    if (is_interrupted()) return interruption(path);
    const std::size_t before = bytes.size();
    bytes.resize(before + chunk);
    const auto got = read(bytes.data() + before, chunk);
    if (got < 0) return cannot("read", path, errno == 0 ? EIO : errno);
    bytes.resize(before + static_cast<std::size_t>(got));
    if (bytes.size() > limit) return too_large(path, limit);
    if (got == 0) return bytes;
  }
}

/// As it is.
Result<Bytes> read_plain(const Input& input, const std::string& path, std::size_t limit) {
  Status waited;
  const std::size_t most = input.is_stream ? limit : std::min(limit, input.size + growth);
  Result<Bytes> bytes = read_all(path, most, chunk_of(input), [&](std::byte* to, std::size_t size) {
    ssize_t got = -1;
    bool empty = input.is_stream;
    do {
      if (empty) waited = wait_for(input, path);
      if (waited) got = ::read(input.descriptor, to, size);
      empty = input.is_stream || errno == EAGAIN;  // some files of /proc are like pipes
    } while (waited && got < 0 && (errno == EINTR || errno == EAGAIN));
    return got;
  });
  if (!waited) return waited.error();
  return bytes;
}

bool is_gzip(const Bytes& bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
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

void interrupt_reading_if(bool (*signalled)()) { interrupted = signalled; }

Result<Bytes> read_file(const std::string& path, std::size_t limit) {
  const Result<Input> input = open_for_reading(path);
  if (!input) return input.error();
  return read_plain(*input, path, limit);
}

Result<Bytes> read_maybe_gzip(const std::string& path, std::size_t limit) {
  Result<Input> input = open_for_reading(path);
  if (!input) return input.error();
  if (input->is_stream) {
    Result<Bytes> bytes = read_plain(*input, path, limit);
    if (bytes && is_gzip(*bytes)) return not_a_file(path, "compressed, and a pipe");
    return bytes;
  }
  errno = 0;
  gzFile file = ::gzdopen(input->descriptor, "rb");
  if (file == nullptr) return Error{"not enough memory to read `" + path + "`", {}, {}};
  input->descriptor = -1;  // gzclose closes it
  const std::size_t chunk = chunk_of(*input);
  ::gzbuffer(file, static_cast<unsigned>(chunk));
  Result<Bytes> bytes = read_all(path, limit, chunk, [&](std::byte* to, std::size_t size) {
    return ::gzread(file, to, static_cast<unsigned>(size));
  });
  // zlib tells of damage only through its own error, and of a cut file only at the close.
  const int closed = ::gzclose(file);
  if (!bytes && is_interrupted()) return bytes;
  const bool damaged = bytes ? closed != Z_OK : closed == Z_BUF_ERROR || errno == 0;
  if (damaged) return Error{"`" + path + "` is damaged or cut off: it does not decompress", {}, {}};
  return bytes;
}

}  // namespace mtfc::runtime
