#include "support/scalar.h"

#include <array>

namespace mtfc {
namespace {

struct OpRow {
  ScalarOp op;
  std::string_view name;
  int arity;
};
constexpr OpRow op_rows[] = {
#define MTFC_SCALAR_OP(name, arity) {ScalarOp::name, #name, arity},
#include "support/scalar_ops.def"
#undef MTFC_SCALAR_OP
};

// In the order of the enum.
constexpr std::array<std::string_view, 5> draw_names = {"uniform", "normal", "truncated_normal",
                                                        "integers", "bernoulli"};

}  // namespace

std::string_view name(ScalarOp op) { return op_rows[static_cast<std::size_t>(op)].name; }
int arity(ScalarOp op) { return op_rows[static_cast<std::size_t>(op)].arity; }

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  for (const OpRow& row : op_rows)
    if (row.name == name) return row.op;
  return std::nullopt;
}

std::string_view name(Draw draw) { return draw_names[static_cast<std::size_t>(draw)]; }

std::optional<Draw> draw_named(std::string_view name) {
  for (std::size_t i = 0; i < draw_names.size(); ++i)
    if (draw_names[i] == name) return static_cast<Draw>(i);
  return std::nullopt;
}

}  // namespace mtfc
