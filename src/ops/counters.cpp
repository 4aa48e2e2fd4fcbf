// Ints of the run, which whoever runs a program feeds (support/program_names.h).
#include "ops/rules.h"
#include "support/program_names.h"

namespace mtfc::ops {

std::vector<OpDef> counters_rows() {
  const auto counter = [](std::string_view name, std::string_view summary) {
    return OpDef{.name = name,
                 .summary = summary,
                 .kind = Kind::counter,
                 .signature = {0, 0, {}},
                 .infer =
                     [](const Shapes&) {
                       return gives({DType::i32, {}});
                     },
                 .not_differentiable = "it has no operand that a gradient could reach",
                 .local = [](const Operation& op,
                             const Graph&) { return Feed{feed_names::of_counter(op.op)}; }};
  };
  return {counter("step", "the number of the step, from 0"),
          counter("steps", "how many steps the run has"),
          counter("examples", "how many examples of the batch are real"),
          counter("first_example", "the number of the batch's first example"),
          counter("position", "the newest token's position, in generation"),
          counter("microbatch", "the number of the micro-batch, from 0")};
}

}  // namespace mtfc::ops
