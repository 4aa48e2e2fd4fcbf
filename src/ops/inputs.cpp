// What a graph reads: fields of data sources, variables.
#include "ops/inputs.h"

#include "ops/rules.h"

namespace mtfc::ops {

const std::string* input_name(const Operation& op) {
  return op.op == "input" ? &op.attrs.text("name") : nullptr;
}
const std::string* viewed_input(const Graph& graph, ValueId value) {
  while (true) {
    const Operation& op = graph.producer(value);
    if (const std::string* name = input_name(op)) return name;
    if (op_of(op).kind != Kind::copy) return nullptr;
    value = op.operands[0];
  }
}
const std::string* variable_read(const Operation& op) {
  return op.op == "read" ? &op.attrs.text("variable") : nullptr;
}

std::vector<OpDef> inputs_rows() {
  constexpr std::string_view no_gradient = "it has no operand that a gradient could reach";
  return {
      {.name = "input",
       .summary = "a field of a data source",
       .kind = Kind::field,
       .signature = {0, 0, {{"name", Type::text}, {"dtype", Type::dtype}, {"dims", Type::dims}}},
       .infer = declared_type,
       .not_differentiable = no_gradient,
       .local = [](const Operation& op, const Graph&) { return Feed{op.attrs.text("name")}; }},
      {.name = "read",
       .summary = "a variable's value before the step",
       .kind = Kind::variable,
       .signature = {0,
                     0,
                     {{"variable", Type::text}, {"dtype", Type::dtype}, {"dims", Type::dims}}},
       .infer = declared_type,
       .not_differentiable = no_gradient,
       .local = [](const Operation& op, const Graph&) { return Read{op.attrs.text("variable")}; }},
  };
}

}  // namespace mtfc::ops
