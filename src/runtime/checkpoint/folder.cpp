#include "runtime/checkpoint/folder.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view prefix = "step-", ending = ".safetensors";
constexpr const char* subfolder = "/checkpoints";

std::string file_name(std::int64_t step) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%08lld", static_cast<long long>(step));
  return std::string(prefix) + digits + std::string(ending);
}

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return std::nullopt;
  if (name.size() <= prefix.size() + ending.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(ending.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

Result<Checkpoint> open_good(const std::string& path) {
  Result<Checkpoint> checkpoint = Checkpoint::open(path);
  if (!checkpoint) return checkpoint;
  if (const Status whole = checkpoint->file.verify(); !whole) return whole.error();
  return checkpoint;
}

/// The newest good checkpoint of a folder, passing over `not_this`.
std::optional<FoundCheckpoint> newest_good(const std::string& folder, const std::string& not_this,
                                           std::vector<Error>& damaged) {
  for (const CheckpointFile& candidate : checkpoints_in(folder)) {
    std::error_code ignored;
    if (!not_this.empty() && fs::equivalent(candidate.path, not_this, ignored)) continue;
    Result<Checkpoint> checkpoint = open_good(candidate.path);
    if (checkpoint) return FoundCheckpoint{std::move(*checkpoint), damaged};
    damaged.push_back(checkpoint.error());
  }
  return std::nullopt;
}

Result<FoundCheckpoint> find_in_folder(const std::string& folder) {
  std::vector<Error> damaged;
  std::optional<FoundCheckpoint> found = newest_good(folder, "", damaged);
  if (found) return std::move(*found);
  if (damaged.empty())
    return Error{"`" + folder + "` has no checkpoints",
                 {"a folder that `mtfc train -o` made is wanted, or a .safetensors file"},
                 {}};
  Error error = damaged.front();
  error.message = "`" + folder + "` has no good checkpoint: " + error.message;
  return error;
}

}  // namespace

std::vector<CheckpointFile> checkpoints_in(const std::string& folder) {
  std::vector<CheckpointFile> found;
  for (const std::string& place : {folder + subfolder, folder}) {
    std::error_code failed;
    for (fs::directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed))
      if (const auto step = step_of(at->path().filename().string()))
        found.push_back({*step, at->path().string()});
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end(),
            [](const CheckpointFile& a, const CheckpointFile& b) { return a.step > b.step; });
  return found;
}

Result<FoundCheckpoint> find_checkpoint(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return find_in_folder(path);
  Result<Checkpoint> checkpoint = open_good(path);
  if (checkpoint) return FoundCheckpoint{std::move(*checkpoint), {}};
  Error error = checkpoint.error();
  std::vector<Error> others;
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (const auto other = newest_good(folder, path, others))
    error.helps.push_back("a good checkpoint is there: " + other->checkpoint.file.path());
  return error;
}

Status CheckpointKeeper::prepare(std::int64_t step) const {
  const std::string place = folder_ + subfolder;
  std::error_code failed;
  fs::create_directories(place, failed);
  if (failed) return cannot("make the folder", place, failed.value());
  for (const CheckpointFile& later : checkpoints_in(place)) {
    if (later.step <= step) break;
    if (open_good(later.path))
      return Error{step < 0 ? "`" + folder_ + "` has the checkpoints of another run"
                            : "`" + folder_ + "` has checkpoints of later steps, up to " +
                                  std::to_string(later.step),
                   {"`--resume " + folder_ + "` goes on from the newest",
                    "name another folder with -o, or remove this one"},
                   {}};
    fs::rename(later.path, later.path + ".damaged", failed);
    if (failed) return cannot("rename", later.path, failed.value());
  }
  for (fs::directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    if (at->path().filename().string().find(std::string(ending) + ".writing-") != std::string::npos)
      fs::remove(at->path(), ignored);
  }
  return {};
}

Status CheckpointKeeper::save(Engine& engine, const TrainState& state) {
  record_.state = state;
  const std::string place = folder_ + subfolder + "/";
  Status saved = save_checkpoint(engine, place + file_name(state.steps), record_);
  if (!engine.is_root()) return saved;
  const std::vector<CheckpointFile> there = checkpoints_in(folder_ + subfolder);
  if (!saved) {
    Error error = saved.error();
    if (!there.empty())
      error.helps.push_back("the newest checkpoint is still there: " + there.front().path);
    return error;
  }
  std::error_code ignored;
  for (std::size_t i = static_cast<std::size_t>(std::max<std::int64_t>(keep_, 1)); i < there.size();
       ++i)
    fs::remove(there[i].path, ignored);
  return {};
}

}  // namespace mtfc::runtime
