#include "support/not_finite.h"

#include <cmath>

#include "support/half_bits.h"

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

const char* name(NotFinite kind) {
  return kind == NotFinite::infinite ? "infinite" : "not a number";
}

}  // namespace mtfc
