#include "backends/execute/replicas.h"

#include <cstdint>
#include <cstring>

#include "ir/text.h"
#include "support/half_bits.h"

namespace mtfc::backends {
namespace {

template <class Float>
bool is_nan(const std::byte* at) {
  Float value;
  std::memcpy(&value, at, sizeof value);
  return value != value;
}
template <float widen(std::uint16_t)>
bool is_nan_of_half(const std::byte* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return widen(bits) != widen(bits);
}

bool is_nan(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::f32:
      return is_nan<float>(at);
    case DType::f64:
      return is_nan<double>(at);
    case DType::f16:
      return is_nan_of_half<runtime::widen_f16>(at);
    case DType::bf16:
      return is_nan_of_half<runtime::widen_bf16>(at);
    case DType::i32:
    case DType::boolean:
      return false;
  }
  return false;
}

/// Every processor's shard against the one that stands for it when processors share.
std::string compare(const Module& module, const ShardType& type, const Buffer& shared,
                    const Buffer& all) {
  const auto count = static_cast<std::size_t>(shard_elements(module.dims, module.mesh, type));
  for (std::int64_t i = 0; i < all.shards->count(); ++i) {
    const std::int64_t* coordinates = all.shards->coordinates(i);
    if (!same_values(type.tensor.dtype, all.shard(i), shared.at(coordinates), count))
      return "processor (" + coordinates_text(module.mesh, coordinates) + ")";
  }
  return "";
}

}  // namespace

bool same_values(DType dtype, const std::byte* a, const std::byte* b, std::size_t count) {
  const std::size_t size = size_of(dtype);
  if (std::memcmp(a, b, count * size) == 0) return true;
  for (std::size_t i = 0; i < count; ++i, a += size, b += size)
    if (std::memcmp(a, b, size) != 0 && !(is_nan(dtype, a) && is_nan(dtype, b))) return false;
  return true;
}

std::string run_and_compare(runtime::Pool& pool, const Module& module, Executable& shared,
                            Executable& all, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched) {
  const Program& program = shared.program();
  std::vector<runtime::Fetched> ignored;
  std::string differs;
  shared.begin();
  all.begin();
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    all.blank(i);
    shared.step(pool, i, feeds, ignored);
    all.step(pool, i, feeds, fetched);
    for (ValueId id : program.instructions[i].results) {
      if (!differs.empty()) break;
      const std::string where =
          compare(module, program.at(id).type, shared.buffer(id), all.buffer(id));
      if (!where.empty())
        differs = "program " + program.name + ", instruction " + std::to_string(i) + ": " + where +
                  " differs from its replicas or from the shared run: " +
                  print(program, program.instructions[i], module);
    }
  }
  shared.finish(pool);
  all.finish(pool);
  return differs;
}

}  // namespace mtfc::backends
