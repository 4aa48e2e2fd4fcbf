// The answers of `resolve` for a whole graph: what each operation does on shards, what moves for
// it, and what all of that sends. Lowering carries it out; whatever compares layouts adds it up.
#pragma once
#include <vector>

#include "ir/graph.h"
#include "layout/graph_context.h"
#include "layout/resolve.h"

namespace mtfc::lowering {

struct ResolvedGraph {
  struct Op {
    OpForm form;
    Resolved made;
    /// By operand: taken as the variable that it was read from is kept, so that nothing moves.
    std::vector<bool> as_kept;
  };
  std::vector<Op> ops;  // by operation of the graph
  /// By output: what moves before a variable is written; else none.
  std::vector<const Moves*> outputs;

  /// What one processor takes part in and sends, in all.
  std::int64_t collectives = 0;
  double sent_bytes = 0;
};

/// `graph` must be expanded. The moves live as long as the table. Variables that the graph adds to
/// may become partial sums, which their types in `context.variables` say then.
ResolvedGraph resolve_graph(const Graph& graph, const GraphContext& context, MoveTable& moves);

/// `type` in another storage order.
ShardType in_order(const ShardType& type, const DimList& dims);

}  // namespace mtfc::lowering
