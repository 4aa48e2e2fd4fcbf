// Texts that grow by one id at a time, and the logits of their next ids: which program runs when.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "train/engine.h"

namespace mtfc::runtime {

/// What the programs of a module for generation take.
struct GenerationPlan {
  bool incremental = true;            // there are step_W and grow_W
  bool fixed = false;                 // there is generate_fixed
  std::vector<std::int64_t> windows;  // ascending; the last is the longest text
  std::int64_t rows = 1;              // texts that the programs take
  std::int64_t vocab = 0;             // ids
};

using Ids = std::vector<std::int32_t>;

class Decoder {
 public:
  /// The engine holds the model's values. Programs and buffers are prepared at their first use.
  Decoder(Engine& engine, const GenerationPlan& plan);

  /// Once for each set of prompts: computes what does not depend on the texts, from these inputs.
  void prepare(const Feeds& inputs);
  /// Reads the texts, one a row, all of one length from 1 on. Longer ones go on from their last
  /// ids.
  void read(std::vector<Ids> texts);
  /// Appends one id to each text.
  void append(const Ids& ids);
  /// Row r becomes what row order[r] was.
  void reorder(const Ids& order);

  std::int64_t length() const { return static_cast<std::int64_t>(texts_[0].size()); }
  const Ids& text(std::size_t row) const { return texts_[row]; }
  /// The logits of the next id of a row: `vocab` numbers.
  const std::vector<double>& logits(std::size_t row) const { return logits_[row]; }
  /// A text has grown out of the longest window and goes on from its last half.
  bool has_slid() const { return begin_ > 0; }

 private:
  std::int64_t longest() const { return plan_.windows.back(); }
  std::size_t window_for(std::int64_t length) const;
  void slide();
  void read_window();
  void run(const std::string& program, std::int64_t position);
  /// Of the window that the caches are in.
  std::string program(const char* name) const;
  HostTensor& ids_of(std::int64_t columns);

  Engine& engine_;
  const GenerationPlan plan_;
  std::vector<Ids> texts_;
  std::int64_t begin_ = 0;  // the window's first place in the texts
  std::size_t window_ = 0;  // number of the window that the caches are in
  Feeds feeds_;
  std::vector<Fetched> fetched_;
  std::vector<std::vector<double>> logits_;
};

}  // namespace mtfc::runtime
