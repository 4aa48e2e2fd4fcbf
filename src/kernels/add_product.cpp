#include "kernels/add_product.h"

#include <algorithm>

#include "kernels/contract_pieces.h"
#include "kernels/copy.h"
#include "kernels/element_loops.h"
#include "kernels/map.h"
#include "kernels/scratch.h"

namespace mtfc::runtime {
namespace {

/// Where the output is not the sum's memory, the sum is copied there.
void bring_sums(Pool& pool, const ContractSpec& product, const Call* calls, int count) {
  CopySpec spec;
  spec.element_size = static_cast<std::size_t>(bytes_of(product.c));
  spec.extents = {product.c_size};
  spec.x_strides = spec.y_strides = {1};
  for (int i = 0; i < count; ++i) {
    const void* sum = calls[i].inputs[2];
    if (sum == calls[i].outputs[0]) continue;
    const Call one{&sum, calls[i].outputs, calls[i].coordinates};
    copy(pool, spec, &one, 1);
  }
}

std::int64_t bytes_aside(const ContractSpec& product) {
  return round_up(product.c_size * bytes_of(product.c), 64);
}

/// The products by themselves, then the sums.
void add_afterwards(Pool& pool, const ContractSpec& product, const Call* calls, int count) {
  thread_local Scratch memory;
  const std::int64_t bytes = bytes_aside(product);
  char* const room = memory.take(static_cast<std::size_t>(bytes * count));
  MapSpec add;
  add.extents = {product.c_size};
  add.operands = {{product.c, {1}}, {product.c, {1}}};
  add.body.code = {scalar::operand(0, product.c), scalar::operand(1, product.c),
                   scalar::op(ScalarOp::add, product.c, 0, 1)};
  add.body.results = {2};
  const auto calls_in_all = static_cast<std::size_t>(count);
  std::vector<void*> made(calls_in_all);
  std::vector<const void*> terms(2 * calls_in_all);
  std::vector<Call> making(calls, calls + count), adding(calls, calls + count);
  for (std::size_t i = 0; i < calls_in_all; ++i) {
    made[i] = room + bytes * static_cast<std::int64_t>(i);
    making[i].outputs = &made[i];
    terms[2 * i] = calls[i].inputs[2];
    terms[2 * i + 1] = made[i];
    adding[i].inputs = &terms[2 * i];
  }
  contract(pool, product, making.data(), count);
  map(pool, add, adding.data(), count);
}

}  // namespace

void add_to_sum(Pool& pool, const ContractSpec& product, const Call* calls, int count) {
  if (!can_add(product)) {
    const auto most = static_cast<int>(std::clamp<std::int64_t>(
        kMostCopyBytes / std::max<std::int64_t>(1, bytes_aside(product)), 1, count));
    for (int begin = 0; begin < count; begin += most)
      add_afterwards(pool, product, calls + begin, std::min(most, count - begin));
    return;
  }
  bring_sums(pool, product, calls, count);
  contract_onto(pool, product, calls, count);
}

double flops(const AddProductSpec& spec) { return flops(spec.product); }

void add_product(Pool& pool, const AddProductSpec& spec, const Call* calls, int count) {
  if (*static_cast<const std::int32_t*>(calls[0].inputs[3]) == 0)
    return contract(pool, spec.product, calls, count);
  add_to_sum(pool, spec.product, calls, count);
}

}  // namespace mtfc::runtime
