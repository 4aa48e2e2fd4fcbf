// Working block by block along a split dimension: what an operation that needs a dimension whole
// becomes, in operations that move less than all of it.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "ops/builder.h"

namespace mtfc::ops {

/// A split dimension taken apart: `number` is split as it was, `within` is whole.
struct Blocks {
  DimId number, within;
  std::int64_t count = 1, size = 1;
};

/// Builds the rewritten graph; dimensions that it needs are added to the table, and to the
/// assignment the splits of those that are split.
class Blockwise {
 public:
  Blockwise(Builder& builder, DimTable& table, Assignment& assignment)
      : build(builder), dims(table), table_(table), assignment_(assignment) {}

  Builder& build;
  const DimTable& dims;

  bool is_split(DimId dim) const { return !axes(dim).empty(); }
  bool are_split_alike(DimId a, DimId b) const { return axes(a) == axes(b); }
  /// Into how many blocks a dimension is split.
  std::int64_t count(DimId dim) const;
  const Blocks& blocks(DimId dim);
  DimId fresh_dim(const std::string& name, std::int64_t size, Assignment::Entry entry = {});

  /// x with `dim` taken apart into its blocks, and the reverse.
  ValueId apart(ValueId x, DimId dim);
  ValueId together(ValueId x, DimId dim);

 private:
  /// As the scopes of the operation that is rewritten split the dimension, else the general rules.
  const std::vector<AxisId>& axes(DimId dim) const;
  Assignment::Entry entry(DimId dim) const;

  DimTable& table_;
  Assignment& assignment_;
  std::map<std::pair<DimId, std::vector<AxisId>>, Blocks> blocks_;
};

}  // namespace mtfc::ops
