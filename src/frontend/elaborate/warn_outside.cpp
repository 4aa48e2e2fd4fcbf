// Windows that do not fit what they read: outputs of a convolution or a pool that are too many, and
// read what is outside, or too few, so that the end is not read.
#include "frontend/elaborate/warn_outside.h"

#include <algorithm>

#include "frontend/elaborate/report.h"

namespace mtfc::elab {

namespace {

/// The largest index of `along` at which some index of the others reaches into a dimension of this
/// size; its scale is positive.
std::int64_t last_inside(const Context& cx, std::int64_t size, const Affine& sites,
                         const Affine::Term& along) {
  std::int64_t low = sites.begin;
  for (const Affine::Term& term : sites.terms)
    if (term.dim != along.dim)
      low += std::min<std::int64_t>(term.scale * (cx.dims().size(term.dim) - 1), 0);
  return low > size - 1 ? -1 : (size - 1 - low) / along.scale;
}

/// Whether it numbers the outputs: it comes from the block's caller and is the largest.
bool is_output(const Context& cx, const Affine& sites, const Affine::Term& along) {
  const Dim& dim = cx.dims()[along.dim];
  const Frame& frame = *cx.now.scope->frame;
  if (frame.root && (dim.scope + ".").starts_with(frame.root->dim_path + ".")) return false;
  return sites.terms.size() > 1 &&
         std::all_of(sites.terms.begin(), sites.terms.end(), [&](const Affine::Term& term) {
           return cx.dims().size(term.dim) <= dim.size;
         });
}

/// The largest index that is read; all scales are positive.
std::int64_t last_read(const Context& cx, const Affine& sites) {
  std::int64_t last = sites.begin;
  for (const Affine::Term& term : sites.terms) last += term.scale * (cx.dims().size(term.dim) - 1);
  return last;
}

/// A whole step at least that one output more would read; without a stride, what is left out at the
/// end may be a shift or a crop, unless it is much.
void warn_unread(Context& cx, DimId dim, const Affine& sites, const Affine::Term& along,
                 Span span) {
  const std::int64_t size = cx.dims().size(dim), last = last_read(cx, sites);
  const std::int64_t unread = size - 1 - last;
  if (last < 0 || unread < along.scale || (along.scale == 1 && 3 * unread < size)) return;
  const std::string name = "`" + cx.dims()[along.dim].name + "`";
  const std::string read = "`" + cx.dims()[dim].name + "`";
  const std::int64_t outputs = cx.dims().size(along.dim);
  report(cx, diag(DiagKind::window_unread, "the last " + std::to_string(unread) + " of " +
                                               std::to_string(size) + " indices of " + read +
                                               " are read by no output")
                 .at(span)
                 .note(name + " is " + std::to_string(outputs) + ", in steps of " +
                       std::to_string(along.scale) + ": the last output reads up to index " +
                       std::to_string(last) + " of " + read)
                 .help("give the block a larger stride, or " + name + " a larger size"));
}

}  // namespace

void warn_outside(Context& cx, DimId dim, const Affine& sites, Span span) {
  const std::int64_t size = cx.dims().size(dim);
  const bool ahead = std::all_of(sites.terms.begin(), sites.terms.end(),
                                 [](const Affine::Term& term) { return term.scale > 0; });
  for (const Affine::Term& term : sites.terms) {
    if (ahead && is_output(cx, sites, term)) warn_unread(cx, dim, sites, term, span);
    // Without a stride what is outside is a shift, or padding.
    if (term.scale < 2 || !is_output(cx, sites, term)) continue;
    const std::int64_t last = last_inside(cx, size, sites, term);
    const std::int64_t outputs = cx.dims().size(term.dim);
    if (last >= outputs - 1) continue;
    const std::string name = "`" + cx.dims()[term.dim].name + "`";
    const std::string read = "`" + cx.dims()[dim].name + "`";
    report(cx, diag(DiagKind::window_outside,
                    "the last indices of " + name + " read only what is outside " + read)
                   .at(span)
                   .note(name + " is " + std::to_string(outputs) + ", of which the first " +
                         std::to_string(last + 1) + " reach into " + read + ", which is " +
                         std::to_string(size) + ", in steps of " + std::to_string(term.scale))
                   .help("give " + name + " another size, or the block another stride"));
    return;
  }
}

}  // namespace mtfc::elab
