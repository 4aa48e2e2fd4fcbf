#include "backends/execute/simulated_collectives.h"

#include <algorithm>

namespace mtfc::backends {
namespace {

using runtime::ExchangeSpec;

class LaunchBuilder {
 public:
  LaunchBuilder(const Mesh& mesh, const ExchangeSpec& spec, const Buffer& x, const Buffer& y,
                std::byte* scratch)
      : spec_(spec),
        x_(x),
        y_(y),
        scratch_(scratch),
        mesh_sizes_(mesh.sizes()),
        group_(mesh_sizes_, spec.axes),
        other_(mesh_sizes_.size() + 1),
        size_(static_cast<std::int64_t>(size_of(spec.dtype))),
        block_(runtime::block_elements(spec) * size_) {}

  std::vector<KernelLaunches> build() {
    std::vector<KernelLaunches> launches;
    switch (spec_.kind) {
      case ExchangeSpec::Kind::all_reduce:
        launches.push_back(combine_blocks(false));
        break;
      case ExchangeSpec::Kind::reduce_scatter: {
        const bool packs = !runtime::source_blocks_dense(spec_);
        if (packs) launches.push_back(pack_blocks());
        launches.push_back(combine_blocks(packs));
        break;
      }
      case ExchangeSpec::Kind::all_gather:
      case ExchangeSpec::Kind::all_to_all:
      case ExchangeSpec::Kind::permute:
        launches.push_back(move_blocks());
        break;
    }
    return launches;
  }

 private:
  /// Block number `block` of a processor's operand.
  const std::byte* source(const std::int64_t* coordinates, std::int64_t block) const {
    return x_.at(coordinates) + block * spec_.source_step * size_;
  }
  std::byte* packed(const std::int64_t* coordinates, std::int64_t block) const {
    return scratch_ + (x_.shards->number(coordinates) * spec_.group_size + block) * block_;
  }

  /// The processor that differs from `mine` only in being number `member` of the group.
  const std::int64_t* member_beside(const std::int64_t* mine, std::int64_t member) {
    std::copy_n(mine, mesh_sizes_.size(), other_.begin());
    group_.locate(member, other_.data());
    return other_.data();
  }
  /// The processor whose shard a permutation brings to `mine`.
  const std::int64_t* sender_to(const std::int64_t* mine) {
    std::copy_n(mine, mesh_sizes_.size(), other_.begin());
    runtime::renumber(spec_.wanted, spec_.held, mesh_sizes_, other_.data());
    return other_.data();
  }

  KernelLaunches pack_blocks() {
    KernelLaunches launches(runtime::pack(spec_, runtime::block_elements(spec_)));
    for (std::int64_t i = 0; i < x_.shards->count(); ++i) {
      const std::int64_t* coordinates = x_.shards->coordinates(i);
      launches.add({source(coordinates, 0)}, {packed(coordinates, 0)}, coordinates);
    }
    launches.seal();
    return launches;
  }

  KernelLaunches combine_blocks(bool from_packed) {
    KernelLaunches launches(CombineSpec{spec_.dtype, spec_.combine, runtime::block_elements(spec_),
                                        static_cast<int>(spec_.group_size)});
    std::vector<const void*> sources(static_cast<std::size_t>(spec_.group_size));
    for (std::int64_t i = 0; i < y_.shards->count(); ++i) {
      const std::int64_t* mine = y_.shards->coordinates(i);
      const std::int64_t block = spec_.source_step == 0 ? 0 : group_.number(mine);
      for (std::int64_t r = 0; r < spec_.group_size; ++r) {
        const std::int64_t* other = member_beside(mine, r);
        sources[static_cast<std::size_t>(r)] =
            from_packed ? packed(other, block) : source(other, block);
      }
      launches.add(sources, {y_.shard(i)}, mine);
    }
    launches.seal();
    return launches;
  }

  KernelLaunches move_blocks() {
    KernelLaunches launches(runtime::transfer(spec_));
    const bool permutes = spec_.kind == ExchangeSpec::Kind::permute;
    for (std::int64_t i = 0; i < y_.shards->count(); ++i) {
      const std::int64_t* mine = y_.shards->coordinates(i);
      const std::int64_t block = group_.number(mine);
      for (std::int64_t r = 0; r < (permutes ? 1 : spec_.group_size); ++r) {
        const std::int64_t* other = permutes ? sender_to(mine) : member_beside(mine, r);
        launches.add({source(other, block)}, {y_.shard(i) + r * spec_.result_step * size_}, mine);
      }
    }
    launches.seal();
    return launches;
  }

  const ExchangeSpec& spec_;
  const Buffer &x_, &y_;
  std::byte* scratch_;
  const std::vector<std::int64_t> mesh_sizes_;
  const RowMajor group_;
  std::vector<std::int64_t> other_;  // coordinates of another processor
  std::int64_t size_, block_;
};

}  // namespace

std::vector<KernelLaunches> simulated_launches(const Mesh& mesh, const ExchangeSpec& spec,
                                               const Buffer& operand, const Buffer& result,
                                               std::byte* scratch) {
  return LaunchBuilder(mesh, spec, operand, result, scratch).build();
}

std::int64_t simulated_scratch_bytes(const ExchangeSpec& spec, const DistinctShards& operand) {
  if (spec.kind != ExchangeSpec::Kind::reduce_scatter || runtime::source_blocks_dense(spec))
    return 0;
  return operand.count() * spec.source_elements * static_cast<std::int64_t>(size_of(spec.dtype));
}

}  // namespace mtfc::backends
