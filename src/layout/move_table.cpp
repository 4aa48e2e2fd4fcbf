#include "layout/move_table.h"

namespace mtfc::lowering {

namespace {

void add_number(std::string& key, std::int32_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void add_split(std::string& key, const DimList& dims, const Sharding& sharding) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    add_number(key, dims[i].index);
    for (AxisId axis : sharding.split[i]) add_number(key, axis.index);
    add_number(key, -1);
  }
  add_number(key, -2);
}

void add_axes(std::string& key, const std::vector<AxisId>& axes) {
  for (AxisId axis : axes) add_number(key, axis.index);
  add_number(key, -3);
}

double shard_size(const DimTable& dims, const Mesh& mesh, const DimList& tensor,
                  const Sharding& sharding) {
  return static_cast<double>(shard_elements(dims, mesh, {{DType::f32, tensor}, sharding}));
}

}  // namespace

double sent_elements(const DimTable& dims, const Mesh& mesh, const DimList& tensor,
                     const Sharding& before, const ReshardStep& step) {
  if (std::holds_alternative<Shard>(step)) return 0;
  const double shard = shard_size(dims, mesh, tensor, before);
  if (const auto* gather = std::get_if<AllGather>(&step))
    return shard * static_cast<double>(mesh.size(gather->axis) - 1);
  if (const auto* all = std::get_if<AllToAll>(&step)) {
    const auto n = static_cast<double>(mesh.size(all->axis));
    return shard * (n - 1) / n;
  }
  return shard;
}

Moves MoveTable::counted(const DimList& dims, Sharding from, std::vector<ReshardStep> steps) const {
  Moves moves;
  for (const ReshardStep& step : steps) {
    moves.messages += std::holds_alternative<Shard>(step) ? 0 : 1;
    moves.elements += sent_elements(dims_, mesh_, dims, from, step);
    from = after(dims, std::move(from), step);
  }
  moves.steps = std::move(steps);
  return moves;
}

const Moves& MoveTable::between(const DimList& dims, const Sharding& from, const Sharding& to) {
  static const Moves none;
  if (from.split == to.split) return none;
  std::string key;
  add_split(key, dims, from);
  add_split(key, dims, to);
  add_axes(key, from.partial);
  const auto [at, fresh] = moves_.try_emplace(std::move(key));
  if (fresh) at->second = counted(dims, from, reshard({mesh_, dims_, dims, from, to}));
  return at->second;
}

const MoveTable::AroundView& MoveTable::around(const std::vector<DimGroup>& groups,
                                               const DimList& from_dims, const Sharding& from,
                                               const DimList& to_dims, const Sharding& to) {
  std::string key;
  for (const DimGroup& group : groups) {
    for (const DimList* side : {&group.from, &group.to}) {
      for (DimId dim : *side) add_number(key, dim.index);
      add_number(key, -4);
    }
  }
  add_split(key, from_dims, from);
  add_split(key, to_dims, to);
  add_axes(key, from.partial);
  add_number(key, static_cast<std::int32_t>(from.combine));
  const auto [at, fresh] = views_.try_emplace(std::move(key));
  if (!fresh) return at->second;
  ViewMoves found = reshard_view({mesh_, dims_, from_dims, from, to}, groups, to_dims);
  AroundView& made = at->second;
  made.before = counted(from_dims, from, std::move(found.before));
  made.after = counted(to_dims, found.result, std::move(found.after));
  made.operand = std::move(found.operand);
  made.result = std::move(found.result);
  return made;
}

}  // namespace mtfc::lowering
