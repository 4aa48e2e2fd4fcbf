#include "backends/execute/find_tiles.h"

#include <algorithm>
#include <optional>

#include "support/aligned_bytes.h"
#include "support/rounding.h"

namespace mtfc::backends {
namespace {

constexpr std::int64_t kTileBytes = 256 << 10;  // of what one tile holds: half of a usual second
                                                // cache
constexpr std::int64_t kManyTiles = 16;         // enough for any number of threads
constexpr std::int64_t kShortRun = 16;          // of a reduction: a tile might add otherwise

constexpr std::size_t kMostMembers = 32;

using Members = std::vector<std::size_t>;  // instructions

/// A dimension of a shard. Of two members that share nothing else one may split what the other does
/// not: the same dimension, but not the same number of indices.
struct Extent {
  DimId dim;
  std::int64_t size;
  friend bool operator==(const Extent&, const Extent&) = default;
};
using Extents = std::vector<Extent>;

class TileFinder {
 public:
  TileFinder(const bind::Context& context, const Program& program,
             const std::vector<bind::Bound>& bound, const bind::Plan& plan,
             const std::vector<Buffer>& buffers, std::int64_t least_tile)
      : context_(context),
        program_(program),
        bound_(bound),
        plan_(plan),
        buffers_(buffers),
        least_tile_(least_tile),
        uses_(program.values.size()),
        roots_(program.values.size()),
        made_(program.values.size(), 0) {
    for (std::size_t i = 0; i < program.instructions.size(); ++i) note(i);
  }

  std::vector<TiledRange> run() {
    std::vector<TiledRange> found;
    for (std::size_t i = 0; i < bound_.size();) {
      Members members = members_from(i);
      const std::size_t next = members.empty() ? i + 1 : members.back() + 1;
      std::optional<TiledRange> range;
      while (members.size() >= 2 && !range) range = range_of(members);
      i = range ? range->end : next;
      if (range) found.push_back(std::move(*range));
    }
    return found;
  }

 private:
  const Instruction& at(std::size_t i) const { return program_.instructions[i]; }
  const ShardType& type(ValueId value) const { return program_.at(value).type; }
  const std::vector<DimId>& dims(ValueId value) const { return type(value).tensor.dims; }
  Extents extents(ValueId value) const {
    const bind::ShardView shard(context_, type(value));
    Extents extents;
    for (std::size_t d = 0; d < shard.dims().size(); ++d)
      extents.push_back({shard.dims()[d], shard.extents()[d]});
    return extents;
  }
  const Buffer& buffer(ValueId value) const { return buffers_[value.at()]; }
  ValueId root(ValueId value) const { return roots_[value.at()]; }

  void note(std::size_t i) {
    for (ValueId operand : at(i).operands) uses_[operand.at()].push_back(i);
    for (std::size_t k = 0; k < at(i).results.size(); ++k) {
      const ValueId result = at(i).results[k];
      made_[result.at()] = i;
      roots_[result.at()] = is_alias(bound_[i]) ? root(at(i).operands[k]) : result;
    }
  }

  // --- Which instructions
  bool does_nothing(std::size_t i) const {
    if (std::holds_alternative<bind::Alias>(bound_[i])) return true;
    // What a variable gives is there already.
    return std::holds_alternative<bind::Edge>(bound_[i]) && at(i).results.size() == 1 &&
           plan_.values[at(i).results[0].at()].kind == bind::BufferLocation::Kind::variable;
  }
  bool is_member(std::size_t i) const {
    if (at(i).results.empty() || dims(at(i).results[0]).empty()) return false;
    if (std::holds_alternative<runtime::MapSpec>(bound_[i])) return true;
    if (const auto* reduce = std::get_if<runtime::ReduceSpec>(&bound_[i]))
      return !reduce->reduced_extents.empty() && reduce->reduced_strides.back() == 1 &&
             reduce->reduced_extents.back() >= kShortRun;
    const auto* sum = std::get_if<runtime::ContractSpec>(&bound_[i]);
    return sum && sum->m.empty() && sum->n.empty() && sum->k.size() == 1 && sum->k[0].a == 1 &&
           sum->k[0].b == 1 && sum->a == sum->c && sum->b == sum->c;
  }

  /// As many in a row as have leading dimensions in common, by which a tile is small enough.
  Members members_from(std::size_t i) {
    Members members;
    prefix_.clear();
    for (; i < bound_.size() && members.size() < kMostMembers; ++i) {
      if (does_nothing(i) && !members.empty()) continue;
      if (!is_member(i) || !join(members, i)) break;
    }
    return members;
  }

  bool join(Members& members, std::size_t i) {
    const ValueId first = at(i).results[0];
    Extents common = members.empty() ? extents(first) : shared(prefix_, extents(first));
    if (!members.empty() && buffer(first).shards->axes() != axes(members)) return false;
    for (ValueId operand : at(i).operands) {
      if (!is_made_by(members, root(operand))) continue;
      if (root(operand) != operand) return false;  // its dimensions have other names
      common = shared(common, extents(operand));
    }
    members.push_back(i);
    if (!common.empty() && bytes_of_index(members, common.size()) <= kTileBytes) {
      prefix_ = common;
      return true;
    }
    members.pop_back();
    return false;
  }
  const std::vector<AxisId>& axes(const Members& members) const {
    return buffer(at(members[0]).results[0]).shards->axes();
  }
  static Extents shared(const Extents& a, const Extents& b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return {a.begin(), end};
  }
  static bool contains(const Members& members, std::size_t i) {
    return std::find(members.begin(), members.end(), i) != members.end();
  }
  bool is_made_by(const Members& members, ValueId value) const {
    return contains(members, made_[value.at()]);
  }

  /// Of all results, at one index of the first `count` dimensions.
  std::int64_t bytes_of_index(const Members& members, std::size_t count) const {
    std::int64_t bytes = 0;
    for (const std::size_t i : members)
      for (ValueId result : at(i).results) bytes += bytes_of_index(result, count);
    return bytes;
  }
  std::int64_t bytes_of_index(ValueId value, std::size_t count) const {
    std::int64_t bytes = static_cast<std::int64_t>(size_of(type(value).tensor.dtype));
    const bind::ShardView shard(context_, type(value));
    for (std::size_t d = count; d < shard.extents().size(); ++d) bytes *= shard.extents()[d];
    return bytes;
  }

  // --- How they run
  /// None if they are not worth it, or would overwrite what a later tile reads: with fewer members
  /// then, which are tried next.
  std::optional<TiledRange> range_of(Members& members) const {
    const std::optional<Tiles> cut = cut_into_tiles(members);
    if (!cut) {
      members.clear();
      return std::nullopt;
    }
    if (const std::size_t bad = first_hazard(members); bad < members.size()) {
      members.resize(bad);
      return std::nullopt;
    }
    TiledRange range{members.front(), members.back() + 1, *cut};
    set_steps(members, range.tiles);
    return range;
  }

  std::optional<Tiles> cut_into_tiles(const Members& members) const {
    const Extents prefix = prefix_of(members);
    const ValueId first = at(members[0]).results[0];
    const std::int64_t total = bytes_of_index(members, 0);
    if (total < 2 * least_tile_) return std::nullopt;
    const std::int64_t target = std::clamp(total / kManyTiles, least_tile_, kTileBytes);
    std::size_t count = 1;
    while (count < prefix.size() && bytes_of_index(members, count) > target) ++count;
    const std::int64_t bytes = bytes_of_index(members, count), extent = prefix[count - 1].size;
    const std::int64_t most =
        std::clamp<std::int64_t>(target / std::max<std::int64_t>(bytes, 1), 1, extent);
    Tiles tiles;
    for (std::size_t d = 0; d < count; ++d) tiles.extents.push_back(prefix[d].size);
    const std::int64_t pieces = ceil_div(extent, most);
    tiles.each = ceil_div(extent, pieces);
    if (tiles.each * bytes < least_tile_ / 4) return std::nullopt;
    tiles.mesh_axes = context_.mesh.axes.size();
    const DistinctShards& shards = *buffer(first).shards;
    for (std::int64_t s = 0; s < shards.count(); ++s)
      tiles.coordinates.push_back(shards.coordinates(s));
    return tiles;
  }
  Extents prefix_of(const Members& members) const {
    Extents common = extents(at(members[0]).results[0]);
    for (const std::size_t i : members) {
      common = shared(common, extents(at(i).results[0]));
      for (ValueId operand : at(i).operands)
        if (is_made_by(members, operand)) common = shared(common, extents(operand));
    }
    return common;
  }

  /// Nobody else uses it: it needs no place in memory.
  bool is_temporary(const Members& members, ValueId value) const {
    return is_made_by(members, value) && root(value) == value &&
           plan_.values[value.at()].kind == bind::BufferLocation::Kind::arena &&
           std::all_of(uses_[value.at()].begin(), uses_[value.at()].end(),
                       [&](std::size_t i) { return contains(members, i); });
  }

  /// The first member that writes where another tile of something else is read or written.
  std::size_t first_hazard(const Members& members) const {
    std::vector<ValueId> seen;
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (const auto* values : {&at(members[m]).operands, &at(members[m]).results})
        for (ValueId value : *values)
          if (!is_temporary(members, value)) seen.push_back(value);
    }
    for (std::size_t m = 0; m < members.size(); ++m)
      for (ValueId written : at(members[m]).results)
        for (ValueId other : seen)
          if (!is_temporary(members, written) && disturb(written, other)) return m;
    return members.size();
  }
  bool disturb(ValueId written, ValueId other) const {
    const Buffer &a = buffer(written), &b = buffer(other);
    if (a.base + a.bytes() <= b.base || b.base + b.bytes() <= a.base) return false;
    const ShardType &x = type(written), &y = type(other);
    return a.base != b.base || a.stride != b.stride || x.tensor.dims != y.tensor.dims ||
           !(x.sharding == y.sharding) || size_of(x.tensor.dtype) != size_of(y.tensor.dtype);
  }

  void set_steps(const Members& members, Tiles& tiles) const {
    std::vector<std::int64_t> offsets(program_.values.size(), -1);
    const std::size_t count = tiles.extents.size();
    const std::int64_t last = tiles.extents.back() % tiles.each;
    for (const std::size_t i : members) {
      TileStep step;
      const TileSpec whole = spec_of(bound_[i]);
      step.whole = tile_of(whole, count, tiles.each, tiles.mesh_axes);
      step.rest = tile_of(whole, count, last > 0 ? last : tiles.each, tiles.mesh_axes);
      for (std::size_t k = 0; k < at(i).operands.size(); ++k) {
        const ValueId operand = at(i).operands[k];
        TileAddress where{{}, {}, offsets[operand.at()]};
        if (where.offset < 0) {
          in_memory(where, operand, tiles);
          for (std::size_t d = 0; d < count; ++d)
            where.bytes.push_back(stride_of(whole, k, d) *
                                  static_cast<std::int64_t>(size_of(type(operand).tensor.dtype)));
        }
        step.inputs.push_back(std::move(where));
      }
      for (ValueId result : at(i).results) {
        TileAddress where;
        if (is_temporary(members, result)) {
          where.offset = offsets[result.at()] = tiles.scratch_bytes;
          tiles.scratch_bytes += mtfc::aligned(tiles.each * bytes_of_index(result, count));
        } else {
          in_memory(where, result, tiles);
          for (std::size_t d = 0; d < count; ++d)
            where.bytes.push_back(bytes_of_index(result, d + 1));
        }
        step.outputs.push_back(std::move(where));
      }
      tiles.steps.push_back(std::move(step));
    }
  }
  void in_memory(TileAddress& where, ValueId value, const Tiles& tiles) const {
    for (const std::int64_t* coordinates : tiles.coordinates)
      where.shards.push_back(buffer(value).at(coordinates));
  }
  static TileSpec spec_of(const bind::Bound& bound) {
    if (const auto* map = std::get_if<runtime::MapSpec>(&bound)) return *map;
    if (const auto* reduce = std::get_if<runtime::ReduceSpec>(&bound)) return *reduce;
    return std::get<runtime::ContractSpec>(bound);
  }

  const bind::Context& context_;
  const Program& program_;
  const std::vector<bind::Bound>& bound_;
  const bind::Plan& plan_;
  const std::vector<Buffer>& buffers_;
  const std::int64_t least_tile_;
  std::vector<Members> uses_;      // by value
  std::vector<ValueId> roots_;     // by value: what has its memory first
  std::vector<std::size_t> made_;  // by value: the instruction
  Extents prefix_;                 // of the members that are being found
};

}  // namespace

std::vector<TiledRange> find_tiles(const bind::Context& context, const Program& program,
                                   const std::vector<bind::Bound>& bound, const bind::Plan& plan,
                                   const std::vector<Buffer>& buffers, std::int64_t least_tile) {
  return TileFinder(context, program, bound, plan, buffers, least_tile).run();
}

}  // namespace mtfc::backends
