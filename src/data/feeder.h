// All data of a run: opens the sources, checks that every input fits, and makes the feeds of each
// step and of each evaluation batch.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/source.h"
#include "data/source_facts.h"
#include "support/fact.h"

namespace mtfc::runtime {

class Feeder {
 public:
  /// `split`: what is going to be fed; only to train there must be a whole batch.
  static Result<Feeder> open(const DataPlan& plan, Split split = Split::train);

  /// What turns text into the ids of a source (by its name in the model) and back: for prompts,
  /// printed output and checkpoints. Null if the source is no text.
  Tokenizer* tokenizer(const std::string& source) const;
  /// The tables of all sources that have one, as text, by their names.
  std::map<std::string, std::string> token_tables() const;

  /// `epochs` of the training split in steps.
  Result<std::int64_t> steps_of(double epochs) const;
  /// The part of an input with these global extents that a process is fed with.
  using PartOf =
      std::function<Block(const std::string& input, const std::vector<std::int64_t>& extents)>;
  /// From now on inputs are fed in part, and nothing else is read. Not to be called for feeds that
  /// other engines get, too.
  void read_parts(const PartOf& part_of);
  /// From now on batches are made by these threads.
  void spread_by(const Spread& spread);
  /// What was fed so far: examples, each with all inputs of its source counted once, and bytes.
  struct Amount {
    std::int64_t examples = 0, bytes = 0;
  };
  const Amount& amount() const { return amount_; }

  /// What the data is: the files, how many examples the splits have, the vocabularies. Read anew.
  Facts facts(FileNames names = FileNames::paths) const;

  /// Feeds every input and "step". Tensors already in `feeds` are filled in place.
  Status train(std::int64_t step, Feeds& feeds);
  std::int64_t eval_batches() const;
  /// Why there are none, although a source has something for evaluation; else empty.
  std::string too_little_to_evaluate() const;
  /// Sentences on sources that are not evaluated to their end, since others have fewer batches or
  /// whole ones are taken: "`t`: 12 of 20 examples are evaluated".
  std::vector<std::string> left_out_of_evaluation() const;
  /// Feeds every input, "examples" (how many are real) and "step" (0).
  Status eval(std::int64_t batch, Feeds& feeds);

 private:
  /// An input as one split is fed with it.
  struct Batch {
    InputSpec input;
    Block part;
    std::int64_t size() const { return input.extents.empty() ? 1 : input.extents[0]; }
  };
  struct Feed {
    Source* source = nullptr;
    Batch trained, evaluated;
    const Batch& of(Split split) const { return split == Split::train ? trained : evaluated; }
  };
  Status add(const InputSpec& input, Source* source);
  Status fill(Split split, std::int64_t number, Feeds& feeds);
  /// The input that says where the data ends: the one with the fewest batches; none if all are
  /// endless.
  const Feed* limiting(Split split) const;
  /// Of the first input and of all finite ones.
  bool one_batch_dimension() const;

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<SourceSpec> specs_;  // of the same sources
  std::vector<Feed> feeds_;
  std::int64_t evaluation_parts_ = 1;  // of a batch
  Amount amount_;
  std::int64_t steps_ = 0;  // of the whole run, as far as it is known
};

}  // namespace mtfc::runtime
