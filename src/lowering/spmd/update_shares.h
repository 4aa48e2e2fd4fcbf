// How the weight update is shared out among replicas: which parameters, along which dimensions.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lowering/spmd/lower_graph.h"

namespace mtfc::lowering {

/// The part that one parameter has in the update, and how it is cut.
struct UpdateShare {
  std::string path;  // of the parameter
  TensorType type;   // its type
  ValueId gradient;  // what the update starts from; of the parameter's dimensions
  /// Values of the backward pass between sums over replicas and the gradient (itself, too), where
  /// something else is added to these: made on the shards as well. Empty if the gradient is such a
  /// sum.
  std::set<ValueId> above;
  /// By dimension, the axes that a `param` scope keeps the parameter over, where that is not how
  /// the general rules split it. `splits` come on top.
  std::map<DimId, std::vector<AxisId>> kept;
  std::vector<std::pair<DimId, AxisId>> splits;  // in the order in which axes are given
  std::map<DimId, std::int64_t> padded;          // sizes of the dimensions that need padding
  std::set<std::string> states;                  // optimiser states that this update writes
};

/// Of each parameter of `graph` (the graph with the update, `context.table` as assigned): how a
/// scope keeps it, and, with `shard_replicas`, if its gradient comes of sums over further axes:
/// these axes, given to its dimensions so that it is cut into the most parts. A dimension takes an
/// axis that divides it; one that no rule of the layout splits takes others too, with padding, if
/// that is what makes more parts. Of equal ways the one with the least padding, then the first
/// dimensions. Padding never doubles a parameter: what could not be cut otherwise is updated by
/// every replica, as without. So is one with a state among `read_elsewhere`, variables that other
/// graphs read, which know nothing of the padding.
std::vector<UpdateShare> share_out_update(const Graph& graph, const GraphContext& context,
                                          bool shard_replicas,
                                          const std::set<std::string>& read_elsewhere);

/// Whether an operation is part of a share: above the gradient, of the parameter's update, or of
/// all updates (clipping) and reading one of `on_shards`.
bool belongs(const Operation& op, const UpdateShare& share, const std::set<ValueId>& on_shards);

}  // namespace mtfc::lowering
