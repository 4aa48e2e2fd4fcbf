// Instructions that run tile by tile: each step is bound to the tile, as it lies in its shard or in
// the scratch, and with a causal mask once for each block of rows.
#include <algorithm>
#include <utility>

#include "bind/arena.h"
#include "bind/bind_rules.h"
#include "ir/instr/tiled.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

using runtime::TiledSpec;

bool is_map(const Tiled::Step& step) { return std::holds_alternative<Map>(step.kind); }

class TiledBinder {
 public:
  TiledBinder(const Tiled& tiled, const Shards& shards)
      : tiled_(tiled), context_(shards.context), inputs_(shards.operand_types.size()) {
    for (const ShardType* type : shards.operand_types) values_.emplace_back().type = type;
    for (const Tiled::Step& step : tiled.steps)
      for (const ShardType& type : step.to) values_.emplace_back().type = &type;
    for (std::size_t i = 0; i < inputs_; ++i) values_[i].tensor = static_cast<int>(i);
    for (std::size_t i = 0; i < tiled.results.size(); ++i)
      at(tiled.results[i]).tensor = static_cast<int>(inputs_ + i);
    for (std::size_t i = 0; i < tiled.steps.size(); ++i)
      for (const int number : tiled.steps[i].from) at(number).last_use = i;
    tile_.dims = tiled.dims;
  }

  TiledSpec run() {
    spec_.inputs = static_cast<int>(inputs_);
    spec_.mesh_axes = static_cast<int>(context_.mesh.axes.size());
    for (DimId dim : tiled_.dims) spec_.extents.push_back(extent(dim));
    if (tiled_.causal.empty())
      add_steps();
    else
      add_blocks();
    spec_.scratch_bytes = scratch_.bytes();
    return std::move(spec_);
  }

 private:
  struct Value {
    const ShardType* type = nullptr;
    int tensor = -1;           // of the call; -1: in the scratch
    std::int64_t offset = -1;  // in the scratch
    std::size_t last_use = 0;
    // A sum over rows of which blocks are added: columns first, in the scratch.
    ShardType sum;
    std::int64_t sum_offset = -1;
  };
  Value& at(int number) { return values_[static_cast<std::size_t>(number)]; }

  std::int64_t extent(DimId dim) const {
    for (const Value& value : values_)
      if (position(value.type->tensor.dims, dim) >= 0)
        return ShardView(context_, *value.type).extent(dim);
    MTFC_CHECK(false, "a tile's dimension is in no value");
  }
  ShardView view(const Value& value) const {
    if (value.sum_offset >= 0) return {context_, value.sum, tile_, true};
    return {context_, *value.type, tile_, value.tensor < 0};
  }
  static std::int64_t size(const Value& value) {
    return static_cast<std::int64_t>(size_of(value.type->tensor.dtype));
  }
  std::int64_t bytes(const Value& value) const { return view(value).elements() * size(value); }

  // --- Blocks of rows
  void add_blocks() {
    const DimId rows = tiled_.causal[0], columns = tiled_.causal[1];
    const auto blocks = Tiled::blocks(extent(rows), extent(columns));
    const bool several = blocks.size() > 1;
    tile_.ranges = {{rows, 0, extent(rows)}, {columns, 0, extent(columns)}};
    for (std::size_t i = 0; several && i < tiled_.steps.size(); ++i) start_sums(i);
    for (const Tiled::Block& block : blocks) {
      tile_.ranges = {{rows, block.begin, block.rows}, {columns, 0, block.columns}};
      first_block_ = &block == &blocks.front();
      add_steps();
    }
    tile_.ranges = {{rows, 0, extent(rows)}, {columns, 0, extent(columns)}};
    for (Value& value : values_)
      if (value.sum_offset >= 0) store_sum(value);
  }
  bool sums_rows(const Tiled::Step& step) const {
    return std::holds_alternative<Contract>(step.kind) &&
           position(step.to[0].tensor.dims, tiled_.causal[0]) < 0 &&
           contains(std::get<Contract>(step.kind).reduced, tiled_.causal[0]);
  }
  static bool contains(const DimList& dims, DimId dim) { return position(dims, dim) >= 0; }

  void start_sums(std::size_t i) {
    if (!sums_rows(tiled_.steps[i])) return;
    Value& value = made_by(i, 0);
    value.sum = *value.type;
    DimList order = {tiled_.causal[1]};
    for (DimId dim : value.type->tensor.dims)
      if (dim != tiled_.causal[1]) order.push_back(dim);
    value.sum.tensor.dims = order;
    for (std::size_t d = 0; d < order.size(); ++d)
      value.sum.sharding.split[d] = split_of(*value.type, order[d]);
    value.sum_offset = 0;
    value.sum_offset = scratch_.take(bytes(value));
  }
  void store_sum(Value& value) {
    const ShardView from = view(value);
    store(value, from, std::exchange(value.sum_offset, -1));
  }
  /// From the scratch to where the tile lies in its shard.
  void store(const Value& value, const ShardView& from, std::int64_t offset) {
    const ShardView to(context_, *value.type, tile_, false);
    runtime::CopySpec copy;
    copy.element_size = size_of(value.type->tensor.dtype);
    for (DimId dim : from.dims()) {
      copy.extents.push_back(from.extent(dim));
      copy.x_strides.push_back(from.stride(dim));
      copy.y_strides.push_back(to.stride(dim));
    }
    copy.y_size = to.elements();
    spec_.steps.push_back({std::move(copy), {in_scratch(offset)}, {address(value)}});
  }

  // --- Steps
  Value& made_by(std::size_t step, std::size_t k) {
    std::size_t made = inputs_;
    for (std::size_t i = 0; i < step; ++i) made += tiled_.steps[i].to.size();
    return values_[made + k];
  }

  void add_steps() {
    std::size_t made = inputs_;
    for (std::size_t i = 0; i < tiled_.steps.size(); ++i) {
      add(i, made);
      made += tiled_.steps[i].to.size();
    }
  }
  void add(std::size_t i, std::size_t made) {
    const Tiled::Step& step = tiled_.steps[i];
    Shards shards(context_);
    TiledSpec::Step bound;
    for (const int number : step.from) {
      shards.operand_types.push_back(at(number).type);
      shards.operands.push_back(view(at(number)));
      bound.inputs.push_back(address(at(number)));
    }
    const bool apart = is_made_apart(step, values_[made]);
    std::int64_t offset = -1;
    for (std::size_t k = 0; k < step.to.size(); ++k) {
      Value& value = values_[made + k];
      allocate(i, value);
      shards.result_types.push_back(value.type);
      shards.results.push_back(apart ? ShardView(context_, *value.type, tile_, true) : view(value));
      if (apart) offset = scratch_.take(shards.results[0].elements() * size(value));
      bound.outputs.push_back(apart ? in_scratch(offset) : address(value));
    }
    Bound kernel = std::visit([&](const auto& kind) { return bind_rule(kind, shards); }, step.kind);
    set_kernel(bound, std::move(kernel), values_[made].sum_offset >= 0 && !first_block_);
    spec_.steps.push_back(std::move(bound));
    if (apart) {
      store(values_[made], shards.results[0], offset);
      scratch_.give_back(offset, shards.results[0].elements() * size(values_[made]));
    }
    for (const int number : step.from) give_back(at(number), i);
    for (std::size_t k = 0; k < step.to.size(); ++k)
      if (values_[made + k].last_use <= i) give_back(values_[made + k], values_[made + k].last_use);
  }
  /// Products are rounded to 16 bits as a whole: dense in the order of the result.
  static bool is_made_apart(const Tiled::Step& step, const Value& value) {
    return std::holds_alternative<Contract>(step.kind) && value.tensor >= 0 &&
           value.sum_offset < 0 && is_half(value.type->tensor.dtype);
  }
  static void set_kernel(TiledSpec::Step& step, Bound kernel, bool adds) {
    if (auto* map = std::get_if<runtime::MapSpec>(&kernel)) step.kernel = std::move(*map);
    if (auto* reduce = std::get_if<runtime::ReduceSpec>(&kernel)) step.kernel = std::move(*reduce);
    auto* product = std::get_if<runtime::ContractSpec>(&kernel);
    if (product != nullptr && adds) {
      step.inputs.push_back(step.outputs[0]);
      step.kernel = runtime::AddProductSpec{std::move(*product)};
    } else if (product != nullptr) {
      step.kernel = std::move(*product);
    }
  }

  /// A map's result may take the place of an operand that is read for the last time, element by
  /// element.
  void allocate(std::size_t i, Value& value) {
    if (value.tensor >= 0) return;
    const Tiled::Step& step = tiled_.steps[i];
    if (is_map(step) && step.to.size() == 1)
      for (const int number : step.from) {
        Value& operand = at(number);
        if (operand.offset < 0 || operand.last_use != i || *operand.type != *value.type ||
            std::count(step.from.begin(), step.from.end(), number) > 1)
          continue;
        value.offset = std::exchange(operand.offset, -1);
        return;
      }
    value.offset = scratch_.take(bytes(value));
  }
  void give_back(Value& value, std::size_t last) {
    if (value.offset < 0 || value.last_use != last) return;
    scratch_.give_back(std::exchange(value.offset, -1), bytes(value));
  }

  static TiledSpec::Address in_scratch(std::int64_t offset) { return {-1, offset, {}}; }
  TiledSpec::Address address(const Value& value) const {
    if (value.sum_offset >= 0) return in_scratch(value.sum_offset);
    if (value.tensor < 0) return in_scratch(value.offset);
    TiledSpec::Address found{value.tensor, 0, {}};
    const ShardView shard(context_, *value.type);
    for (DimId dim : tiled_.dims) found.bytes.push_back(shard.stride(dim) * size(value));
    for (const Tile::Range& range : tile_.ranges)
      found.offset += range.begin * shard.stride(range.dim) * size(value);
    return found;
  }

  const Tiled& tiled_;
  const Context& context_;
  const std::size_t inputs_;
  std::vector<Value> values_;  // by number
  Tile tile_;
  bool first_block_ = true;
  Arena scratch_;
  TiledSpec spec_;
};

}  // namespace

Bound bind_rule(const Tiled& tiled, const Shards& shards) {
  return TiledBinder(tiled, shards).run();
}

}  // namespace mtfc::bind
