// Model + placement -> Module: the passes, in order.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lowering/graph/generation/derive_generation.h"

namespace mtfc::lowering {

/// What to build beside the programs of training.
struct Request {
  std::vector<std::string> tensors;  // named values to fetch (program "run"), global form
  bool gradients = false;            // and d loss / d value as "grad.NAME"
  bool training_mode = false;        // `run`: take the forward pass with `training` true
  bool evaluation = false;           // only what evaluations need: no programs of training
  bool dump_tensors = false;         // train fetches every named value and gradient
  std::optional<GenerationRequest> generation;  // its programs instead of those of training
  /// Called after every pass with its name and what it made, as text (--dump-after).
  std::function<void(const std::string& pass, const std::function<std::string()>& text)> after;
};

/// Names of the passes in order, for --dump-after.
const std::vector<std::string>& pass_names();

/// The model must be checked and the placement legal for it (legality.h).
Module lower(const Model& model, const Placement& placement, const Request& request);

}  // namespace mtfc::lowering
