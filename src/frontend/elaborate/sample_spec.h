// What is written after `~`: a distribution with its numbers.
#pragma once
#include <optional>
#include <string_view>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

struct SampleSpec {
  Distribution distribution{};
  double a = 0, b = 0;
  DType dtype = DType::f32;
  Dims rows, columns;  // of an orthogonal matrix, made of the samples; b is its gain
};

/// Samples and initialisers: they stand after `~` only.
bool is_sample(std::string_view name);
/// Absent: reported. Initial values know fan_in, he, glorot and orthogonal as well.
std::optional<SampleSpec> sample_spec(Context& cx, ast::ExprId id, bool initial);

}  // namespace mtfc::elab
