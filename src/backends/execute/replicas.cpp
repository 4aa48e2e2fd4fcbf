#include "backends/execute/replicas.h"

#include <cstring>

#include "ir/text.h"

namespace mtfc::backends {
namespace {

/// Every processor's shard against the one that stands for it when processors share.
std::string compare(const Module& module, const ShardType& type, const Buffer& shared,
                    const Buffer& all) {
  const auto bytes = static_cast<std::size_t>(shard_elements(module.dims, module.mesh, type)) *
                     size_of(type.tensor.dtype);
  for (std::int64_t i = 0; i < all.shards->count(); ++i) {
    const std::int64_t* coordinates = all.shards->coordinates(i);
    if (std::memcmp(all.shard(i), shared.at(coordinates), bytes) != 0)
      return "processor (" + coordinates_text(module.mesh, coordinates) + ")";
  }
  return "";
}

}  // namespace

std::string run_and_compare(runtime::Pool& pool, const Module& module, Executable& shared,
                            Executable& all, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched) {
  const Program& program = shared.program();
  std::vector<runtime::Fetched> ignored;
  shared.begin();
  all.begin();
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    all.blank(i);
    shared.step(pool, i, feeds, ignored);
    all.step(pool, i, feeds, fetched);
    for (ValueId id : program.instructions[i].results) {
      const std::string where =
          compare(module, program.at(id).type, shared.buffer(id), all.buffer(id));
      if (!where.empty())
        return "program " + program.name + ", instruction " + std::to_string(i) + ": " + where +
               " differs from its replicas or from the shared run: " +
               print(program, program.instructions[i], module);
    }
  }
  shared.finish(pool);
  all.finish(pool);
  return "";
}

}  // namespace mtfc::backends
