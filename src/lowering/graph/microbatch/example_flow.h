// How values of a graph over one micro-batch depend on its examples.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

class ExampleFlow {
 public:
  ExampleFlow(const Graph& graph, const DimTable& dims, const Microbatch& micro);

  /// The value has an example dimension.
  bool has(ValueId id) const { return dims_[id.at()] > 0; }
  /// It is computed from examples, but has none itself.
  bool is_total(ValueId id) const { return depends_[id.at()] && !has(id); }
  /// The operation goes from examples to none.
  bool ends(const Operation& op) const;
  /// Its result on the whole batch is the sum of its results on the micro-batches.
  bool adds_up(const Operation& op) const;
  /// It says whether any (max) or all (min) of its examples hold: so do the results on the
  /// micro-batches.
  std::optional<Combine> decides(const Operation& op) const;

  /// Warns of what is computed on each micro-batch alone and so differs from the whole batch's.
  void warn(Diagnostics& diagnostics) const;

 private:
  /// Examples of several operands meet in it.
  bool joins(const Operation& op) const;
  std::string over(const Operation& op) const;
  void mark_used_again(ValueId total, const Operation& user,
                       std::vector<const Operation*>& marked) const;
  Diagnostic warning(const Operation& op, const std::string& what) const;

  const Graph& graph_;
  const DimTable& table_;
  const Microbatch& micro_;
  std::vector<int> dims_;  // by value: how many example dimensions it has
  std::vector<bool> depends_;
};

}  // namespace mtfc::lowering
