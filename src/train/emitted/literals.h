// Short words for what emitted programs are made of, so that they can be read.
#pragma once
#include <initializer_list>
#include <vector>

#include "comm/exchange_spec.h"
#include "support/scalar.h"

namespace mtfc::runtime::words {

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

/// A bucket of tensors that are of a few kinds: tensor number i is of kind number which[i].
inline std::vector<ExchangeSpec> bucket_of(const std::vector<ExchangeSpec>& kinds,
                                           std::initializer_list<std::size_t> which) {
  std::vector<ExchangeSpec> bucket;
  for (const std::size_t kind : which) bucket.push_back(kinds[kind]);
  return bucket;
}

}  // namespace mtfc::runtime::words
