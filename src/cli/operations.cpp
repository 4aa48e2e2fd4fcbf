// mtfc ops: the operation table, as the compiler itself reads it.
#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/session/session.h"
#include "messages/table.h"
#include "ops/op.h"

namespace mtfc::cli {

int operations(Session& session) {
  std::vector<std::vector<std::string>> table;
  std::vector<std::string> rows;
  for (const ops::OpDef* op : ops::all_ops()) {
    table.push_back({std::string(op->name), std::string(op->summary)});
    rows.push_back(json_object({{"name", json(op->name)},
                                {"summary", json(op->summary)},
                                {"differentiable", json(op->not_differentiable.empty())}}));
  }
  session.print(table_text(table, {"", {}, 0, output_columns()}));
  return session.finish(exit_done, {{"operations", json_array(rows)}});
}

}  // namespace mtfc::cli
