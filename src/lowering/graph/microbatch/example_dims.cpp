#include "lowering/graph/microbatch/example_dims.h"
#include "ops/view.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

using Kind = ExampleDim::Kind;

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
      found_.push_back({dim, {}, Kind::examples, {}});
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

  bool add(DimId dim, Kind kind, DimList merged = {}) {
    found_.push_back({dim, {}, kind, std::move(merged)});
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

  /// Renames, both ways; several dimensions of which one carries, into one.
  bool follow(const Operation&, const DimList& several, const DimList& one) {
    const DimList carry = carriers(several);
    const ExampleDim* single = find(one[0]);
    if (several.size() == 1 && carry.empty() && single) {
      const ExampleDim same = *single;
      return add(several[0], same.kind, same.merged);
    }
    if (single || carry.size() != 1) return false;
    const ExampleDim same = *find(carry[0]);
    if (several.size() == 1) return add(one[0], same.kind, same.merged);
    return same.kind == Kind::examples ? add(one[0], Kind::merged, several)
                                       : add(one[0], Kind::other);
  }

  /// One into several: every n-th example is every n-th position of the minor part.
  bool split(const Operation& op, const DimList& several, const DimList& one) {
    const ExampleDim* single = find(one[0]);
    if (!single || !carriers(several).empty()) return false;
    const DimId minor = several.back();
    if (model_.dims.size(minor) % count_ != 0) {
      diagnostics_.report(
          diag(DiagKind::not_on_microbatches, "this split cannot be made on " + microbatches_text())
              .at(op.origin.span, "`" + name(minor) + "` = " + size(minor) +
                                      " is not divisible by " + std::to_string(count_))
              .note("a micro-batch has every " + std::to_string(count_) + "th position of `" +
                    name(one[0]) + "`"));
    }
    return add(minor, single->kind == Kind::examples ? Kind::examples : Kind::other);
  }

  /// What was found from two sides must be the same.
  bool check(const Operation& op, const DimList& several, const DimList& one) {
    const ExampleDim* single = find(one[0]);
    const DimList carry = carriers(several);
    if (!single || several.size() == 1) return false;
    const bool again = single->merged == several;
    const bool minor = carry == DimList{several.back()};
    if (carry.size() == 1 && (again || minor || single->kind == Kind::other)) return false;
    diagnostics_.report(diag(DiagKind::not_on_microbatches,
                             "this view mixes the examples of " + microbatches_text())
                            .at(op.origin.span, "no micro-batch has what stands together here"));
    return false;
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
