// What a model says about a data source, as plain values: nothing is opened by making them.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/variant.h"

namespace mtfc {

/// `data text = chars("input.txt", holdout=0.1)`: arguments by the names of source_table.h.
struct SourceSpec {
  using Value = Variant<double, std::int64_t, bool, std::string>;
  std::string name;      // "text"
  std::string function;  // "chars"
  std::vector<std::pair<std::string, Value>> args;
  std::string directory;  // relative paths start here; empty: the working directory
  std::string tokens =
      {};  // a token table (token_table_text) that takes the place of the files' own
};

}  // namespace mtfc
