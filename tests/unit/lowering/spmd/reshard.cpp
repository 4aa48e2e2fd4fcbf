// Moving a tensor from one split to another: every pair of splits on small meshes, against a brute
// force over all sequences, and against the whole tensor on the simulated mesh.
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "backends/execute/simulator.h"
#include "cost/cost.h"
#include "ir/verify.h"
#include "layout/axis_conflicts.h"
#include "layout/reshard.h"
#include "lowering/pipeline.h"
#include "unit/lowering/lab.h"
#include "unit/support/nightly.h"

namespace lowering_spmd_reshard_test {

using namespace mtfc;
using lowering_lab::model_of;
using lowering_lab::place;

namespace {

using Split = std::vector<std::vector<AxisId>>;
using Sizes = std::vector<std::int64_t>;

struct Case {
  Mesh mesh;
  DimTable table;
  DimList dims;

  Case(const Sizes& axes, const Sizes& sizes) {
    for (std::size_t i = 0; i < axes.size(); ++i)
      mesh.axes.push_back({std::string(1, static_cast<char>('x' + i)), axes[i]});
    for (std::int64_t size : sizes) dims.push_back(add(size));
  }
  DimId add(std::int64_t size) {
    Dim dim;
    dim.name = std::string(1, static_cast<char>('a' + table.size()));
    dim.size = size;
    return table.add(dim);
  }
  std::int64_t parts(const std::vector<AxisId>& axes) const {
    std::int64_t product = 1;
    for (AxisId axis : axes) product *= mesh.size(axis);
    return product;
  }
  double shard(const DimList& list, const Split& split) const {
    double n = 1;
    for (std::size_t d = 0; d < list.size(); ++d)
      n *= static_cast<double>(table.size(list[d]) / parts(split[d]));
    return n;
  }
};

/// Every sharding of a tensor.
std::vector<Split> all_splits(const Case& c, const DimList& dims) {
  std::set<Split> found;
  std::vector<Split> next = {Split(dims.size())};
  while (!next.empty()) {
    const Split split = next.back();
    next.pop_back();
    if (!found.insert(split).second) continue;
    for (std::size_t i = 0; i < c.mesh.axes.size(); ++i) {
      const AxisId axis{static_cast<std::int32_t>(i)};
      bool used = false;
      for (const auto& axes : split) used = used || std::count(axes.begin(), axes.end(), axis) > 0;
      for (std::size_t d = 0; d < dims.size() && !used; ++d) {
        Split more = split;
        more[d].push_back(axis);
        if (c.table.size(dims[d]) % c.parts(more[d]) == 0) next.push_back(more);
      }
    }
  }
  return {found.begin(), found.end()};
}

/// What a single instruction sends between two splits; infinite if there is none.
double edge(const Case& c, const DimList& dims, const Split& from, const Split& to) {
  std::vector<std::size_t> changed;
  bool alike = true;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (from[d] != to[d]) changed.push_back(d);
    alike = alike && c.parts(from[d]) == c.parts(to[d]);
  }
  if (changed.empty()) return 0;
  const double shard = c.shard(dims, from);
  if (alike) return shard;
  // +1: one axis more at the end, -1: one less.
  const auto change = [&](std::size_t d) {
    const auto &a = from[d], &b = to[d];
    const auto& longer = a.size() > b.size() ? a : b;
    auto cut = longer;
    cut.pop_back();
    return cut == (a.size() > b.size() ? b : a)
               ? static_cast<int>(b.size()) - static_cast<int>(a.size())
               : 0;
  };
  const double no = std::numeric_limits<double>::infinity();
  if (changed.size() == 1) {
    const std::size_t d = changed[0];
    if (change(d) == 1) return 0;
    if (change(d) != -1) return no;
    return shard * static_cast<double>(c.mesh.size(from[d].back()) - 1);
  }
  if (changed.size() != 2) return no;
  const bool second_gives = change(changed[0]) == 1;
  const std::size_t d = changed[second_gives ? 1 : 0], e = changed[second_gives ? 0 : 1];
  if (change(d) != -1 || change(e) != 1 || from[d].back() != to[e].back()) return no;
  const auto n = static_cast<double>(c.mesh.size(from[d].back()));
  return shard * (n - 1) / n;
}

using Table = std::vector<std::vector<double>>;

/// The cheapest way between any two (Floyd, Warshall).
Table shortest(const Case& c, const DimList& dims, const std::vector<Split>& all) {
  Table best(all.size(), std::vector<double>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) best[i][j] = edge(c, dims, all[i], all[j]);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        best[i][j] = std::min(best[i][j], best[i][k] + best[k][j]);
  return best;
}

/// One program that feeds on x and fetches it under many splits.
class Script {
 public:
  Script(const Case& c, const Split& from) : c_(c) {
    module_.mesh = c.mesh;
    module_.dims = c.table;
    const ShardType type{{DType::f32, c.dims}, {from, {}, {}}};
    module_.inputs.push_back({"x", type, "x", ""});
    module_.programs.emplace_back("run");
    fed_ = add(Feed{"x"}, {}, type);
  }

  ValueId fed() const { return fed_; }
  ValueId add(InstructionKind kind, std::vector<ValueId> operands, const ShardType& type) {
    Program& p = module_.programs[0];
    const ValueId id = next_id<ValueId>(p.values);
    p.values.push_back({type, ""});
    p.instructions.push_back({std::move(kind), std::move(operands), {id}, {}});
    return id;
  }
  ValueId move(ValueId value, const std::vector<lowering::ReshardStep>& steps) {
    for (const lowering::ReshardStep& step : steps) {
      ShardType type = module_.programs[0].at(value).type;
      type.sharding = lowering::after(type.tensor.dims, type.sharding, step);
      value = std::visit([&](const auto& kind) { return add(kind, {value}, type); }, step);
    }
    return value;
  }
  const Split& split(ValueId value) const {
    return module_.programs[0].at(value).type.sharding.split;
  }
  void fetch(ValueId value) {
    Program& p = module_.programs[0];
    p.instructions.push_back({Fetch{Output::Kind::tensor, "y"}, {value}, {}, {}});
  }
  /// Elements that a processor has sent since the last call.
  double sent() {
    Module part = module_;
    std::vector<Instruction>& all = part.programs[0].instructions;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(counted_));
    counted_ = module_.programs[0].instructions.size();
    double sum = 0;
    for (const Instruction& i : all) {
      if (!is_collective(i.kind)) continue;
      const Program& p = part.programs[0];
      const ValueId x{0}, y{1};
      Program one("one");
      one.values = {p.at(i.operands[0]), p.at(i.results[0])};
      one.instructions = {{Feed{"x"}, {}, {x}, {}}, {i.kind, {x}, {y}, {}}};
      Module alone{part};
      alone.programs.clear();
      for (const auto& cost : cost::cost_of(alone, one, {}).collectives)
        sum += static_cast<double>(cost.sent_per_processor) / 4;
    }
    return sum;
  }

  bool legal() const { return verify(module_).empty(); }
  /// Whether everything that is fetched is the whole tensor (in row-major order: views that keep
  /// the order of elements change nothing).
  bool right() {
    if (const std::string error = verify(module_); !error.empty()) {
      WARN(error);
      return false;
    }
    runtime::HostTensor x = runtime::HostTensor::zeros(DType::f32, extents());
    for (std::int64_t i = 0; i < x.elements(); ++i) x.as<float>()[i] = static_cast<float>(i);
    backends::Simulator simulator(module_, {1, true});
    std::vector<runtime::Fetched> fetched;
    simulator.run("run", {{"x", x}}, fetched);
    bool same = simulator.replica_error().empty();
    for (const runtime::Fetched& y : fetched) same = same && y.value.data == x.data;
    return same;
  }

 private:
  Sizes extents() const {
    Sizes list;
    for (DimId dim : c_.dims) list.push_back(c_.table.size(dim));
    return list;
  }
  const Case& c_;
  Module module_;
  ValueId fed_;
  std::size_t counted_ = 1;
};

const Sizes kMeshes[] = {{2}, {3}, {2, 2}, {2, 4}, {2, 3}, {2, 2, 2}, {2, 4, 2}};

std::string text(const Case& c, const Split& split) {
  return to_string(c.table, c.mesh, ShardType{{DType::f32, c.dims}, {split, {}, {}}});
}

}  // namespace

TEST_CASE("every split is reached from every other, right and with the fewest bytes") {
  for (const Sizes& mesh : kMeshes)
    for (const Sizes& sizes : {Sizes{8}, Sizes{12, 24}, Sizes{4, 6}, Sizes{2, 8, 6}}) {
      if (mesh.size() == 3 && sizes.size() == 3 && mesh != Sizes{2, 2, 2}) continue;
      const Case c(mesh, sizes);
      const std::vector<Split> all = all_splits(c, c.dims);
      const Table best = shortest(c, c.dims, all);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Script script(c, all[i]);
        for (std::size_t j = 0; j < all.size(); ++j) {
          const Sharding from{all[i], {}, {}}, to{all[j], {}, {}};
          const auto steps = lowering::reshard({c.mesh, c.table, c.dims, from, to});
          const ValueId y = script.move(script.fed(), steps);
          script.fetch(y);
          INFO(text(c, all[i]) << " -> " << text(c, all[j]) << ", " << steps.size() << " steps");
          REQUIRE(script.split(y) == all[j]);
          REQUIRE(script.sent() == best[i][j]);
        }
        INFO(text(c, all[i]));
        REQUIRE(script.right());
      }
    }
}

TEST_CASE("a view moves what it must before or after it, whichever is cheaper") {
  struct Shape {
    Sizes from, to;  // of all dimensions; those in no group are kept
    std::vector<std::pair<std::vector<int>, std::vector<int>>> groups;  // places in from, in to
  };
  const Shape shapes[] = {
      {{8, 6}, {2, 4, 6}, {{{0}, {0, 1}}}},        // split
      {{6, 4, 2}, {6, 8}, {{{1, 2}, {1}}}},        // merge
      {{8, 6}, {8, 6}, {{{0}, {0}}}},              // rename
      {{4, 4}, {4, 4}, {{{0}, {0}}, {{1}, {1}}}},  // both renamed
  };
  for (const Sizes& mesh : {Sizes{2}, Sizes{2, 2}, Sizes{2, 3}, Sizes{2, 4}})
    for (const Shape& shape : shapes) {
      Case c(mesh, shape.from);
      std::vector<DimGroup> groups;
      DimList to(shape.to.size());
      for (const auto& [a, b] : shape.groups) {
        DimGroup group;
        for (int i : a) group.from.push_back(c.dims[static_cast<std::size_t>(i)]);
        for (int i : b) {
          const auto at = static_cast<std::size_t>(i);
          group.to.push_back(to[at] = c.add(shape.to[at]));
        }
        groups.push_back(group);
      }
      for (std::size_t i = 0; i < to.size(); ++i)
        if (!to[i].valid()) to[i] = c.dims[shape.from.size() == to.size() || i == 0 ? i : i - 1];
      const std::vector<Split> before = all_splits(c, c.dims), after = all_splits(c, to);
      const Table there = shortest(c, c.dims, before), back = shortest(c, to, after);
      // Where the view works on shards: by its own definition, in verify().
      std::vector<std::pair<std::size_t, std::size_t>> bridges;
      for (std::size_t u = 0; u < before.size(); ++u)
        for (std::size_t v = 0; v < after.size(); ++v) {
          Script script(c, before[u]);
          const ShardType type{{DType::f32, to}, {after[v], {}, {}}};
          script.add(Rearrange{groups}, {script.fed()}, type);
          script.fetch(ValueId{1});
          if (script.legal()) bridges.emplace_back(u, v);
        }
      for (std::size_t i = 0; i < before.size(); ++i) {
        Script script(c, before[i]);
        for (std::size_t j = 0; j < after.size(); ++j) {
          const Sharding a{before[i], {}, {}}, b{after[j], {}, {}};
          const auto moves = lowering::reshard_view({c.mesh, c.table, c.dims, a, b}, groups, to);
          ValueId y = script.move(script.fed(), moves.before);
          y = script.add(Rearrange{groups}, {y}, {{DType::f32, to}, moves.result});
          y = script.move(y, moves.after);
          script.fetch(y);
          double best = std::numeric_limits<double>::infinity();
          for (const auto& [u, v] : bridges) best = std::min(best, there[i][u] + back[v][j]);
          INFO(text(c, before[i]));
          REQUIRE(script.split(y) == after[j]);
          REQUIRE(script.sent() == best);
        }
        REQUIRE(script.right());
      }
    }
}

namespace {

/// What a view of `text`'s tensor y costs under these rules: its collectives, in order.
std::vector<std::string> moves_of(const Model& model, const Mesh& mesh,
                                  const lowering_lab::Rules& rules) {
  lowering::Request request;
  request.tensors = {"y"};
  const Module module = lowering::lower(model, place(model, mesh, rules), request);
  REQUIRE(verify(module) == "");
  std::vector<std::string> kinds;
  for (const Instruction& i : module.find("run")->instructions)
    if (is_collective(i.kind)) kinds.emplace_back(name(i.kind));
  return kinds;
}

}  // namespace

TEST_CASE("the moves of the known cases") {
  using Kinds = std::vector<std::string>;
  const Mesh line{{{"all", 4}}}, square{{{"rows", 2}, {"cols", 2}}};
  const auto renamed = [](const std::string& view) {
    return model_of(
        "dim batch = 8, d = 8, batch_whole = batch, d_split = d, heads = 4, d_head = 2, "
        "head_split = heads, s = 8\ninput x[batch, d] from gaussian(seed=1)\n"
        "y = tanh(x)[" +
        view + "]\n");
  };
  const Model switched = renamed("batch -> batch_whole, d -> d_split");
  // Data-parallel to model-parallel, and the other way round.
  CHECK(moves_of(switched, line, {{"batch", "all"}, {"d_split", "all"}}) == Kinds{"all_to_all"});
  CHECK(moves_of(switched, line, {{"batch_whole", "all"}, {"d", "all"}}) == Kinds{"all_to_all"});
  // To whole, and from whole.
  CHECK(moves_of(switched, line, {{"batch", "all"}}) == Kinds{"all_gather"});
  CHECK(moves_of(switched, line, {{"d_split", "all"}}) == Kinds{});
  // Two axes exchanged: nobody needs more than one block.
  CHECK(
      moves_of(switched, square,
               {{"batch", "rows"}, {"d", "cols"}, {"batch_whole", "cols"}, {"d_split", "rows"}}) ==
      Kinds{"permute"});
  // The minor part of a split dimension: its major part is cut alike first.
  const Model blocks = renamed("d -> (heads, d_head)");
  CHECK(moves_of(blocks, Mesh{{{"all", 2}}}, {{"d", "all"}, {"heads", "all"}}) == Kinds{});
  CHECK(moves_of(blocks, Mesh{{{"all", 2}}}, {{"d", "all"}, {"d_head", "all"}}) ==
        Kinds{"all_to_all"});
}

namespace {

/// y of a model with the input x, which is 0, 1, 2 ...
runtime::HostTensor run(const Model& model, const Assignment& assignment) {
  lowering::Request request;
  request.tensors = {"y"};
  Module module = lowering::lower(model, assignment, request);
  REQUIRE(verify(module) == "");
  Sizes extents;
  for (DimId dim : model.inputs[0].type.dims) extents.push_back(model.dims.size(dim));
  runtime::HostTensor x = runtime::HostTensor::zeros(DType::f32, extents);
  for (std::int64_t i = 0; i < x.elements(); ++i) x.as<float>()[i] = static_cast<float>(i);
  backends::Simulator simulator(std::move(module), {1, true});
  std::vector<runtime::Fetched> fetched;
  simulator.run("run", {{"x", x}}, fetched);
  REQUIRE(simulator.replica_error().empty());
  return fetched.at(0).value;
}

}  // namespace

TEST_CASE("no legal rename, split or merge is refused, on meshes of one to three axes") {
  const char* const views[] = {
      "[a -> a2]",
      "[a -> b, b -> a]",
      "[a -> b, b -> c, c -> a]",
      "[a -> b, b -> a2]",
      "[(a, b) -> ab]",
      "[(b, a) -> ab]",
      "[(a, b) -> ab, c -> a]",
      "[c -> (f, g)]",
      "[c -> (f, g), a -> b, b -> a]",
      "[(a, c) -> (c, a)]",
  };
  int tried = 0;
  for (const char* view : views) {
    const Model model = model_of(
        "dim a = 4, b = 4, c = 4, a2 = a, ab = a * b, f = 2, g = 2\n"
        "input x[a, b, c] from gaussian(seed=1)\nz = x * 2\ny = z" +
        std::string(view) + " + 1\n");
    const runtime::HostTensor whole = run(model, place(model, {}, {}));
    const std::vector<std::string> dims = {"a", "b", "c", "a2", "ab", "f", "g"};
    for (const Mesh& mesh : {Mesh{{{"x", 2}}}, Mesh{{{"x", 2}, {"y", 2}}},
                             Mesh{{{"x", 4}, {"y", 2}}}, Mesh{{{"x", 2}, {"y", 2}, {"z", 2}}}}) {
      const std::size_t choices = mesh.axes.size() + 1;
      std::size_t layouts = 1;
      for (std::size_t d = 0; d < dims.size(); ++d) layouts *= choices;
      // All of few, every so many of the others.
      for (std::size_t n = 0; n < layouts; n += 1 + layouts / test::rounds(400)) {
        lowering_lab::Rules rules;
        std::size_t rest = n;
        bool divides = true;
        for (const std::string& dim : dims) {
          const std::size_t choice = rest % choices;
          rest /= choices;
          if (choice == 0) continue;
          const MeshAxis& axis = mesh.axes[choice - 1];
          divides = divides && model.dims.size(*model.dims.find_unique(dim)) % axis.size == 0;
          rules[dim] = axis.name;
        }
        const Assignment assignment = place(model, mesh, rules);
        if (!divides || !lowering::is_legal(model, assignment)) continue;
        INFO(view << " layout " << n << " of the mesh of " << mesh.processors());
        REQUIRE(run(model, assignment).data == whole.data);
        ++tried;
      }
    }
  }
  CHECK(tried > static_cast<int>(test::rounds(1000)));
}

TEST_CASE("a tensor over many axes moves well without a search that never ends") {
  // Twelve dimensions over twelve axes, each to its neighbour's.
  const Case c(Sizes(12, 2), Sizes(12, 2));
  Split from(12), to(12);
  for (int d = 0; d < 12; ++d) {
    from[static_cast<std::size_t>(d)] = {AxisId{d}};
    to[static_cast<std::size_t>(d)] = {AxisId{(d + 1) % 12}};
  }
  Script script(c, from);
  const Sharding a{from, {}, {}}, b{to, {}, {}};
  const auto steps = lowering::reshard({c.mesh, c.table, c.dims, a, b});
  CHECK(script.split(script.move(script.fed(), steps)) == to);
  CHECK(steps.size() == 1);
}

TEST_CASE("what is renamed to be reduced is reduced where it is") {
  for (const char* reduction :
       {"mean(z[a -> b] over b)", "max(z[a -> b] over b)", "sum(z[a -> (p, q)] + 1 over p, q)",
        "einsum(z[a -> b], z[a -> b] over b)"}) {
    INFO(reduction);
    const Model model = model_of(
        "dim a = 8, b = a, k = 4, p = 4, q = 2\ninput x[a, k] from gaussian(seed=1)\nz = x * 2\n"
        "y = " +
        std::string(reduction) + "\n");
    const Mesh mesh{{{"all", 4}}};
    CHECK(moves_of(model, mesh, {{"a", "all"}}) == std::vector<std::string>{"all_reduce"});
    CHECK(run(model, place(model, mesh, {{"a", "all"}})).data ==
          run(model, place(model, {}, {})).data);
  }
}

}  // namespace lowering_spmd_reshard_test
