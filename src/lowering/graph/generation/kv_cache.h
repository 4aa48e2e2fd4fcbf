// What the programs of generation share: the dimensions made for them, and the variables that they
// keep values in.
#pragma once
#include <map>

#include "ir/layout.h"
#include "lowering/graph/generation/positions.h"

namespace mtfc::lowering {

/// Dimensions that stand for others.
using Renaming = std::map<DimId, DimId>;
DimId renamed(const Renaming& renaming, DimId dim);
DimList renamed(const Renaming& renaming, const DimList& dims);
Attrs renamed(const Renaming& renaming, const Attrs& attrs);

/// The first `size` positions; `dims`: those of d and of its copies.
struct GenerationWindow {
  std::int64_t size = 0;
  Renaming dims;
};

class Store {
 public:
  /// Adds dimensions and variables to the model as they are needed, dimensions with the splits of
  /// what they stand for to the assignment.
  Store(Model& model, Assignment& assignment, const Cut& cut, const Positions& positions);

  const Model& model() const { return model_; }
  const Cut& cut() const { return cut_; }
  const Positions& positions() const { return positions_; }

  GenerationWindow window(std::int64_t size);
  /// d and its copies -> one position of each.
  const Renaming& entries() const { return entries_; }
  /// A dimension of `like`'s size that no rule splits.
  DimId unsplit(DimId like);

  /// The variable that holds a fixed value, whole.
  const Variable& fixed(ValueId value);
  /// The variable that holds the first positions of a kept value.
  const Variable& cache(ValueId value, const GenerationWindow& window);
  /// The variable that holds the sum so far of a running sum: of half types in f32.
  const Variable& carry(ValueId value);
  const std::map<ValueId, std::size_t>& all_fixed() const { return fixed_; }

 private:
  DimId add_dim(DimId like, std::int64_t size, bool split);
  std::size_t add_variable(ValueId value, const std::string& suffix, TensorType type);

  Model& model_;
  Assignment& assignment_;
  const Cut& cut_;
  const Positions& positions_;
  Renaming entries_;
  std::map<ValueId, std::size_t> fixed_, carries_;
  std::map<std::pair<ValueId, std::int64_t>, std::size_t> caches_;
  std::map<std::string, int> names_;
};

}  // namespace mtfc::lowering
