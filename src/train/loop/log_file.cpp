#include "train/loop/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "data/files/atomic_file.h"
#include "data/files/file_lock.h"
#include "support/read_json.h"

namespace mtfc::runtime {
namespace {

/// Whether a run that stands at `state` had written the line.
bool belongs(std::string_view line, const TrainState& state) {
  const auto json = read_json(line, 4);
  if (!json.is_object()) return false;
  const auto step = json.find("step");
  if (step == json.end() || !step->is_number_integer()) return false;
  const auto number = step->get<std::int64_t>();
  const bool evaluation = json.contains("eval_loss");
  return number < state.steps || (number == state.steps && (!evaluation || state.evaluated_now));
}

std::string kept_lines(std::string_view text, const TrainState& state) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    if (belongs(text.substr(0, end), state)) kept += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
  }
  return kept;
}

}  // namespace

Status LogFile::can_write(const std::string& path) {
  const Result<OutputTarget> target = find_output(path);
  return target ? Status() : target.error();
}

Result<LogFile> LogFile::create(const std::string& path) {
  const Result<OutputTarget> target = find_output(path);
  if (!target) return target.error();
  // A new file in the place of the old one: who still writes to that one does not write into this.
  if (!target->is_stream)
    if (Status written = write_text(path, ""); !written) return written.error();
  return open(*target);
}

Result<LogFile> LogFile::resume(const std::string& path, const TrainState& state) {
  const Result<OutputTarget> target = find_output(path);
  if (!target) return target.error();
  if (target->former) {
    const Result<Bytes> bytes = read_file(path);
    if (!bytes) return bytes.error();
    const std::string_view text = text_of(*bytes);
    const std::string kept = kept_lines(text, state);
    if (kept.size() != text.size())
      if (Status written = write_text(path, kept); !written) return written.error();
  }
  return open(*target);
}

Result<LogFile> LogFile::open(const OutputTarget& target) {
  int descriptor = -1;
  if (target.is_stream) {
    const Result<int> stream = open_stream(target);
    if (!stream) return stream.error();
    descriptor = *stream;
  } else {
    descriptor = ::open(target.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor >= 0 &&
        is_locked_by_another(descriptor,
                             FileLock::exclusive)) {  // by one that began at the same time
      ::close(descriptor);
      return in_use_as_log(target.name);
    }
  }
  std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "a");
  if (file == nullptr) {
    const int failure = errno;
    if (descriptor >= 0) ::close(descriptor);
    return cannot("write", target.name, failure);
  }
  return LogFile(target.name, file);
}

Status LogFile::write(const std::string& line) {
  const bool written = std::fprintf(file_.get(), "%s\n", line.c_str()) >= 0;
  if (std::fflush(file_.get()) == 0 && written) return {};
  return cannot("write", path_, errno);
}

}  // namespace mtfc::runtime
