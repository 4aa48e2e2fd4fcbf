#include "lowering/graph/gradient_norm.h"

#include <algorithm>

namespace mtfc::lowering {

using optim::Term;

ValueId wide(ops::Builder& build, ValueId x) {
  const DType dtype = build.type(x).dtype;
  return build.cast(x, is_half(dtype) ? DType::f32 : dtype);
}

Term sum_of_squares(ops::Builder& build, const std::vector<Trained>& trained) {
  const bool in_f64 = std::any_of(trained.begin(), trained.end(), [&](const Trained& one) {
    return build.type(one.differentiated).dtype == DType::f64;
  });
  // First all squares, then their sum: those of split gradients are reduced in one message.
  std::vector<Term> squares;
  for (const Trained& one : trained) {
    const Term each = square(Term{&build, wide(build, one.differentiated)});
    const Term sum{&build, build.reduce_to(Combine::sum, each.id, {})};
    squares.push_back(cast(sum, in_f64 ? DType::f64 : DType::f32));
  }
  Term total = squares[0];
  for (std::size_t i = 1; i < squares.size(); ++i) total = total + squares[i];
  return total;
}

}  // namespace mtfc::lowering
