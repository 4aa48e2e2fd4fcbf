#include "lowering/graph/pad_dims.h"

#include <algorithm>
#include <set>

#include "layout/uneven.h"
#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "ops/literals.h"
#include "ops/op.h"
#include "ops/slice.h"
#include "ops/view.h"

namespace mtfc::lowering {

namespace {

/// Attributes with other dimensions in the place of some.
struct Renamed {
  const PaddedDims& to;
  const std::set<DimId>& but;  // stay as they are

  DimId operator()(DimId dim) const {
    const auto found = to.find(dim);
    return found == to.end() || but.contains(dim) ? dim : found->second;
  }
  DimList operator()(DimList list) const {
    for (DimId& dim : list) dim = (*this)(dim);
    return list;
  }
  std::vector<WindowItem> operator()(std::vector<WindowItem> items) const {
    for (WindowItem& item : items) {
      item.dim = (*this)(item.dim);
      for (Affine::Term& term : item.at.terms) term.dim = (*this)(term.dim);
    }
    return items;
  }
  template <class Other>
  Other operator()(Other value) const {
    return value;
  }
};

Attrs renamed(const Attrs& attrs, const Renamed& rename) {
  Attrs result;
  for (const auto& attr : attrs.all())
    std::visit([&](const auto& v) { result.set(attr.first, AttrValue(rename(v))); }, attr.second);
  return result;
}

class DimPadder {
 public:
  DimPadder(const Graph& graph, const DimTable& dims, const PaddedDims& to)
      : graph_(graph), dims_(dims), to_(to), build_(result_, dims), now_(graph.values.size()) {
    result_.name = graph.name;
    for (const auto& [dim, padded] : to) whole_[padded] = dim;
  }

  Graph run() {
    for (const Operation& op : graph_.ops) rewrite(op);
    carry_over(graph_, result_, [&](ValueId old) { return now_[old.at()]; });
    for (Output& output : result_.outputs) output.value = leaving(output);
    return std::move(result_);
  }

 private:
  void rewrite(const Operation& op) {
    build_.follow(op);
    std::vector<ValueId> operands;
    for (ValueId old : op.operands) operands.push_back(now_[old.at()]);
    std::vector<ValueId> results;
    if (const auto* groups = ops::view_groups(op))
      results = {view(operands[0], *groups)};
    else
      results = apply(op, std::move(operands));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Value& old = graph_.at(op.results[i]);
      results[i] = padded(results[i], old.type.dims);
      if (!old.name.empty()) build_.set_name(results[i], old.name);
      now_[op.results[i].at()] = results[i];
    }
  }

  /// The operation on padded dimensions, but for those that it needs whole.
  std::vector<ValueId> apply(const Operation& op, std::vector<ValueId> operands) {
    const ops::OpDef& def = ops::op_of(op);
    const ops::Factors factors = def.factors(op, graph_);
    const ops::Padding padding = def.padding ? def.padding(op) : ops::Padding{};
    std::set<DimId> whole;
    for (const ops::Factor& f : factors.list) {
      for (std::size_t i = 0; i < f.operands.size(); ++i) {
        const auto found = to_.find(f.operands[i]);
        if (found == to_.end()) continue;
        if (const auto value = value_in_padding(op, factors, f, i))
          operands[i] = filled_once(operands[i], found->second, *value);
        else if (f.role == ops::Role::replicated)
          operands[i] = cut(operands[i], found->second), whole.insert(found->first);
      }
      if (f.role == ops::Role::replicated && to_.contains(f.result) &&
          !contains(padding.dims, f.result))
        whole.insert(f.result);
    }
    const auto results = build_.apply_many(op.op, operands, renamed(op.attrs, Renamed{to_, whole}));
    if (results.size() == 1) note_zeros(op, operands, results[0]);
    return results;
  }

  /// A group whose sizes still agree stays; the others are cut, and padded again by the caller.
  ValueId view(ValueId x, const std::vector<DimGroup>& groups) {
    std::vector<DimGroup> now;
    const Renamed rename{to_, {}};
    for (const DimGroup& g : groups) {
      const DimGroup all{rename(g.from), rename(g.to)};
      if (agree(g, all)) {
        now.push_back(all);
        continue;
      }
      for (const DimId dim : all.from)
        if (whole_.contains(dim)) x = cut(x, dim);
      now.push_back(g);
    }
    const DimList zeros = zeros_[x];
    const ValueId y = build_.view(x, now);
    for (DimId dim : zeros)
      if (contains(build_.type(y).dims, dim)) zeros_[y].push_back(dim);
    return y;
  }

  /// Elements keep their indices: only the major dimension may have become larger.
  bool agree(const DimGroup& before, const DimGroup& after) const {
    if (elements(dims_, after.from) != elements(dims_, after.to)) return false;
    const auto minor_alike = [](const DimList& a, const DimList& b) {
      return std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
    };
    return minor_alike(before.from, after.from) && minor_alike(before.to, after.to);
  }

  /// x without the padding of one dimension.
  ValueId cut(ValueId x, DimId padded) {
    const ValueId y = build_.slice(x, padded, 0, whole_.at(padded));
    zeros_[y] = without(zeros_[x], {padded});
    return y;
  }

  /// x with padding where the result is to have it and x has it not.
  ValueId padded(ValueId x, const DimList& result) {
    for (DimId dim : result) {
      const auto found = to_.find(dim);
      if (found == to_.end() || !contains(build_.type(x).dims, dim)) continue;
      const ValueId y = ops::pad(build_, x, dim, 0, found->second);
      zeros_[y] = zeros_[x];
      zeros_[y].push_back(found->second);
      x = y;
    }
    return x;
  }

  /// x with a value in the padding of one dimension, unless it is known to be there.
  ValueId filled_once(ValueId x, DimId padded, double value) {
    if (value == 0 && contains(zeros_[x], padded)) return x;
    const ValueId y = filled(build_, x, inside(build_, padded), value);
    if (value == 0) {
      zeros_[y] = zeros_[x];
      zeros_[y].push_back(padded);
    }
    return y;
  }

  /// In which padding a result is zero because its operands are.
  void note_zeros(const Operation& op, const std::vector<ValueId>& operands, ValueId result) {
    const ops::OpDef& def = ops::op_of(op);
    using ops::Kind;
    const double* constant = ops::constant_value(op);
    const bool starts = def.kind == Kind::variable || def.kind == Kind::field ||
                        (constant != nullptr && *constant == 0);
    const bool keeps =
        def.kind == Kind::copy || (def.kind == Kind::elementwise && def.scalar &&
                                   evaluate(*def.scalar, build_.type(operands[0]).dtype, 0) == 0);
    if (!starts && !keeps) return;
    for (DimId dim : build_.type(result).dims)
      if (whole_.contains(dim) &&
          (starts || std::all_of(operands.begin(), operands.end(),
                                 [&](ValueId operand) { return contains(zeros_[operand], dim); })))
        zeros_[result].push_back(dim);
  }

  /// Variables with zeros in the padding, tensors without it.
  ValueId leaving(const Output& output) {
    ValueId value = output.value;
    build_.follow(result_.producer(value));
    const bool stays =
        output.kind == Output::Kind::variable || output.kind == Output::Kind::accumulate;
    for (DimId dim : DimList(build_.type(value).dims))
      if (whole_.contains(dim)) value = stays ? filled_once(value, dim, 0) : cut(value, dim);
    return value;
  }

  const Graph& graph_;
  const DimTable& dims_;
  const PaddedDims& to_;
  PaddedDims whole_;  // the other way round
  Graph result_;
  ops::Builder build_;
  std::vector<ValueId> now_;          // what stands for a value
  std::map<ValueId, DimList> zeros_;  // by value: dimensions whose padding is known to be zero
};

/// The layout says of padded dimensions what it says of those without padding, and of these no
/// more.
void hand_over(Assignment& assignment, const PaddedDims& to) {
  for (const auto& [dim, padded] : to)
    if (dim.at() < assignment.dims.size()) assignment.dims[dim.at()] = {};
  for (Assignment::Scope& scope : assignment.scopes)
    for (auto& split : scope.splits)
      if (const auto found = to.find(split.dim); found != to.end()) split.dim = found->second;
}

}  // namespace

Graph pad_dims(const Graph& graph, const DimTable& dims, const PaddedDims& to) {
  return DimPadder(graph, dims, to).run();
}

void pad_dims(State& s) {
  PaddedDims to;
  for (const Uneven& uneven : uneven_dims(s.model.dims, s.model.variables, s.assignment)) {
    Dim dim = padded_dim(s.model.dims, uneven.dim, uneven.size);
    const Assignment::Entry entry = s.assignment.entry(uneven.dim);
    to[uneven.dim] = s.assignment.add_dim(s.model.dims, std::move(dim), entry);
  }
  if (to.empty()) return;
  hand_over(s.assignment, to);
  for (Graph& graph : s.made.graphs) graph = pad_dims(graph, s.model.dims, to);
  for (Variable& v : s.model.variables) v.type.dims = padded_dims(v.type.dims, to);
  for (Input& input : s.model.inputs) input.type.dims = padded_dims(input.type.dims, to);
}

}  // namespace mtfc::lowering
