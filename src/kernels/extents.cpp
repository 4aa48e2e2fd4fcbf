#include "kernels/extents.h"

#include "support/check.h"

namespace mtfc::runtime {
namespace {

bool even(const Dim& outer, const Dim& inner) {
  for (std::size_t t = 0; t < outer.strides.size(); ++t) {
    if (outer.strides[t] != inner.strides[t] * inner.extent) return false;
  }
  return true;
}

}  // namespace

std::vector<Dim> merged(const std::vector<Dim>& dims) {
  std::vector<Dim> result;
  for (const Dim& dim : dims) {
    if (dim.extent == 1) continue;
    if (!result.empty() && even(result.back(), dim)) {
      result.back().extent *= dim.extent;
      result.back().strides = dim.strides;
    } else {
      result.push_back(dim);
    }
  }
  return result;
}

std::int64_t product(const std::vector<Dim>& dims) {
  std::int64_t size = 1;
  for (const Dim& dim : dims) size *= dim.extent;
  return size;
}

Walk::Walk(const std::vector<Dim>& dims, std::size_t rank, std::size_t tensor,
           std::int64_t position)
    : dims_(&dims), rank_(rank), tensor_(tensor) {
  MTFC_CHECK(rank <= kMaxRank, "too many dimensions");
  for (std::size_t d = rank; d-- > 0;) {
    index_[d] = position % extent(d);
    position /= extent(d);
    offset_ += index_[d] * stride(d);
  }
}

void Walk::advance(std::int64_t steps) {
  if (rank_ == 0) return;
  std::size_t d = rank_ - 1;
  index_[d] += steps;
  offset_ += steps * stride(d);
  while (d > 0 && index_[d] == extent(d)) {
    offset_ -= extent(d) * stride(d);
    index_[d] = 0;
    --d;
    ++index_[d];
    offset_ += stride(d);
  }
}

}  // namespace mtfc::runtime
