// Where an operation or instruction comes from.
#pragma once
#include <string>

#include "support/source.h"

namespace mtfc {

enum class Phase : std::uint8_t { forward, backward, update };
std::string_view name(Phase phase);

struct Origin {
  Span span;          // the expression in the model
  std::string scope;  // block path with turns: "layers.3.attn"; empty at file level
  Phase phase = Phase::forward;
  int recompute = 0;  // tag of the innermost `recompute`; 0: none. Never merged across tags.
  std::string cause;  // data movement only: the rule and dimension behind it, "batch:rows"
  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace mtfc
