#include "runtime/blocks.h"
#include "runtime/extents.h"
#include "runtime/kernels.h"

namespace mtfc::runtime {
namespace {

std::vector<Dim> dims_of(const std::vector<ContractSpec::Factor>& factors) {
  std::vector<Dim> dims;
  for (const auto& f : factors) dims.push_back({f.extent, {f.a, f.b, f.c}});
  return dims;
}

double element(const void* x, DType dtype, std::int64_t at) {
  double loaded = 0, wide = 0;
  blocks().loads[static_cast<int>(dtype)](
      &loaded, static_cast<const char*>(x) + at * bytes_of(dtype), 1, 0, 1, 1);
  blocks().casts[static_cast<int>(DType::f64)][static_cast<int>(repr_of(dtype))](&wide, &loaded, 1);
  return wide;
}

void set(void* y, DType dtype, std::int64_t at, double value) {
  double cast = 0;
  blocks().casts[static_cast<int>(dtype)][static_cast<int>(Repr::f64)](&cast, &value, 1);
  blocks().stores[static_cast<int>(dtype)](static_cast<char*>(y) + at * bytes_of(dtype), &cast, 1);
}

}  // namespace

// Plain loops, until the product library is behind this.
void contract(Pool&, const ContractSpec& spec, const Call* calls, int count) {
  std::vector<Dim> outer = dims_of(spec.batch);
  for (const Dim& d : dims_of(spec.m)) outer.push_back(d);
  for (const Dim& d : dims_of(spec.n)) outer.push_back(d);
  const std::vector<Dim> inner = dims_of(spec.k);
  const std::int64_t results = product(outer), length = product(inner);
  for (int c = 0; c < count; ++c) {
    for (std::int64_t i = 0; i < results; ++i) {
      const Walk a(outer, outer.size(), 0, i), b(outer, outer.size(), 1, i);
      double sum = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        sum += element(calls[c].inputs[0], spec.a,
                       a.offset() + Walk(inner, inner.size(), 0, k).offset()) *
               element(calls[c].inputs[1], spec.b,
                       b.offset() + Walk(inner, inner.size(), 1, k).offset());
      }
      set(calls[c].outputs[0], spec.c, Walk(outer, outer.size(), 2, i).offset(), sum);
    }
  }
}

const char* product_library() { return "plain"; }

}  // namespace mtfc::runtime
