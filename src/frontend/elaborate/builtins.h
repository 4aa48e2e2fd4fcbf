// The built-in operations: how each is called, and what a call gives.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/elaborate/arguments.h"
#include "ops/call_form.h"

namespace mtfc::elab {

using ops::CallForm;

/// A call that was checked against the form gives its value; poison: reported.
using CallHandler = Val (*)(Context&, const CallSite&);

inline CallForm call_form(int min, int max, CallForm::List over, CallForm::List to,
                          std::vector<CallForm::Argument> arguments = {}) {
  CallForm form;
  form.min_operands = min;
  form.max_operands = max;
  form.over = over;
  form.to = to;
  form.arguments = std::move(arguments);
  return form;
}

struct Builtin {
  std::string_view name;
  CallForm form;
  CallHandler handler;
  /// What other libraries call it, small letters, blanks between them.
  std::string_view foreign = "";
};

const Builtin* find_builtin(std::string_view name);
std::vector<std::string> builtin_names();
/// index(d) takes the name of a dimension, not a value.
Val call_index(Context& cx, const ast::Call& call, Span span);
/// Of each operand the one dimension that not all have; nothing if one has none or several.
std::optional<Dims> dims_of_their_own(const Context& cx, const CallSite& site);

// The rows, each group in the file of its handlers (call_*.cpp).
std::vector<Builtin> reduction_calls();
std::vector<Builtin> along_calls();
std::vector<Builtin> join_calls();
std::vector<Builtin> softmax_calls();
std::vector<Builtin> plain_calls();
/// Operations that say in their own row how they are called.
std::vector<Builtin> operation_calls();

}  // namespace mtfc::elab
