// Padding of dimensions that their mesh axes do not divide: a graph in, a graph out.
#pragma once
#include "lowering/graph/padding.h"

namespace mtfc::lowering {

/// The same computation on padded dimensions. Values may have anything in their padding, which no
/// operation takes into account: what is combined over a padded dimension gets the neutral element
/// there (by selection, so that not a number stays where it is), and what an operation cannot leave
/// out is cut off before it. Variables have zeros in theirs before and after the program, and
/// inputs are fed with zeros; tensors that leave the graph have no padding.
Graph pad_dims(const Graph& graph, const DimTable& dims, const PaddedDims& to);

}  // namespace mtfc::lowering
