#include "support/not_finite.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/half_bits.h"
#include "support/row_major.h"
#include "support/strides.h"

namespace mtfc {
namespace {

template <class Element, class ToFloat>
NotFinite worst(const void* elements, std::int64_t count, ToFloat to_float) {
  const auto* values = static_cast<const Element*>(elements);
  NotFinite found = NotFinite::none;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = to_float(values[i]);
    if (std::isfinite(value)) continue;
    if (std::isnan(value)) return NotFinite::not_a_number;
    found = NotFinite::infinite;
  }
  return found;
}

}  // namespace

NotFinite worst_of(DType dtype, const void* elements, std::int64_t count) {
  switch (dtype) {
    case DType::f32:
      return worst<float>(elements, count, [](float value) { return value; });
    case DType::f64:
      return worst<double>(elements, count, [](double value) { return value; });
    case DType::f16:
      return worst<std::uint16_t>(elements, count, runtime::widen_f16);
    case DType::bf16:
      return worst<std::uint16_t>(elements, count, runtime::widen_bf16);
    case DType::i32:
    case DType::boolean:
      return NotFinite::none;
  }
  return NotFinite::none;
}

NotFinite worst_of_block(DType dtype, const void* elements,
                         const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& block) {
  if (product(block) == 0) return NotFinite::none;
  if (extents == block) return worst_of(dtype, elements, product(block));
  std::vector<std::int64_t> outer = block;
  outer.back() = 1;
  const RowMajor rows(outer);
  const std::vector<std::int64_t> strides = dense_strides(extents);
  std::vector<std::int64_t> at(block.size());
  NotFinite worst = NotFinite::none;
  for (std::int64_t row = 0; row < rows.count() && worst != NotFinite::not_a_number; ++row) {
    rows.locate(row, at.data());
    const std::int64_t begin =
        std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0});
    const auto* bytes =
        static_cast<const std::byte*>(elements) + begin * static_cast<std::int64_t>(size_of(dtype));
    worst = std::max(worst, worst_of(dtype, bytes, block.back()));
  }
  return worst;
}

const char* name(NotFinite kind) {
  return kind == NotFinite::infinite ? "infinite" : "not a number";
}

}  // namespace mtfc
