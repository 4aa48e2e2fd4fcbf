#include "train/checkpoint/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "comm/gather_bytes.h"
#include "data/files/output_folder.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view prefix = "step-", ending = ".safetensors";
constexpr const char* subfolder = "/checkpoints";

std::string file_name(std::string_view before, std::int64_t step, CheckpointForm form) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%08lld", static_cast<long long>(step));
  return std::string(before) + digits + std::string(form == CheckpointForm::one_file ? ending : "");
}

std::optional<std::int64_t> step_of(const fs::path& path) {
  const std::string whole = path.filename().string();
  std::string_view name = whole;
  std::error_code ignored;
  if (!name.starts_with(prefix)) return std::nullopt;
  if (name.ends_with(ending))
    name.remove_suffix(ending.size());
  else if (!fs::is_directory(path, ignored))
    return std::nullopt;
  name.remove_prefix(std::min(prefix.size(), name.size()));
  return read_whole(name, 0, std::numeric_limits<std::int64_t>::max());
}

/// Whether all ranks look at the same bytes. Then each compares a share of them, else all of its
/// own: a number that only the same file has everywhere.
bool is_shared(const std::string& path, net::Network& network) {
  struct stat status {};
  const std::string file = is_checkpoint_folder(path) ? path + "/index.json" : path;
  const bool there = ::stat(file.c_str(), &status) == 0;
  // 62 bits, for numbers of files may take all 64.
  const std::uint64_t mixed = static_cast<std::uint64_t>(status.st_ino) * 1000003 +
                              static_cast<std::uint64_t>(status.st_size) +
                              static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  const auto number = there ? static_cast<std::int64_t>(mixed >> 2) : std::int64_t{-1};
  return network.lowest(number) == network.highest(number);
}

/// Opened on all ranks, or an error on all of them.
Result<Checkpoint> open_good(const std::string& path, net::Network& network) {
  Result<Checkpoint> checkpoint = Checkpoint::open(path);
  const bool shared = is_shared(path, network);
  Status good = checkpoint ? Status() : Status(checkpoint.error());
  if (good)
    good = shared ? checkpoint->tensors.verify(network.rank(), network.ranks())
                  : checkpoint->tensors.verify();
  if (Status all = net::agreed(network, good); !all) return all.error();
  return checkpoint;
}

/// The newest good checkpoint of a folder, passing over `not_this`. Ranks that do not see the same
/// files settle on the newest that all of them see.
std::optional<FoundCheckpoint> newest_good(const std::string& folder, const std::string& not_this,
                                           std::vector<Error>& damaged, net::Network& network) {
  std::vector<CheckpointFile> candidates = checkpoints_in(folder);
  std::error_code ignored;
  std::erase_if(candidates, [&](const CheckpointFile& candidate) {
    return !not_this.empty() && fs::equivalent(candidate.path, not_this, ignored);
  });
  for (std::size_t i = 0; true;) {
    const std::int64_t mine = i < candidates.size() ? candidates[i].step : -1;
    const std::int64_t step = network.lowest(mine);
    const bool same = step == network.highest(mine);
    if (step < 0) return std::nullopt;
    if (!same) {
      while (i < candidates.size() && candidates[i].step > step) ++i;
      continue;
    }
    Result<Checkpoint> checkpoint = open_good(candidates[i].path, network);
    if (checkpoint) return FoundCheckpoint{std::move(*checkpoint), damaged};
    damaged.push_back(checkpoint.error());
    ++i;
  }
}

Result<FoundCheckpoint> find_in_folder(const std::string& folder, net::Network& network) {
  std::vector<Error> damaged;
  std::optional<FoundCheckpoint> found = newest_good(folder, "", damaged, network);
  if (found) return std::move(*found);
  std::error_code ignored;
  if (damaged.empty() && fs::exists(folder + "/" + part_name(0), ignored))
    return without_index(folder);
  if (damaged.empty())
    return Error{"`" + folder + "` has no checkpoints" +
                     (checkpoints_in(folder).empty() ? "" : " that all ranks see"),
                 {"a folder that `mtfc train -o` made is wanted, or a .safetensors file"},
                 {}};
  Error error = damaged.front();
  error.message = "`" + folder + "` has no good checkpoint: " + error.message;
  return error;
}

void remove_checkpoint(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    remove_folder(path);
  else
    fs::remove(path, ignored);
}

/// What earlier writers left.
void remove_unfinished(const std::string& folder) {
  std::error_code failed, ignored;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (is_unfinished(at->path().filename().string())) fs::remove_all(at->path(), ignored);
}

}  // namespace

std::vector<CheckpointFile> checkpoints_in(const std::string& folder) {
  std::vector<CheckpointFile> found;
  for (const std::string& path : {folder + subfolder, folder}) {
    std::error_code failed;
    for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
      if (const auto step = step_of(at->path())) found.push_back({*step, at->path().string()});
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end(),
            [](const CheckpointFile& a, const CheckpointFile& b) { return a.step > b.step; });
  return found;
}

fs::path run_around(const fs::path& path) {
  for (fs::path at = path.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (at.filename() == checkpoints_name) return at.parent_path();
  return {};
}

fs::path run_keeping(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const char* own : {description_name, model_name, layout_name, log_name, OutputFolder::mark,
                          FolderLock::file_name})
    if (name == own) return file.parent_path();
  return run_around(file);
}

bool has_checkpoints(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !is_checkpoint_folder(path) && !step_of(fs::path(path));
}

std::string run_folder_of(const std::string& named) {
  std::error_code ignored;
  std::string path = named;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();  // as shells complete folders
  const bool is_folder = has_checkpoints(path);
  fs::path folder = is_folder ? fs::path(path) : fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (fs::weakly_canonical(folder, ignored).filename() == checkpoints_name)
    folder = folder / "..";
  else if (!is_folder)
    return "";
  const std::string normal = folder.lexically_normal().string();
  return normal.size() > 1 && normal.ends_with('/') ? normal.substr(0, normal.size() - 1) : normal;
}

Result<FoundCheckpoint> find_checkpoint(const std::string& path, net::Network& network) {
  // Ranks that see something else say so by what they find there.
  if (network.highest(has_checkpoints(path) ? 1 : 0) == 1) return find_in_folder(path, network);
  Result<Checkpoint> checkpoint = open_good(path, network);
  if (checkpoint) return FoundCheckpoint{std::move(*checkpoint), {}};
  Error error = checkpoint.error();
  std::vector<Error> others;
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (const auto other = newest_good(folder, path, others, network))
    error.helps.push_back("a good checkpoint is there: " + other->checkpoint.tensors.path());
  return error;
}

void CheckpointKeeper::set_data(std::map<std::string, std::string> tokens, const Facts& facts) {
  record_.tokens = std::move(tokens);
  record_.data.clear();
  for (const Fact& fact : facts) record_.data[fact.name] = fact.value;
}

Status CheckpointKeeper::prepare(std::int64_t step) const {
  const std::string folder = folder_ + subfolder;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return cannot("make the folder", folder, failed.value());
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return cannot("write into", folder, errno);
  for (const CheckpointFile& later : checkpoints_in(folder)) {
    if (later.step <= step) break;
    if (open_good(later.path, net::alone()))
      return Error{step < 0 ? "`" + folder_ + "` has the checkpoints of another run"
                            : "`" + folder_ + "` has checkpoints of later steps, up to " +
                                  std::to_string(later.step),
                   {"`--resume " + folder_ + "` continues from the newest",
                    "name another folder, or remove this one"},
                   {}};
    fs::rename(later.path, later.path + ".damaged", failed);
    if (failed) return cannot("rename", later.path, failed.value());
  }
  remove_unfinished(folder);
  return {};
}

Result<std::string> CheckpointKeeper::save_apart(Engine& engine, const TrainState& state) {
  record_.state = state;
  std::string path = folder_ + subfolder + "/" + file_name("not-finite-", state.steps, form_);
  if (Status saved = save_checkpoint(engine, path, record_, form_); !saved) return saved.error();
  return path;
}

Status CheckpointKeeper::save(Engine& engine, const TrainState& state) {
  record_.state = state;
  const std::string folder = folder_ + subfolder;
  const std::string path = folder + "/" + file_name(prefix, state.steps, form_);
  const Status saved = save_checkpoint(engine, path, record_, form_);
  const std::vector<CheckpointFile> there = checkpoints_in(folder);
  if (!saved) {
    Error error = saved.error();
    if (!there.empty())
      error.helps.push_back("the newest checkpoint is still there: " + there.front().path);
    return error;
  }
  if (!engine.is_root()) return {};
  std::int64_t newer = 0;
  for (const CheckpointFile& file : there) {
    // One of the other form, of a run that was interrupted at this very step.
    const bool replaced = file.step == state.steps && file.path != path;
    if (replaced || newer >= std::max<std::int64_t>(keep_, 1)) remove_checkpoint(file.path);
    if (!replaced) ++newer;
  }
  // Ranks of a run that was killed may have written on while this one began.
  remove_unfinished(folder);
  return {};
}

}  // namespace mtfc::runtime
