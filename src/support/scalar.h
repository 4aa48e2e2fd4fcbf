// Scalar programs: what a map computes for one element. A short straight-line list in SSA form.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace mtfc {

/// One row each in scalar_ops.def: name and number of arguments. Semantics are given there.
enum class ScalarOp : std::uint8_t {
#define MTFC_SCALAR_OP(name, arity) name,
#include "support/scalar_ops.def"
#undef MTFC_SCALAR_OP
};
std::string_view name(ScalarOp op);
int arity(ScalarOp op);
std::optional<ScalarOp> scalar_op_named(std::string_view name);

enum class LeafKind : std::uint8_t {
  none,      // not a leaf: `op` applied to `args`
  operand,   // element of the map's operand number `leaf`
  constant,  // `value`
  index,     // global position along index leaf number `leaf` (table beside the program)
  random,    // draw number `leaf` (table beside the program)
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

struct ScalarProgram {
  std::vector<ScalarInstruction> code;
  std::vector<int> results;  // numbers of the instructions that are the map's results, in order
  friend bool operator==(const ScalarProgram&, const ScalarProgram&) = default;
};

/// Distributions of a random leaf.
enum class Draw : std::uint8_t {
  uniform,           // in [a, b)
  normal,            // mean 0, standard deviation a
  truncated_normal,  // the same, cut at two standard deviations of the untruncated normal and
                     // rescaled so that the standard deviation of what is drawn is a
  integers,          // i32, uniform in 0 .. a-1
  bernoulli,         // bool, true with probability a
};
std::string_view name(Draw draw);
std::optional<Draw> draw_named(std::string_view name);

}  // namespace mtfc
