// A folder that a command fills: new, empty, or one that carries the mark of an earlier command.
//
// The mark is the file ".mtfc", which lists what mtfc has written there. Only that is ever
// replaced, so that a folder named by mistake loses nothing.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "data/files/folder_lock.h"

namespace mtfc::runtime {

struct FolderAccess {
  bool force = false;              // --force: any folder, and files that are not listed
  bool is_ours = false;            // known to be, whether it has a mark or not
  std::optional<FolderLock> lock;  // taken before, if it was
};

class OutputFolder {
 public:
  static constexpr const char* mark = ".mtfc";

  /// Makes the folder if there is none, and takes its lock.
  static Result<OutputFolder> open(std::string path, FolderAccess access);

  /// Whether these may be written: each is not there, or was written by mtfc. Paths from the
  /// folder; none may lead out of it through a link.
  Status check(const std::vector<std::string>& names) const;
  /// Checks them, and lists them in the mark: immediately before all of them are written, so that a
  /// command that is killed meanwhile leaves nothing that looks like somebody else's.
  Status claim(const std::vector<std::string>& names);

  /// A claimed file, whole. One that has this text already keeps its time.
  Status write(const std::string& name, const std::string& text) const;
  /// What an earlier command has written under that name; anything else is left.
  Status remove(const std::string& name);

  /// False: the folder has a mark, and that does not list the file.
  static bool may_have_written(const std::string& folder, const std::string& name);

 private:
  OutputFolder(std::string path, FolderLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  Status check_one(const std::string& name, bool any_file) const;
  Status write_mark() const;

  std::string path_;
  FolderLock lock_;
  std::set<std::string> listed_;
  bool any_file_ = false;  // also those that are not listed
};

}  // namespace mtfc::runtime
