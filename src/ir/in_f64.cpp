#include "ir/in_f64.h"

#include <algorithm>

namespace mtfc {
namespace {

/// Of the fields of an instruction, and of those of instructions in it, scalar programs and types.
template <class F>
struct FieldTypes {
  F& f;
  void operator()(std::string_view, auto&& field) const {
    if constexpr (requires { field.front().dtype; })
      for (auto& scalar : field) f(scalar.dtype);
    else if constexpr (requires { field.front().tensor; })
      for (auto& type : field) f(type.tensor.dtype);
    else if constexpr (requires { field.front().kind; })
      for (auto& step : field) std::decay_t<decltype(step)>::fields(step, *this);
    else if constexpr (requires { field.index(); })
      std::visit([this](auto& kind) { std::decay_t<decltype(kind)>::fields(kind, *this); }, field);
  }
};

/// Calls f with each element type of the module.
template <class AnyModule, class F>
void each_dtype(AnyModule& module, F&& f) {
  for (auto& variable : module.variables) f(variable.type.tensor.dtype);
  for (auto& input : module.inputs) f(input.type.tensor.dtype);
  const auto each_field = [&](auto& kind) {
    std::decay_t<decltype(kind)>::fields(kind, FieldTypes<F>{f});
  };
  for (auto& program : module.programs) {
    for (auto& value : program.values) f(value.type.tensor.dtype);
    for (auto& instruction : program.instructions) std::visit(each_field, instruction.kind);
  }
}

}  // namespace

double rounding_unit(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x1p-53;
    case DType::f32:
      return 0x1p-24;
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

Module with_floats(Module module, DType dtype) {
  each_dtype(module, [dtype](DType& each) {
    if (is_float(each)) each = dtype;
  });
  return module;
}

double rounding_unit(const Module& module) {
  double unit = rounding_unit(DType::f64);
  each_dtype(module, [&](DType dtype) { unit = std::max(unit, rounding_unit(dtype)); });
  return unit;
}

}  // namespace mtfc
