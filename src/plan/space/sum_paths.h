// Where a product that sums over a split dimension has to be completed: what bounds of layouts
// (plan/price/bounds.h) know of collectives without compiling one.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace mtfc::plan {

/// If a layout splits one of `summed`, the product's result is a partial sum. Each value is made of
/// the one before it by an operation that may take a partial sum, and some use of the last one may
/// not: whatever the layout, one of them is completed.
struct SumPath {
  DimList summed;
  std::vector<ValueId> values;  // the product's result first; all with examples
};

/// Bytes of a whole tensor.
double bytes_of(const DimTable& dims, const TensorType& type);

/// The paths of the products of repeated blocks, those that share a value together: one completed
/// sum may serve all of them. Of all paths that a product has it is the one whose smallest value is
/// the largest; what leads to updates of parameters alone is none. `graph` is expanded; `examples`:
/// names of the dimensions that count examples.
std::vector<std::vector<SumPath>> sum_paths(const Graph& graph, const DimTable& dims,
                                            const std::set<std::string>& examples);

}  // namespace mtfc::plan
