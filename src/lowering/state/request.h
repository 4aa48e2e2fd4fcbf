// What to build beside the programs of training.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mtfc::lowering {

/// What is derived: windows in ascending order, the last of them the dimension's own size.
struct GenerationRequest {
  bool incremental = true;
  bool beams = false;  // and programs that reorder texts
  std::vector<std::int64_t> windows;
};

struct Request {
  std::vector<std::string> tensors;  // named values to fetch (program "run"), global form
  bool gradients = false;            // and d loss / d value as "grad.NAME"
  bool training_mode = false;        // `run`: take the forward pass with `training` true
  bool evaluation = false;           // only what evaluations need: no programs of training
  bool whole_batch = false;          // one batch of any size, though training has micro-batches
  bool dump_tensors = false;         // train fetches every named value and gradient
  std::set<std::string> not_dumped;  // of the named values: what fetching would store
  bool apart = false;                // every operation by itself: none joined, tiled, or made again
  std::optional<GenerationRequest> generation;  // its programs instead of those of training

  /// Whether what training does to the model matters: `eval`, `run` and `generate` take no step.
  bool trains() const { return !evaluation && !whole_batch && !generation; }
};

}  // namespace mtfc::lowering
