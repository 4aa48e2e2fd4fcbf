// mtfc ops: the operation table, as the compiler itself reads it.
#include <algorithm>

#include "cli/commands.h"
#include "ops/op.h"

namespace mtfc::cli {

int operations(Session& session) {
  std::size_t widest = 0;
  for (const ops::OpDef* op : ops::all_ops()) widest = std::max(widest, op->name.size());
  std::vector<std::string> rows;
  for (const ops::OpDef* op : ops::all_ops()) {
    std::string name(op->name);
    rows.push_back(json_object({{"name", json(name)},
                                {"summary", json(op->summary)},
                                {"differentiable", json(bool{op->not_differentiable.empty()})}}));
    name.append(widest - name.size() + 2, ' ');
    session.print(name + std::string(op->summary) + "\n");
  }
  return session.finish(exit_done, {{"operations", json_array(rows)}});
}

}  // namespace mtfc::cli
