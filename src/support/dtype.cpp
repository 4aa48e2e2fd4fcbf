#include "support/dtype.h"

#include <array>
#include <limits>

#include "support/check.h"
#include "support/text.h"

namespace mtfc {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Row, 6> rows = {{{DType::f32, "f32", 4},
                                      {DType::f64, "f64", 8},
                                      {DType::f16, "f16", 2},
                                      {DType::bf16, "bf16", 2},
                                      {DType::i32, "int", 4},
                                      {DType::boolean, "bool", 1}}};

const Row& row(DType dtype) {
  const auto at = static_cast<std::size_t>(dtype);
  MTFC_CHECK(at < rows.size() && rows[at].dtype == dtype, "rows must stand in the enum's order");
  return rows[at];
}

}  // namespace

std::string_view name(DType dtype) { return row(dtype).name; }
std::size_t size_of(DType dtype) { return row(dtype).bytes; }

std::optional<DType> dtype_named(std::string_view name) {
  for (const Row& r : rows)
    if (r.name == name) return r.dtype;
  return std::nullopt;
}

std::vector<std::string> dtype_names() { return names_of(rows); }

std::optional<DType> wider(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  if (a == DType::f32 || b == DType::f32) return DType::f32;
  return std::nullopt;
}

double largest(DType dtype) {
  if (dtype == DType::f16) return 65504.0;
  if (dtype == DType::bf16) return 3.3895313892515355e38;
  if (dtype == DType::f32) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

}  // namespace mtfc
