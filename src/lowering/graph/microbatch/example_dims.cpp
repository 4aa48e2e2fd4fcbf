#include "lowering/graph/microbatch/example_dims.h"

#include "lowering/graph/microbatch/on_microbatch.h"
#include "ops/view.h"

#include <algorithm>
#include <optional>

namespace mtfc::lowering {

namespace {

class Finding {
 public:
  Finding(const Model& model, std::int64_t count, Diagnostics& diagnostics)
      : model_(model), count_(count), diagnostics_(diagnostics) {}

  std::vector<ExampleDim> run() {
    for (const Input& input : model_.inputs) {
      if (input.type.dims.empty()) continue;
      const DimId dim = input.type.dims[0];
      if (find(dim)) continue;
      if (model_.dims.size(dim) % count_ != 0) report_size(dim);
      found_.push_back({dim, {}, 1, {}});
    }
    // What examples are merged into comes before what they are split into: the same dimensions may
    // be split off again, which changes nothing.
    do {
      while (each_view(&Finding::follow)) {
      }
    } while (each_view(&Finding::split));
    each_view(&Finding::check);
    return std::move(found_);
  }

 private:
  const ExampleDim* find(DimId dim) const {
    for (const ExampleDim& d : found_) {
      if (d.batch == dim) return &d;
    }
    return nullptr;
  }

  bool add(DimId dim, std::int64_t inner, DimList merged = {}) {
    found_.push_back({dim, {}, inner, std::move(merged)});
    return true;
  }

  /// True if some view added a dimension.
  bool each_view(bool (Finding::*rule)(const Operation&, const DimList&, const DimList&)) {
    bool any = false;
    for (const Operation& op : model_.train.ops) {
      const auto* groups = ops::view_groups(op);
      if (!groups) continue;
      for (const DimGroup& g : *groups) {
        const bool merges = g.from.size() > 1;
        any = (this->*rule)(op, merges ? g.from : g.to, merges ? g.to : g.from) || any;
      }
    }
    return any;
  }

  DimList carriers(const DimList& list) const {
    DimList carry;
    for (DimId dim : list) {
      if (find(dim)) carry.push_back(dim);
    }
    return carry;
  }
  /// Positions of one index of the dimension, those behind it being minor.
  std::int64_t stride(const DimList& several, DimId of) const {
    std::int64_t stride = 1;
    for (std::size_t i = several.size(); several[--i] != of;)
      stride *= model_.dims.size(several[i]);
    return stride;
  }

  /// Renames, both ways; several dimensions of which one carries, into one.
  bool follow(const Operation&, const DimList& several, const DimList& one) {
    const DimList carry = carriers(several);
    const ExampleDim* single = find(one[0]);
    if (several.size() == 1 && carry.empty() && single) {
      const ExampleDim same = *single;
      return add(several[0], same.inner, same.merged);
    }
    if (single || carry.size() != 1) return false;
    const ExampleDim same = *find(carry[0]);
    if (several.size() == 1) return add(one[0], same.inner, same.merged);
    return add(one[0], same.inner * stride(several, carry[0]),
               same.inner == 1 ? several : DimList{});
  }

  /// Of several dimensions that one with examples is split into: the one along which they lie.
  /// None: what a micro-batch has does not begin and end where these do.
  std::optional<ExampleDim> part_of(const ExampleDim& single, const DimList& several) const {
    for (DimId dim : several) {
      const std::int64_t each = stride(several, dim), all = each * model_.dims.size(dim);
      if (single.inner % each == 0 && all % (single.inner * count_) == 0)
        return ExampleDim{dim, {}, single.inner / each, {}};
    }
    return std::nullopt;
  }

  bool split(const Operation&, const DimList& several, const DimList& one) {
    const ExampleDim* single = find(one[0]);
    if (!single || !carriers(several).empty()) return false;
    const std::optional<ExampleDim> part = part_of(*single, several);
    return part && add(part->batch, part->inner);
  }

  /// What was found from two sides must be the same.
  bool check(const Operation& op, const DimList& several, const DimList& one) {
    const ExampleDim* single = find(one[0]);
    const DimList carry = carriers(several);
    if (!single && carry.size() < 2) return false;
    const std::optional<ExampleDim> part = single ? part_of(*single, several) : std::nullopt;
    const bool same = carry.size() == 1 && part && part->batch == carry[0] &&
                      part->inner == find(carry[0])->inner;
    if (same) return false;
    if (carry.empty())
      report_split(op, several, *single);
    else
      diagnostics_.report(diag(DiagKind::not_on_microbatches,
                               "this view mixes the examples of " + microbatches_text())
                              .at(op.origin.span, "no micro-batch has what stands together here")
                              .help(without_microbatches));
    return false;
  }

  void report_split(const Operation& op, const DimList& several, const ExampleDim& single) {
    const DimId minor = several.back();
    Diagnostic d =
        diag(DiagKind::not_on_microbatches, "this split cannot be made on " + microbatches_text());
    if (single.inner == 1)
      d.at(op.origin.span, "`" + name(minor) + "` = " + size(minor) + " is not divisible by " +
                               std::to_string(count_));
    else
      d.at(op.origin.span, "no micro-batch has what stands together here");
    const std::string run =
        single.inner == 1 ? "position" : "run of " + std::to_string(single.inner) + " positions";
    d.note("of `" + name(single.batch) + "` a micro-batch has one " + run + " in " +
           std::to_string(count_));
    d.help(without_microbatches);
    diagnostics_.report(std::move(d));
  }

  const std::string& name(DimId dim) const { return model_.dims[dim].name; }
  std::string size(DimId dim) const { return std::to_string(model_.dims.size(dim)); }
  std::string microbatches_text() const { return std::to_string(count_) + " micro-batches"; }

  void report_size(DimId dim) {
    const std::int64_t whole = model_.dims.size(dim);
    std::string divisors;
    for (std::int64_t n = 2; n <= std::min<std::int64_t>(whole, 64); ++n)
      if (whole % n == 0) divisors += (divisors.empty() ? "" : ", ") + std::to_string(n);
    Diagnostic d = diag(DiagKind::wrong_setting,
                        "a batch of " + size(dim) + " cannot be split into " + microbatches_text());
    d.at(model_.settings.microbatches_span,
         "`" + name(dim) + "` = " + size(dim) + " is not divisible by " + std::to_string(count_));
    if (model_.dims[dim].declared.valid()) d.also(model_.dims[dim].declared, "the batch");
    if (!divisors.empty()) d.help("it can be split into " + divisors);
    diagnostics_.report(std::move(d));
  }

  const Model& model_;
  const std::int64_t count_;
  Diagnostics& diagnostics_;
  std::vector<ExampleDim> found_;
};

}  // namespace

std::vector<ExampleDim> find_example_dims(const Model& model, std::int64_t count,
                                          Diagnostics& diagnostics) {
  return Finding(model, count, diagnostics).run();
}

}  // namespace mtfc::lowering
