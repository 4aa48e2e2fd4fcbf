// A row of ids in files that stay on disk: unsigned numbers of 1, 2 or 4 bytes, little end first,
// and nothing else. Each window is read when it is asked for.
#pragma once
#include <memory>
#include <string>

#include "data/windows.h"

namespace mtfc::runtime {

struct IdFiles {
  std::string file, eval;  // `eval` may be empty: then the last share of `file` is for evaluation
  double holdout = 0.1;
};

/// `source`: its name, for messages. Ids of one byte may be any; of larger ones the first 256 MiB
/// are looked through for those that are too large, the others when they are read.
Result<std::unique_ptr<IdRow>> open_file_row(const IdFiles& files, std::int64_t bytes_of_id,
                                             const std::string& source);

}  // namespace mtfc::runtime
