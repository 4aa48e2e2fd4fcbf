// Windows that lie outside: the output of a convolution or a pool is larger than what it reads.
#include <algorithm>

#include "frontend/elaborate/report.h"
#include "frontend/elaborate/warn_products.h"

namespace mtfc::elab {

namespace {

/// Indices of `term` at which some place of the window is inside, if all others take any value.
struct Inside {
  std::int64_t first, last;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

Inside inside(const Context& cx, std::int64_t size, const Affine& sites, DimId along,
              std::int64_t scale) {
  std::int64_t low = sites.begin, high = sites.begin;
  for (const Affine::Term& term : sites.terms) {
    if (term.dim == along) continue;
    const std::int64_t end = term.scale * (cx.dims().size(term.dim) - 1);
    low += std::min<std::int64_t>(end, 0), high += std::max<std::int64_t>(end, 0);
  }
  // high + scale * i >= 0 and low + scale * i < size.
  if (scale > 0) return {-floor_div(high, scale), floor_div(size - 1 - low, scale)};
  return {-floor_div(size - 1 - low, -scale), floor_div(high, -scale)};
}

}  // namespace

void warn_outside(Context& cx, DimId dim, const Affine& sites, Span span) {
  const std::int64_t size = cx.dims().size(dim);
  for (const Affine::Term& term : sites.terms) {
    const Dim& along = cx.dims()[term.dim];
    // What a block declares itself are the places of its window: of a small image some are outside.
    if (term.scale == 0 || along.size == 1 || along.scope == cx.now.scope->dim_path) continue;
    const auto [first, last] = inside(cx, size, sites, term.dim, term.scale);
    if (first <= 0 && last >= along.size - 1) continue;
    const std::string name = "`" + along.name + "`";
    const std::int64_t fits = std::max<std::int64_t>(
        0, std::min(last, along.size - 1) - std::max<std::int64_t>(first, 0) + 1);
    report(cx, diag(DiagKind::window_outside, "places of the result along " + name +
                                                  " read only what is outside `" +
                                                  cx.dims()[dim].name + "`")
                   .at(span)
                   .note(name + " is " + std::to_string(along.size) + ", of which " +
                         std::to_string(fits) + " reach into `" + cx.dims()[dim].name +
                         "`, which is " + std::to_string(size))
                   .help("give " + name + " another size, or the block another stride or pad"));
    return;
  }
}

}  // namespace mtfc::elab
