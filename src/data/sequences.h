// Examples made of lines of text: rows of ids, padded or packed (docs/data.md, "Sequences").
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/source.h"

namespace mtfc::runtime {

/// The lines of a file as ids. An example has one sequence for each stream.
struct Sequences {
  std::string file;
  std::vector<std::int32_t> ids;    // of all examples, stream after stream, ends included
  std::vector<std::int64_t> ends;   // where in `ids` each of them ends: example * streams + stream
  std::vector<std::int64_t> lines;  // of each example, from 1
};

struct SequenceRules {
  enum class TooLong { error, trim, skip };
  /// What the fields are called: "source" gives source, source_segment, source_position. A single
  /// stream's further fields are just segment and position.
  std::vector<std::string> streams;
  TooLong too_long = TooLong::error;
  bool pack = false;
};

/// The first `train` examples of `file` are for training; evaluation takes the others, or those of
/// `eval` if it has a name.
struct SequenceSplits {
  Sequences file, eval;
  std::int64_t train = 0;
};

std::unique_ptr<Source> make_sequence_source(std::string name, SequenceRules rules,
                                             SequenceSplits splits,
                                             std::unique_ptr<Tokenizer> tokenizer,
                                             std::int64_t seed);

}  // namespace mtfc::runtime
