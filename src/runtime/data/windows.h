// A source that is one long row of ids, read in windows: random ones in training, consecutive ones
// without overlap in evaluation.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/data/source.h"

namespace mtfc::runtime {

struct IdRow {
  std::string name;  // the source's
  std::vector<std::int32_t> ids;
  std::int64_t train = 0;  // the first so many are for training
  std::int64_t count = 0;  // ids are 0 .. count - 1
  std::string counted;     // what was counted, for messages: "distinct characters"
};

std::unique_ptr<Source> make_window_source(IdRow row, std::int64_t seed);

}  // namespace mtfc::runtime
