#include "frontend/elaborate/builtins.h"

namespace mtfc::elab {

namespace {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table = [] {
    std::vector<Builtin> rows;
    for (auto* group :
         {reduction_calls, along_calls, join_calls, softmax_calls, plain_calls, operation_calls})
      for (Builtin& row : group()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

}  // namespace

const Builtin* find_builtin(std::string_view name) {
  for (const Builtin& row : builtins())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names{"index"};
  for (const Builtin& row : builtins()) names.emplace_back(row.name);
  return names;
}

}  // namespace mtfc::elab
