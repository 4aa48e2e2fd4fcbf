#include "data/files/output_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "data/files/atomic_file.h"
#include "data/files/offset_file.h"

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view first_line =
    "# What mtfc has written into this folder, and may replace.\n";

bool is_there(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// The names in a mark that are there; absent if there is no mark of ours. What is gone is
/// nobody's: whoever makes a file of that name now owns it.
std::optional<std::set<std::string>> read_mark(const std::string& folder) {
  const std::string path = folder + "/" + OutputFolder::mark;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const Result<Bytes> bytes = read_file(path);
  if (!bytes) return std::nullopt;
  std::string_view text = text_of(*bytes);
  if (!text.starts_with(first_line)) return std::nullopt;
  text.remove_prefix(first_line.size());
  std::set<std::string> names;
  for (std::size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    if (const fs::path name = text.substr(0, end); is_there(fs::path(folder) / name))
      names.insert(name.string());
  return names;
}

/// A mark that a command was killed over: its folder is as good as empty.
bool is_unfinished_mark(const std::string& name) {
  return name.starts_with(OutputFolder::mark) && is_unfinished(name);
}

/// Whether something lies in the folder beside the lock.
bool has_files(const std::string& folder) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name != FolderLock::file_name && !is_unfinished_mark(name)) return true;
  }
  return bool{failed};
}

void remove_unfinished_marks(const std::string& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end;
       at.increment(ignored))
    if (is_unfinished_mark(at->path().filename().string())) found.push_back(at->path());
  for (const fs::path& path : found) fs::remove(path, ignored);
}

Status make_folders(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return cannot("make the folder", path.string(), failed.value());
  return {};
}

bool has_text(const std::string& path, const std::string& text) {
  const auto same = [](std::byte a, char b) { return static_cast<char>(a) == b; };
  const Result<Bytes> old = read_file(path);
  return old && old->size() == text.size() &&
         std::equal(old->begin(), old->end(), text.begin(), same);
}

Error foreign_folder(const std::string& path) {
  return {"`" + path + "` is not empty, and mtfc did not make it",
          {"name a new folder",
           "`--force` writes into this one, over files of the names that are needed"},
          {}};
}

Error foreign_file(const std::string& path) {
  return {"`" + path + "` would be replaced, but mtfc did not write it",
          {"move it away, name a new folder, or replace it with `--force`"},
          {}};
}

}  // namespace

Result<OutputFolder> OutputFolder::open(std::string path, FolderAccess access) {
  if (Status made = make_folders(path); !made) return made.error();
  const bool anything_goes = access.force || access.is_ours;
  // Before the lock, which is a file: nothing is left in a folder of somebody else's.
  std::optional<std::set<std::string>> listed = read_mark(path);
  const bool is_empty = !has_files(path);
  if (!listed && !anything_goes && !is_empty) {
    if (Status free = FolderLock::is_free(path); !free) return free.error();  // about to mark it
    return foreign_folder(path);
  }
  Result<FolderLock> lock =
      access.lock ? Result<FolderLock>(std::move(*access.lock)) : FolderLock::take(path);
  if (!lock) return lock.error();
  remove_unfinished_marks(path);
  OutputFolder folder(std::move(path), std::move(*lock));
  folder.any_file_ = access.force || (access.is_ours && !listed);
  if (listed) folder.listed_ = std::move(*listed);
  // At once: a command that is killed leaves a folder that the next one knows.
  if (!listed && is_empty)
    if (Status marked = folder.claim({}); !marked) return marked.error();
  return folder;
}

Status OutputFolder::check_one(const std::string& name, bool any_file) const {
  fs::path path = path_;
  const fs::path inner = name;
  for (auto part = inner.begin(); part != inner.end(); ++part) {
    path /= *part;
    const bool is_last = std::next(part) == inner.end();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) return {};
      return cannot("write", path.string(), errno);
    }
    if (S_ISLNK(status.st_mode))
      return Error{"`" + path.string() + "` is a link, which leads out of the folder",
                   {"remove it, or name a new folder"},
                   {}};
    if (S_ISDIR(status.st_mode)) continue;
    if (!is_last) return cannot("write", path.string(), ENOTDIR);
    if (!S_ISREG(status.st_mode))
      return Error{"cannot write `" + path.string() + "`: it is not a regular file", {}, {}};
    if (!any_file && !listed_.contains(name)) return foreign_file(path.string());
  }
  return {};
}

Status OutputFolder::check(const std::vector<std::string>& names) const {
  if (Status mine = check_one(mark, true); !mine) return mine;
  for (const std::string& name : names)
    if (Status mine = check_one(name, any_file_); !mine) return mine;
  return {};
}

Status OutputFolder::claim(const std::vector<std::string>& names) {
  if (Status mine = check(names); !mine) return mine;
  listed_.insert(names.begin(), names.end());
  return write_mark();
}

Status OutputFolder::write_mark() const {
  std::string text(first_line);
  for (const std::string& name : listed_) text += name + "\n";
  return write(mark, text);
}

Status OutputFolder::write(const std::string& name, const std::string& text) const {
  const fs::path path = fs::path(path_) / name;
  if (Status made = make_folders(path.parent_path()); !made) return made;
  if (has_text(path.string(), text)) return {};
  return write_text(path.string(), text);
}

Status OutputFolder::remove(const std::string& name) {
  const fs::path path = fs::path(path_) / name;
  std::error_code failed;
  if (!listed_.contains(name) || !fs::is_regular_file(fs::symlink_status(path, failed))) return {};
  fs::remove(path, failed);
  if (failed) return cannot("remove", path.string(), failed.value());
  listed_.erase(name);
  return write_mark();
}

bool OutputFolder::may_have_written(const std::string& folder, const std::string& name) {
  const std::optional<std::set<std::string>> listed = read_mark(folder);
  return !listed || listed->contains(name);
}

}  // namespace mtfc::runtime
