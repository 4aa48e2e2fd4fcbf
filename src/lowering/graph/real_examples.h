// Evaluations: which positions of tensors belong to examples, and not to what pads the last batch.
#pragma once
#include <map>
#include <optional>

#include "ir/model.h"
#include "lowering/graph/rewrite.h"
#include "ops/builder.h"

namespace mtfc::lowering {

/// Views of the evaluation's examples rename, merge and split them. Makes what it is asked for in
/// the graph of one batch.
class RealExamples {
 public:
  /// `examples`: not valid if there is no such dimension. `to_batch` copies what is the same for
  /// all batches.
  RealExamples(DimId examples, const Graph& eval, ops::Builder& batch, Copier* to_batch = nullptr);

  /// Dimensions of a value of the evaluation graph along which it has something of each example.
  const DimList& example_dims(ValueId value) const { return example_dims_[value.at()]; }

  /// Whether the operation makes something for each example out of what is of none: a constant, an
  /// index.
  bool makes_examples(const Operation& op) const { return !made_for_examples(op).empty(); }
  /// A dimension along which examples come one after the other, so many positions for each.
  struct Carrier {
    DimId dim;
    std::int64_t positions = 1;
  };
  /// That of a sample; absent if it has none, and is the same in every batch.
  std::optional<Carrier> carrier(const Operation& random) const;
  /// i32: how many positions so many examples have along it.
  ValueId positions_of(ValueId examples, const Carrier& carrier);

  /// bool: false in what pads examples along `dims`, so that it can be told from them there. Where
  /// it is all padding along them it is true: nobody looks at what comes of that, but it is to be a
  /// number. Invalid as below.
  ValueId along(const std::vector<ValueId>& values, const DimList& dims);
  /// bool over some of `dims`: where what is computed from these values of the evaluation graph is
  /// of an example, of one along each dimension that has them. Invalid: unknown, or the same for
  /// all examples.
  ValueId among(const std::vector<ValueId>& values, const DimList& dims);
  /// i32: how many examples of the batch are real.
  ValueId count();

 private:
  void find_example_dims();
  void find_groups();
  DimList made_for_examples(const Operation& op) const;
  /// Its elements are those of an operand, at places that are the same for all batches.
  bool moves(const Operation& op) const;
  DimList dims_after_view(const DimList& before, const std::vector<DimGroup>& groups) const;
  void find_masks();
  std::vector<ValueId> masks_of(const Operation& op);
  /// Of what moves elements to a dimension of its own: the same with what pads the operands.
  ValueId moved(const Operation& op);
  ValueId all_of(const std::vector<ValueId>& masks);
  ValueId viewed(ValueId mask, const std::vector<DimGroup>& groups);
  ValueId mask_along(const Carrier& carrier);
  /// bool[dim], of what is made for examples, or groups of them: those that have one.
  ValueId mask_of_made(DimId dim);

  const Graph& eval_;
  ops::Builder& batch_;
  Copier* to_batch_;
  DimId examples_;
  std::map<DimId, std::int64_t> positions_;  // of dimensions along which examples follow each other
  std::map<DimId, DimGroup> groups_;         // by the major dimension: views that split these off
  std::vector<DimList> example_dims_;        // by value
  std::vector<bool> of_examples_;            // by value: what is computed from any
  // In the batch's graph, by value, of one dimension or more each; filled when asked for.
  std::vector<std::vector<ValueId>> masks_;
  std::map<DimId, ValueId> along_;  // masks of one dimension
  ValueId count_;
};

}  // namespace mtfc::lowering
