// A source that is one long row of ids, read in windows: random ones in training, consecutive ones
// without overlap in evaluation.
#pragma once
#include <memory>
#include <string>

#include "data/source.h"

namespace mtfc::runtime {

/// The row, wherever it is held.
class IdRow {
 public:
  virtual ~IdRow() = default;
  virtual std::int64_t size(Split split) const = 0;  // in ids
  /// Whether the ids fit the input, as far as is known beforehand.
  virtual Status accept(const InputSpec& input) = 0;
  /// Copies ids `first` .. `first` + `count` - 1 of a split. What does not fit the input is an
  /// Error.
  virtual Status read(const InputSpec& input, Split split, std::int64_t first, std::int64_t count,
                      std::int32_t* to) = 0;
};

/// `tokenizer` may be null. `name`: the source's.
std::unique_ptr<Source> make_window_source(std::string name, std::unique_ptr<IdRow> row,
                                           std::unique_ptr<Tokenizer> tokenizer, std::int64_t seed);

}  // namespace mtfc::runtime
