// Where an operation or instruction comes from, for people: dumps, costs, messages. No pass decides
// by it; what one may decide by is the StepRole.
#pragma once
#include <string_view>

#include "messages/source_map.h"
#include "support/shared_text.h"

namespace mtfc {

enum class Phase : std::uint8_t {
  forward,
  backward,
  update,
  recompute,  // of the forward pass, a second time (`recompute { }`)
};
std::string_view name(Phase phase);

struct Origin {
  Span span;       // the expression in the model, or in the library
  Span call = {};  // of one in the library: the call in the model's own files that led there
  Phase phase = Phase::forward;
  SharedText cause;  // data movement only: the rule and dimension behind it, "batch:rows"
  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace mtfc
