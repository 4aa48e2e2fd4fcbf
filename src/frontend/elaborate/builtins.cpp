#include "frontend/elaborate/builtins.h"

#include <algorithm>

namespace mtfc::elab {

namespace {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table = [] {
    std::vector<Builtin> rows;
    for (auto* group :
         {reduction_calls, along_calls, join_calls, softmax_calls, plain_calls, elementwise_calls})
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

bool is_draw(std::string_view name) {
  constexpr std::string_view draws[] = {"uniform",  "normal",    "truncated_normal",
                                        "integers", "bernoulli", "fan_in",
                                        "he",       "glorot",    "orthogonal"};
  return std::find(std::begin(draws), std::end(draws), name) != std::end(draws);
}

}  // namespace mtfc::elab
