// Tensors: the types of what meets, static values becoming tensors, what a value depends on.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// The builder; what it builds comes from `span`.
ops::Builder& build_at(Context& cx, Span span);
/// The value, or poison (reported) if it is too large.
Val checked_tensor(Context& cx, ValueId id, Span span);
/// Of an operand that is an input of no written type: `: int` as help and repair. False: it is
/// none.
bool propose_int_input(Context& cx, Diagnostic& d, Span operand);
const Dims& dims_of(const Context& cx, const Val& val);
inline const TensorType& type_of(const Context& cx, const Operand& operand) {
  return cx.build.type(*operand.val.tensor());
}

/// The type in which the operands meet. Numbers take the type of the tensors; alone they are int
/// if all are whole, else f32. Absent if they do not go together (reported) or one is poison.
std::optional<DType> common_type(Context& cx, const std::vector<Operand>& operands);
std::optional<std::vector<ValueId>> unify(Context& cx, const std::vector<Operand>& operands);
std::optional<ValueId> as_tensor(Context& cx, const Operand& operand, DType dtype);
std::optional<ValueId> as_tensor(Context& cx, const Operand& operand);  // of its own type
/// A float tensor, made of a number if it is one. Ints and bools are errors.
std::optional<ValueId> as_float(Context& cx, const Operand& operand, const std::string& what);
/// The number as an element of `dtype`; reported if it is none.
std::optional<double> constant_of(Context& cx, const Number& number, DType dtype, Span span);
/// A static number, or for bools a static bool, as an element of `dtype`.
std::optional<double> constant_operand(Context& cx, const Operand& operand, DType dtype,
                                       const std::string& what);
/// Whether it is a number or tensor that arithmetic takes: not bool, not a string. Else reported.
bool is_numeric(Context& cx, const Operand& operand, const std::string& what);

/// Whether inputs, or parameters, go into a value.
bool depends_on_data(Context& cx, ValueId id);
bool depends_on_parameters(Context& cx, ValueId id);

// ---------------------------------------------------------------- precision.cpp
/// The type that a written one means: `precision = f64` makes all floats f64.
inline DType computed_type(const Context& cx, DType dtype) {
  return cx.session.master == DType::f64 && is_float(dtype) ? DType::f64 : dtype;
}
inline bool mixed_precision(const Context& cx) { return is_half(cx.session.activation); }
/// A parameter or input as the model computes with it.
ValueId to_activation(Context& cx, ValueId id, Span span);
/// What is added up, in the type of the sum. The sum yields; nobody asked for it to be f32.
ValueId widened(Context& cx, ValueId id, Span span);
/// An f32 value that the model did not ask for: where it meets a half one, the result is half.
bool yields(Context& cx, ValueId id);
/// What a declaration with a type takes: for f32 a half value becomes f32, as it asks; for a half
/// type what yields becomes half.
Operand as_written(Context& cx, const Operand& operand, DType dtype);
/// The type that is written after `:`. Absent if nothing is written, or no type (reported).
std::optional<DType> declared_type(Context& cx, const std::optional<ast::Name>& name);

}  // namespace mtfc::elab
