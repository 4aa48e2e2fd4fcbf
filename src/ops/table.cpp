#include <unordered_map>

#include "ops/rules.h"
#include "support/check.h"

namespace mtfc::ops {

namespace {
struct Table {
  std::vector<OpDef> rows;
  std::vector<const OpDef*> all;
  std::unordered_map<std::string_view, const OpDef*> by_name;

  Table() {
#define MTFC_OPERATIONS(file) \
  for (OpDef & row : file##_rows()) rows.push_back(std::move(row));
#include "ops/ops.def"
#undef MTFC_OPERATIONS
    for (const OpDef& row : rows) {
      all.push_back(&row);
      by_name.emplace(row.name, &row);
    }
  }
};
const Table& table() {
  static const Table the_table;
  return the_table;
}
}  // namespace

const std::vector<const OpDef*>& all_ops() { return table().all; }

const OpDef* find_op(std::string_view name) {
  const auto it = table().by_name.find(name);
  return it == table().by_name.end() ? nullptr : it->second;
}

const OpDef& op_named(std::string_view name) {
  const OpDef* op = find_op(name);
  MTFC_CHECK(op, "no operation is named `" + std::string(name) + "`");
  return *op;
}

InstructionKind local_instruction(const Operation& op, const Graph& graph) {
  const OpDef& def = op_of(op);
  MTFC_CHECK(def.local, "operation `" + op.op + "` has no local form");
  return def.local(op, graph);
}

}  // namespace mtfc::ops
