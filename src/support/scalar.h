// Scalar programs: what a map computes for one element. A short straight-line list in SSA form.
#pragma once
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace mtfc {

/// One row each in scalar_ops.def, which says what they compute.
enum class ScalarOp : std::uint8_t {
#define MTFC_SCALAR_OP(name, ...) name,
#include "support/scalar_ops.def"
#undef MTFC_SCALAR_OP
};

/// What the operands of a scalar operation may be. All have one type.
enum class ScalarTypes : std::uint8_t {
  floats,
  numbers,  // floats and int
  ordered,  // numbers; bool too, where false < true: reductions of bool
  compare,  // any type; the result is bool
  logic,    // bool
  any,
};
enum class Rounding : std::uint8_t { exact, rounds };

struct ScalarOpRow {
  std::string_view name;
  int arity;
  ScalarTypes types;
  Rounding rounding;
};
/// In the order of ScalarOp.
inline constexpr ScalarOpRow scalar_op_rows[] = {
#define MTFC_SCALAR_OP(name, arity, types, rounding, form) \
  {#name, arity, ScalarTypes::types, Rounding::rounding},
#include "support/scalar_ops.def"
#undef MTFC_SCALAR_OP
};
inline constexpr int scalar_op_count = static_cast<int>(std::size(scalar_op_rows));

constexpr const ScalarOpRow& row(ScalarOp op) { return scalar_op_rows[static_cast<int>(op)]; }
constexpr std::string_view name(ScalarOp op) { return row(op).name; }
constexpr int arity(ScalarOp op) { return row(op).arity; }
/// Whether operands of this type are taken (of select: as the second and third).
constexpr bool takes(ScalarOp op, DType dtype) {
  const ScalarTypes types = row(op).types;
  if (types == ScalarTypes::floats) return is_float(dtype);
  if (types == ScalarTypes::numbers) return dtype != DType::boolean;
  return types != ScalarTypes::logic || dtype == DType::boolean;
}
constexpr bool gives_bool(ScalarOp op) {
  return row(op).types == ScalarTypes::compare || row(op).types == ScalarTypes::logic;
}
std::optional<ScalarOp> scalar_op_named(std::string_view name);

/// The form of `op` for operands of this type: floats in f64, int with wrap-around, bool as 0
/// and 1. NaN if the type is not taken. The type of a select is that of its second and third
/// argument; a cast gives its argument.
double evaluate(ScalarOp op, DType dtype, double a, double b = 0, double c = 0);

enum class LeafKind : std::uint8_t {
  none,      // not a leaf: `op` applied to `args`
  operand,   // element of the map's operand number `leaf`
  constant,  // `value`
  index,     // global position along index leaf number `leaf` (table beside the program)
  random,    // random sample number `leaf` (table beside the program)
};

struct ScalarInstruction {
  LeafKind kind = LeafKind::none;
  ScalarOp op{};             // if kind == none
  DType dtype = DType::f32;  // of the value produced; arithmetic is done in this type (f16 and bf16
                             // in f32, rounded where a value is stored, compared or cast)
  int args[3] = {-1, -1, -1};  // numbers of earlier instructions
  int leaf = -1;
  double value = 0;
  friend bool operator==(const ScalarInstruction&, const ScalarInstruction&) = default;
};

/// How instructions are written by hand.
namespace scalar {
inline ScalarInstruction leaf(LeafKind kind, int number, DType dtype) {
  ScalarInstruction made;
  made.kind = kind;
  made.leaf = number;
  made.dtype = dtype;
  return made;
}
inline ScalarInstruction operand(int number, DType dtype) {
  return leaf(LeafKind::operand, number, dtype);
}
inline ScalarInstruction index(int number, DType dtype) {
  return leaf(LeafKind::index, number, dtype);
}
inline ScalarInstruction random(int number, DType dtype) {
  return leaf(LeafKind::random, number, dtype);
}
inline ScalarInstruction constant(double value, DType dtype) {
  ScalarInstruction made = leaf(LeafKind::constant, -1, dtype);
  made.value = value;
  return made;
}
inline ScalarInstruction op(ScalarOp op, DType dtype, int a, int b = -1, int c = -1) {
  ScalarInstruction made;
  made.op = op;
  made.dtype = dtype;
  made.args[0] = a;
  made.args[1] = b;
  made.args[2] = c;
  return made;
}
}  // namespace scalar

struct ScalarProgram {
  std::vector<ScalarInstruction> code;
  std::vector<int> results;  // numbers of the instructions that are the map's results, in order
  friend bool operator==(const ScalarProgram&, const ScalarProgram&) = default;
};

/// Distributions of a random leaf.
enum class Distribution : std::uint8_t {
  uniform,           // in [a, b)
  normal,            // mean 0, standard deviation a
  truncated_normal,  // the same, cut at two standard deviations of the untruncated normal and
                     // rescaled so that the standard deviation of what is drawn is a
  integers,          // i32, uniform in 0 .. a-1
  bernoulli,         // bool, true with probability a
};
std::string_view name(Distribution distribution);
std::optional<Distribution> distribution_named(std::string_view name);

}  // namespace mtfc
