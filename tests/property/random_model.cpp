#include "random_model.h"

#include <random>

#include "lowering/graph/microbatch/split_batch.h"
#include "ops/builder.h"
#include "ops/concat.h"
#include "ops/top_k.h"

namespace mtfc::test {

namespace {

constexpr std::int64_t kLargest = 3000;  // elements of a tensor

class Generator {
 public:
  Generator(std::uint64_t seed, int operations, Extras extras)
      : random_(seed), regions_(seed + 1), operations_(operations), extras_(extras) {
    for (auto [name, size] : {std::pair{"a", 4},
                              {"a2", 4},
                              {"b", 6},
                              {"b2", 6},
                              {"c", 2},
                              {"c2", 2},
                              {"d", 8},
                              {"e", 12},
                              {"s", 3},
                              {"batch", 8}}) {
      Dim dim;
      dim.name = name;
      dim.size = size;
      model_.dims.add(dim);
    }
    model_.path = "random.mtf";
    model_.train.name = "train";
    model_.init.name = "init";
  }

  Model run() {
    ops::Builder b(model_.train, model_.dims);
    b_ = &b;
    for (int i = 0; i < 3; ++i) parameter();
    if (extras_.examples) {
      input("x", {dim("batch"), dim("a")});
      input("y", {dim("batch"), dim("b"), dim("c")});
    }
    for (int i = 0; i < operations_; ++i) {
      b.role.block = std::to_string(i);
      if (extras_.recompute) b.role.recompute = next_region(b.role.recompute);
      const ValueId made = operation();
      if (made.valid() && elements(model_.dims, b.type(made).dims) <= kLargest) {
        b.set_name(made, "v" + std::to_string(i));
        values_.push_back(made);
      }
    }
    ValueId loss;
    for (ValueId v : values_) {
      const ValueId term = b.mean(b.unary("tanh", v), b.type(v).dims, std::nullopt);
      loss = loss.valid() ? b.binary("add", loss, term) : term;
    }
    model_.train.outputs.push_back({Output::Kind::loss, "loss", loss});
    return std::move(model_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  DimId dim(const char* name) { return *model_.dims.find_unique(name); }
  ValueId any() {
    return values_[static_cast<std::size_t>(pick(static_cast<int>(values_.size())))];
  }
  ValueId num(double v) { return b_->constant(v, DType::f64); }

  DimList some_of(const DimList& from, int chance) {
    DimList list;
    for (DimId d : from) {
      if (pick(100) < chance) list.push_back(d);
    }
    return list;
  }

  void parameter() {
    DimList dims;
    static const char* names[] = {"a", "b", "c", "d", "e", "a2"};
    for (const char* name : names) {
      if (pick(3) == 0 && elements(model_.dims, dims) * model_.dims.size(dim(name)) <= 400) {
        dims.push_back(dim(name));
      }
    }
    Variable v;
    v.path = "p" + std::to_string(model_.variables.size());
    v.type = {DType::f64, dims};
    ops::Builder init(model_.init, model_.dims);
    const ValueId draw = init.random(Distribution::normal, 1, 0,
                                     static_cast<std::int64_t>(random_()), v.type, false);
    model_.init.outputs.push_back({Output::Kind::variable, v.path, draw});
    model_.variables.push_back(v);
    values_.push_back(b_->read(v.path, v.type));
    b_->set_name(values_.back(), v.path);
  }

  void input(const char* name, DimList dims) {
    const TensorType type{DType::f64, std::move(dims)};
    model_.inputs.push_back({name, type, name, "", {}});
    values_.push_back(b_->input(name, type));
    b_->set_name(values_.back(), name);
  }

  /// Goes on, goes into a new region or leaves one.
  int next_region(int region) {
    std::vector<int>& parents = model_.recompute_parents;
    const auto what = regions_() % 4;
    if (what == 0) return region;
    if (what == 1) return parents[static_cast<std::size_t>(region)];
    parents.push_back(region);
    return static_cast<int>(parents.size()) - 1;
  }

  ValueId operation() {
    switch (pick(29)) {
      case 0:
      case 1:
        return unary();
      case 2:
      case 3:
      case 4:
        return binary();
      case 5:
      case 6:
      case 7:
      case 8:
        return einsum();
      case 9:
        return reduction();
      case 10:
        return normalise();
      case 11:
        return rename();
      case 12:
      case 13:
        return regroup();
      case 14:
        return slice();
      case 15:
      case 16:
        return gather();
      case 17:
        return cross_entropy();
      case 18:
        return choose();
      case 19:
        return sample();
      case 20:
        return parameter_again();
      case 21:
      case 22:
      case 23:
        return window();
      case 24:
        return running_sum();
      case 25:
        return largest();
      case 26:
      case 27:
        return join();
      default:
        return weighted_mean();
    }
  }

  ValueId unary() {
    static const char* names[] = {"tanh",   "sigmoid", "sin", "cos", "softplus",   "gelu", "silu",
                                  "square", "neg",     "abs", "erf", "leaky_relu", "elu",  "relu"};
    const ValueId x = any();
    return b_->unary(names[pick(14)], b_->unary("tanh", x));
  }

  ValueId binary() {
    const ValueId x = any(), y = any();
    static const char* names[] = {"add", "sub", "mul", "max", "min"};
    const int k = pick(6);
    if (k < 5) return small(b_->binary(names[k], x, y));
    return small(b_->binary("div", x, b_->binary("add", num(2), b_->unary("sigmoid", y))));
  }
  ValueId small(ValueId x) {
    return elements(model_.dims, b_->type(x).dims) <= kLargest ? x : ValueId{};
  }

  ValueId einsum() {
    std::vector<ValueId> operands{any(), any()};
    if (pick(4) == 0) operands.push_back(any());
    DimList all;
    for (ValueId id : operands) all = union_of(all, b_->type(id).dims);
    if (all.size() > 6) return {};
    DimList to = some_of(all, 55);
    if (pick(2) == 0) std::reverse(to.begin(), to.end());
    const ValueId sum = b_->einsum_to(operands, to);
    return b_->binary("mul", sum, num(1.0 / static_cast<double>(1 + all.size())));
  }

  ValueId reduction() {
    const ValueId x = any();
    const DimList over = some_of(b_->type(x).dims, 50);
    if (over.empty()) return {};
    static const Combine kinds[] = {Combine::sum, Combine::max, Combine::min};
    return b_->reduce(kinds[pick(3)], x, over);
  }

  ValueId normalise() {
    const ValueId x = any();
    const DimList over = some_of(b_->type(x).dims, 50);
    if (over.empty()) return {};
    switch (pick(3)) {
      case 0:
        return b_->softmax(x, over);
      case 1:
        return b_->log_softmax(x, over);
      default:
        return b_->logsumexp(x, over);
    }
  }

  ValueId rename() {
    const ValueId x = any();
    const DimList& have = b_->type(x).dims;
    std::vector<DimGroup> groups;
    for (auto [from, to] :
         {std::pair{"a", "a2"}, {"a2", "a"}, {"b", "b2"}, {"b2", "b"}, {"c", "c2"}, {"c2", "c"}}) {
      const bool swaps = contains(have, dim(to));
      if (contains(have, dim(from)) && !swaps && pick(2) == 0) {
        groups.push_back({{dim(from)}, {dim(to)}});
      }
    }
    for (auto [one, other] : {std::pair{"a", "a2"}, {"b", "b2"}, {"c", "c2"}}) {
      if (!contains(have, dim(one)) || !contains(have, dim(other)) || pick(2) == 0) continue;
      groups.push_back({{dim(one)}, {dim(other)}});
      groups.push_back({{dim(other)}, {dim(one)}});
    }
    return groups.empty() ? ValueId{} : b_->view(x, groups);
  }

  ValueId regroup() {
    const ValueId x = any();
    const DimList& have = b_->type(x).dims;
    struct Pair {
      const char *whole, *major, *minor;
    };
    for (const Pair& p :
         {Pair{"d", "c", "a"}, Pair{"d", "a2", "c2"}, Pair{"e", "c", "b"}, Pair{"e", "b2", "c"}}) {
      const bool both = contains(have, dim(p.major)) && contains(have, dim(p.minor));
      const bool none = !contains(have, dim(p.major)) && !contains(have, dim(p.minor));
      if (pick(2) == 0) continue;
      if (both && !contains(have, dim(p.whole))) {
        return b_->view(x, {{{dim(p.major), dim(p.minor)}, {dim(p.whole)}}});
      }
      if (none && contains(have, dim(p.whole))) {
        return b_->view(x, {{{dim(p.whole)}, {dim(p.major), dim(p.minor)}}});
      }
    }
    return {};
  }

  ValueId slice() {
    const ValueId x = any();
    for (DimId d : b_->type(x).dims) {
      if (model_.dims.size(d) < 3 || d == dim("s") || contains(b_->type(x).dims, dim("s")))
        continue;
      return b_->slice(x, d, pick(static_cast<int>(model_.dims.size(d)) - 2), dim("s"));
    }
    return {};
  }

  /// Positions that go a little out of range on both sides.
  ValueId positions(DimId along, std::int64_t size) {
    const ValueId i = b_->index(along);
    const ValueId scaled = b_->binary("mul", i, b_->constant(1 + pick(4), DType::i32));
    const ValueId wrapped =
        b_->binary("mod", scaled, b_->constant(static_cast<double>(size + 2), DType::i32));
    return b_->binary("sub", wrapped, b_->constant(1, DType::i32));
  }

  ValueId gather() {
    const ValueId x = any();
    const DimList have = b_->type(x).dims;
    if (have.empty()) return {};
    const DimId d = have[static_cast<std::size_t>(pick(static_cast<int>(have.size())))];
    static const char* names[] = {"a", "b2", "c", "s", "e"};
    const DimId along = dim(names[pick(5)]);
    if (along == d && pick(2) == 0) return {};
    return small(
        b_->gather(x, {d}, {positions(along, model_.dims.size(d))}, pick(3) == 0 ? 0.25 : 0));
  }

  /// One or two dimensions read at places that are affine in some others, or in themselves.
  ValueId window() {
    const ValueId x = any();
    const DimList have = b_->type(x).dims;
    std::vector<WindowItem> items;
    for (DimId d : have) {
      if (items.size() == 2 || pick(3) == 0) continue;
      WindowItem item{d, {pick(5) - 2, {}}};
      static const char* names[] = {"a", "b2", "c", "s", "e"};
      for (DimId along : {d, dim(names[pick(5)]), dim(names[pick(5)])}) {
        bool again = pick(3) == 0;
        for (const Affine::Term& term : item.at.terms) again = again || term.dim == along;
        if (!again) item.at.terms.push_back({along, pick(6) - 2});
      }
      items.push_back(std::move(item));
    }
    if (items.empty()) return {};
    return small(b_->window(x, std::move(items), pick(3) == 0 ? 0.25 : 0));
  }

  ValueId running_sum() {
    const ValueId x = any();
    const DimList have = b_->type(x).dims;
    if (have.empty()) return {};
    const DimId d = have[static_cast<std::size_t>(pick(static_cast<int>(have.size())))];
    const Attrs how = {{"dim", DimList{d}}, {"exclusive", pick(2) == 0}, {"reverse", pick(2) == 0}};
    return b_->binary("mul", b_->apply("cumsum", {x}, how), num(0.3));
  }

  ValueId largest() {
    const ValueId x = any();
    for (DimId d : b_->type(x).dims) {
      const DimId ranks = pick(3) == 0 ? d : dim(pick(2) ? "s" : "c2");
      const bool twice = contains(without(b_->type(x).dims, {d}), ranks);
      if (twice || model_.dims.size(ranks) > model_.dims.size(d) || pick(2) == 0) continue;
      const int more = static_cast<int>(model_.dims.size(d) - model_.dims.size(ranks));
      return b_->gather(x, {d}, {ops::top_k(*b_, x, d, ranks, pick(2) ? pick(more + 1) : 0)}, 0);
    }
    return {};
  }

  /// b, b2 -> e, or a, a2 -> d, of one value and itself under another name; c from two values.
  ValueId join() {
    const ValueId x = any();
    const DimList& have = b_->type(x).dims;
    for (auto [one, two, all] : {std::tuple{"b", "b2", "e"}, {"a", "a2", "d"}}) {
      if (!contains(have, dim(one)) || contains(have, dim(two)) || contains(have, dim(all)))
        continue;
      const ValueId y = b_->view(b_->unary("tanh", x), {{{dim(one)}, {dim(two)}}});
      return ops::concat(*b_, {x, y}, {dim(one), dim(two)}, dim(all));
    }
    if (contains(have, dim("c"))) return {};
    return small(ops::concat(*b_, {x, b_->unary("sin", x)}, {}, dim("c")));
  }

  ValueId cross_entropy() {
    const ValueId x = any();
    const DimList have = b_->type(x).dims;
    if (have.empty()) return {};
    const DimId v = have[static_cast<std::size_t>(pick(static_cast<int>(have.size())))];
    DimId along = dim("a");
    if (along == v) along = dim("b");
    const ValueId t =
        b_->binary("mod", b_->index(along),
                   b_->constant(static_cast<double>(model_.dims.size(v)), DType::i32));
    return small(b_->cross_entropy(x, t, v, pick(2) ? 0.1 : 0, pick(2) ? 0.01 : 0));
  }

  ValueId choose() {
    const ValueId x = any(), y = any();
    return small(b_->where(b_->binary("gt", x, num(0.1)), x, b_->binary("mul", y, num(0.5))));
  }

  ValueId sample() {
    const ValueId x = any();
    const ValueId u = b_->random(Distribution::uniform, 0, 1, static_cast<std::int64_t>(random_()),
                                 {DType::f64, b_->type(x).dims}, true);
    return b_->where(b_->binary("ge", u, num(0.3)), x, num(0));
  }

  /// A parameter used twice has a gradient that is added up.
  ValueId parameter_again() {
    const ValueId x = values_[static_cast<std::size_t>(pick(3))];
    return small(b_->binary("mul", x, any()));
  }

  ValueId weighted_mean() {
    const ValueId x = any();
    const DimList over = some_of(b_->type(x).dims, 60);
    if (over.empty()) return {};
    const ValueId w = b_->binary("lt", b_->index(over[0]), b_->constant(3, DType::i32));
    return b_->mean(x, over, w);
  }

  std::mt19937_64 random_, regions_;
  int operations_;
  const Extras extras_;
  Model model_;
  ops::Builder* b_ = nullptr;
  std::vector<ValueId> values_;
};

}  // namespace

Model random_model(std::uint64_t seed, int operations, Extras extras) {
  return Generator(seed, operations, extras).run();
}

SettingCall called(const optim::Optimizer& optimizer, double rate) {
  SettingCall call;
  call.function = std::string(optimizer.form.name);
  for (const optim::Formal& formal : optimizer.form.args) {
    if (formal.name == "lr")
      call.args.emplace_back("lr", rate);
    else if (formal.otherwise)
      call.args.emplace_back(formal.name, *formal.otherwise);
  }
  return call;
}

std::optional<RandomStep> random_step(std::uint64_t seed) {
  RandomStep step;
  step.operations = 2 + static_cast<int>(seed % 9);
  step.model = random_model(seed, step.operations, {seed % 2 == 0, seed % 5 == 0});
  step.model.settings.present = true;
  step.model.settings.optimizer =
      called(optim::optimizers()[seed % optim::optimizers().size()], 0.1);
  step.model.settings.microbatches = seed % 4 == 0 ? 2 : 1;
  step.assignment = random_assignment(seed, step.model, 2);
  step.assignment.options.shard_update = seed % 3 == 0;
  Diagnostics found;
  if (!lowering::split_batch(step.model, found)) return std::nullopt;
  step.assignment.dims.resize(step.model.dims.size());
  return step;
}

}  // namespace mtfc::test
