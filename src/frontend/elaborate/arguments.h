// A call with its arguments evaluated, and what handlers ask of them.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

struct CallSite {
  const ast::Call* call = nullptr;
  Span span;
  std::vector<Operand> args;
  std::vector<std::pair<std::string, Operand>> named;
  std::optional<Dims> over, to;

  const Operand* find(const std::string& name) const;
};

/// Evaluates positional and named arguments in the order of the text. False if any is poison.
bool evaluate_arguments(Context& cx, CallSite& site);
bool evaluate_lists(Context& cx, CallSite& site);

// Named arguments that must be known before the run; absent: reported.
std::optional<double> number_argument(Context& cx, const CallSite& site, const std::string& name,
                                      double otherwise);
std::optional<bool> flag_argument(Context& cx, const CallSite& site, const std::string& name);
std::optional<std::int64_t> whole_argument(Context& cx, const Operand& operand,
                                           const std::string& what);

/// All of `dims` must be dimensions of the operand; `list` is where they were written.
bool require_dims(Context& cx, const Operand& operand, const Dims& dims, const ast::DimList& list,
                  const std::string& to_do);
/// A forgotten rename: the operand has a dimension of the same size as the missing one.
void note_equal_sizes(Context& cx, Diagnostic& d, const Operand& operand, DimId missing);
/// Each list has one dimension.
bool check_single(Context& cx, const CallSite& site);
/// The one dimension of `->` is not in `have`, `over` apart.
bool check_fresh(Context& cx, const CallSite& site, const Dims& have);
/// The first argument as a tensor that has the one dimension of `over`.
std::optional<ValueId> along_one(Context& cx, const CallSite& site);
/// The dimensions that `over` or `->` take away; all of them if there is neither list.
std::optional<Dims> reduced_dims(Context& cx, const CallSite& site, const Dims& all);
/// What remains, in storage order: the `->` list, or all that `over` leaves.
std::optional<Dims> remaining(Context& cx, const CallSite& site, const Dims& all);

}  // namespace mtfc::elab
