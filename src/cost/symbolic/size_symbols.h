// What formulas are made of: dimensions, mesh axes, and the number of micro-batches.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cost/symbolic/polynomial.h"
#include "ir/module.h"

namespace mtfc::cost {

struct Symbol {
  enum class Kind { dim, axis, microbatches };
  Kind kind{};
  std::string name;     // "batch", "rows"
  std::string formula;  // of a dimension, as declared, where it is not a product of others
  double size = 0;
};

/// A dimension that is declared as others multiplied and divided, by whole numbers or each other
/// ("4 * d_model", "d_model / heads"), is that product; one that only has another name is that
/// other one; of others each is a symbol. Those of several instances of a block with one formula
/// are one. A padded dimension is a symbol of its own, "padded(vocab)", since its size is rounded
/// up.
class Symbols {
 public:
  explicit Symbols(const Module& module);

  const std::vector<Symbol>& all() const { return symbols_; }
  std::vector<double> sizes() const;
  std::vector<bool> are_dims() const;

  const Polynomial& of(DimId dim) const { return dims_[dim.at()]; }
  const Polynomial& of(AxisId axis) const { return axes_[axis.at()]; }
  const Polynomial& microbatches() const { return microbatches_; }
  /// Of several axes: the product.
  Polynomial of(const std::vector<AxisId>& axes) const;
  /// Elements of one processor's shard.
  Polynomial elements(const ShardType& type) const;
  /// Symbols of axes by the symbol of the dimension that they split, for writing `batch/rows`.
  const std::multimap<int, int>& split() const { return split_; }
  /// Dimensions that are products of others, in the order of the model: "d_ff = 4*d_model".
  struct Definition {
    std::string name;
    Polynomial product;
  };
  const std::vector<Definition>& definitions() const { return definitions_; }

 private:
  friend class SymbolMaker;
  Polynomial add(Symbol symbol);

  std::vector<Symbol> symbols_;
  std::vector<Polynomial> dims_, axes_;  // by id
  Polynomial microbatches_{1};
  std::multimap<int, int> split_;
  std::vector<Definition> definitions_;
};

}  // namespace mtfc::cost
