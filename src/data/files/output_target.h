// What a path that is to be written names: a regular file that can be replaced, nothing yet, or
// something that can only be written to.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

struct OutputTarget {
  /// Of an existing regular file, which its replacement keeps.
  struct Owner {
    mode_t mode;
    uid_t user;
    gid_t group;
  };
  std::string name;             // as it was given, for messages
  std::string path;             // with links followed
  bool is_stream = false;       // a device, a pipe or an open descriptor
  int descriptor = -1;          // that "/dev/stdout" and its kin name
  std::optional<Owner> former;  // absent: nothing is there yet
};

/// Follows links, also one that leads to nothing yet. Folders, sockets, disks, files that may not
/// be written and logs that another run writes are errors.
Result<OutputTarget> find_output(const std::string& name);

/// What is said of the log of another run.
Error in_use_as_log(const std::string& name);

/// A descriptor of the stream; nobody who reads a pipe is an error, not waited for.
Result<int> open_stream(const OutputTarget& target);

}  // namespace mtfc::runtime
