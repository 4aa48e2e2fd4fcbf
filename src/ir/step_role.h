// What an operation or instruction is for in a training step, and where in the model it belongs.
// Passes decide by it; Origin is for people only.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/shared_text.h"

namespace mtfc {

struct StepRole {
  enum class Kind : std::uint8_t {
    model,     // computes what the model says
    gradient,  // added by differentiation
    update,    // added by the weight update
  };
  Kind kind = Kind::model;
  SharedText parameter;  // of an update: the parameter's path; empty if it serves all of them
  int recompute = 0;     // tag of the innermost `recompute`; 0: none. Never merged across tags.
  SharedText block;      // path of the block instance it belongs to: "layers.3.attn"; empty: none
  /// Of Assignment::scopes: those that say how its results are split, the first of them first. A
  /// gradient has those of what it is the gradient of. Never merged across scopes.
  std::vector<int> scopes;
  /// In the backward pass of `recompute`: a value of the forward pass, computed again. Gradients
  /// there have the same tag and are not.
  bool again = false;
  friend bool operator==(const StepRole&, const StepRole&) = default;
};
std::string_view name(StepRole::Kind kind);

}  // namespace mtfc
