// Whether a value differs along a dimension that it has, masks apart.
#include <algorithm>
#include <map>

#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/warn_products.h"
#include "ops/op.h"

namespace mtfc::elab {

namespace {

/// What a value is along one dimension.
struct Along {
  enum Kind {
    same,    // every element is the same
    masked,  // the same, or a large negative number
    differs
  } kind = differs;
  ValueId what;  // the value without the dimension; not valid if that is known before the run
};

/// Follows a value to what it is made of. Gives up (`differs`) on what is too long to follow.
class Follower {
 public:
  Follower(const Context& cx, DimId dim) : cx_(cx), dim_(dim) {}

  Along of(ValueId id) { return of(id, dim_, 0); }

 private:
  static constexpr int most_steps = 2000, most_depth = 200;
  static constexpr double mask_value = -1e4;  // f16 has no -1e9

  Along of(ValueId id, DimId dim, int depth) {
    const auto [known, fresh] = known_.try_emplace({id, dim});
    if (!fresh) return known->second;
    if (++steps_ > most_steps || depth > most_depth) return {};
    const Along found = follow(id, dim, depth + 1);
    return known_[{id, dim}] = found;
  }

  const Operation& producer(ValueId id) const { return cx_.graph.producer(id); }

  Along follow(ValueId id, DimId dim, int depth) {
    if (!contains(cx_.build.type(id).dims, dim)) {
      const bool is_known = id.at() < cx_.depends.size() && cx_.depends[id.at()] == 0;
      return {Along::same, is_known ? ValueId{} : id};
    }
    const Operation& op = producer(id);
    const ops::OpDef& def = ops::op_of(op);
    if (op.op == "constant") return {Along::same, {}};
    if (op.op == "broadcast") return of(op.operands[0], dim, depth);
    if (op.op == "select") return of_choice(op, dim, depth);
    if (is_mask_term(op)) return {Along::masked, {}};
    if (def.kind == ops::Kind::literal || op.operands.empty()) return {};
    return of_factor(op, def, dim, depth);
  }

  /// Of the operands that have the index: parallel ones and renamed ones.
  Along of_factor(const Operation& op, const ops::OpDef& def, DimId dim, int depth) {
    for (const ops::Factor& factor : def.factors(op, cx_.graph).list) {
      if (factor.result != dim || factor.role != ops::Role::parallel) continue;
      Along all{Along::same, {}};
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const DimId own = i < factor.operands.size() ? factor.operands[i] : DimId{};
        const Along one = of(op.operands[i], own.valid() ? own : dim, depth);
        all = joined(all, one);
      }
      const bool keeps = op.op == "add" || op.op == "sub" || op.op == "mul" || op.op == "div" ||
                         op.op == "cast" || op.op == "stop_gradient";
      if (all.kind == Along::masked && !keeps) return {};
      return all;
    }
    return {};
  }

  Along joined(const Along& a, const Along& b) const {
    if (a.kind == Along::differs || b.kind == Along::differs) return {};
    // Of two values the one with more dimensions says more.
    const auto rank = [&](ValueId id) {
      return id.valid() ? 1 + cx_.build.type(id).dims.size() : std::size_t{0};
    };
    return {std::max(a.kind, b.kind), rank(a.what) >= rank(b.what) ? a.what : b.what};
  }

  /// where(mask, x, -1e9), either way round.
  Along of_choice(const Operation& op, DimId dim, int depth) {
    const ValueId yes = op.operands[1], no = op.operands[2];
    const Along condition = of(op.operands[0], dim, depth);
    const Along a = of(yes, dim, depth), b = of(no, dim, depth);
    if (condition.kind == Along::same) return joined(a, b);
    const Along& kept = is_large_negative(no) ? a : b;
    if (!is_large_negative(no) && !is_large_negative(yes)) return {};
    return kept.kind == Along::differs ? Along{} : Along{Along::masked, kept.what};
  }

  const double* constant(ValueId id) const {
    const Operation& op = producer(id);
    if (op.op == "broadcast" || op.op == "cast") return constant(op.operands[0]);
    return op.op == "constant" ? std::get_if<double>(op.attrs.find("value")) : nullptr;
  }
  bool is_large_negative(ValueId id) const {
    const double* value = constant(id);
    return value && *value <= mask_value;
  }

  /// f32(mask), or 1 - that.
  bool is_mask(ValueId id) const {
    const Operation& op = producer(id);
    if (op.op == "cast")
      return cx_.build.type(op.operands[0]).dtype == DType::boolean || is_mask(op.operands[0]);
    return op.op == "sub" && constant(op.operands[0]) && is_mask(op.operands[1]);
  }
  /// (1 - f32(mask)) * -1e9: added to what it masks.
  bool is_mask_term(const Operation& op) const {
    if (op.op != "mul") return false;
    const ValueId a = op.operands[0], b = op.operands[1];
    return (is_large_negative(a) && is_mask(b)) || (is_large_negative(b) && is_mask(a));
  }

  const Context& cx_;
  const DimId dim_;
  int steps_ = 0;
  std::map<std::pair<ValueId, DimId>, Along> known_;
};

/// The dimension of `what` that the missing one is a rename of, as far as sizes show.
DimId renamed_from(const Context& cx, ValueId what, DimId missing) {
  const Dim& wanted = cx.dims()[missing];
  DimId alike;
  for (DimId dim : cx.build.type(what).dims) {
    const Dim& have = cx.dims()[dim];
    if (have.size != wanted.size) continue;
    if (wanted.formula == have.name || have.formula == wanted.name) return dim;
    if (!alike.valid()) alike = dim;
  }
  return alike;
}

void warn(Context& cx, const CallSite& site, DimId dim, const Along& found) {
  const std::string name = cx.dims()[dim].name;
  const std::string call = site.call->callee.text;
  const std::string where = found.kind == Along::masked ? "allowed position" : "position";
  Diagnostic d =
      diag(DiagKind::same_values,
           "`" + call + "` over `" + name + "` of values that are the same along `" + name + "`")
          .at(site.span, "every " + where + " gets the same weight");
  const Operation& made = cx.graph.producer(found.what);
  const std::string dims = show(cx, cx.build.type(found.what).dims) + ": no `" + name + "`";
  if (made.origin.span.valid() && !(made.origin.span == site.span))
    d.labels.push_back({made.origin.span, dims, false});
  else
    d.notes.push_back("the values are " + dims);
  if (found.kind == Along::masked) d.notes.push_back("only the mask has `" + name + "`");
  const DimId from = renamed_from(cx, found.what, dim);
  d.helps.push_back(from.valid()
                        ? "rename the keys just before the product, after rotary positions if they "
                          "have these: `k[" +
                              cx.dims()[from].name + " -> " + name + "]`"
                        : "give one side of the product the dimension `" + name +
                              "`, by a rename `x[other -> " + name + "]`");
  report(cx, std::move(d));
}

}  // namespace

void warn_same_values(Context& cx, const CallSite& site, ValueId x) {
  depends_on_data(cx, x);  // brings cx.depends up to here
  for (DimId dim : *site.over) {
    if (cx.dims().size(dim) == 1) return;
    const Along found = Follower(cx, dim).of(x);
    if (found.kind == Along::differs || !found.what.valid()) return;
    if (dim == site.over->back()) warn(cx, site, dim, found);
  }
}

}  // namespace mtfc::elab
