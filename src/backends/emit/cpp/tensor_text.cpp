#include "backends/emit/cpp/tensor_text.h"

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"
#include "bind/sharded_tensor.h"

namespace mtfc::backends {

std::string tensor_text(const Context& context, const ShardType& type, int indent) {
  const runtime::net::ShardedTensor tensor = sharded_tensor(context, type);
  return block(
      "",
      {".dtype = " + dtype_text(tensor.dtype), ".extents = " + numbers(tensor.extents),
       ".stored_extents = " + numbers(tensor.stored_extents),
       ".shard_extents = " + numbers(tensor.shard_extents), ".slice = " + copy_text(tensor.slice),
       ".assemble = " + copy_text(tensor.assemble), ".varying = " + numbers(tensor.varying),
       ".partial = " + numbers(tensor.partial), ".combine = " + reduce_kind_text(tensor.combine)},
      indent);
}

}  // namespace mtfc::backends
