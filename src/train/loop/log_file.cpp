#include "train/loop/log_file.h"

#include <cerrno>
#include <nlohmann/json.hpp>

#include "data/files/read_file.h"

namespace mtfc::runtime {
namespace {

/// Whether a run that stands at `state` had written the line.
bool belongs(std::string_view line, const TrainState& state) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
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

Result<LogFile> LogFile::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return cannot("write", path, errno);
  return LogFile(path, file);
}

Result<LogFile> LogFile::resume(const std::string& path, const TrainState& state) {
  if (const Result<Bytes> bytes = read_file(path)) {
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const std::string kept = kept_lines(text, state);
    if (kept.size() != text.size())
      if (Status written = write_text(path, kept); !written) return written.error();
  }
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return cannot("write", path, errno);
  return LogFile(path, file);
}

Status LogFile::write(const std::string& line) {
  const bool written = std::fprintf(file_.get(), "%s\n", line.c_str()) >= 0;
  if (std::fflush(file_.get()) == 0 && written) return {};
  return cannot("write", path_, errno);
}

}  // namespace mtfc::runtime
