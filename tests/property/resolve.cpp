// resolve against the simulated mesh: random operations on operands that are split, and partial, in
// random ways, wanted split at random. The program that an answer describes passes the verifier,
// gives what one processor gives, and sends the bytes that the answer says.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

#include "backends/execute/simulator.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "layout/resolve.h"
#include "lowering/pipeline.h"
#include "ops/builder.h"
#include "ops/concat.h"
#include "ops/op.h"

namespace property_resolve_test {

using namespace mtfc;

namespace {

using Rng = std::mt19937_64;

std::size_t below(Rng& rng, std::size_t n) { return static_cast<std::size_t>(rng() % n); }

/// Dimensions, a mesh, and one operation on inputs.
struct Question {
  Mesh mesh;
  DimTable dims;
  Graph graph;
  DimId a, b, k, v, p;  // of sizes that all axes together divide

  explicit Question(std::uint64_t seed) : rng(seed) {
    static const std::vector<std::vector<std::int64_t>> meshes = {{2},    {2, 2},    {2, 3},
                                                                  {3, 2}, {2, 2, 2}, {4, 2}};
    const auto& sizes = meshes[below(rng, meshes.size())];
    for (std::size_t i = 0; i < sizes.size(); ++i)
      mesh.axes.push_back({std::string(1, static_cast<char>('x' + i)), sizes[i]});
    a = dim("a", 24), b = dim("b", 24), k = dim("k", 24), v = dim("v", 24), p = dim("p", 24);
    ops::Builder build(graph, dims);
    result = make(build);
  }
  const Operation& op() const { return graph.producer(result); }

  Rng rng;
  ValueId result;

 private:
  DimId dim(const std::string& name, std::int64_t size) {
    Dim d;
    d.name = name;
    d.size = size;
    return dims.add(d);
  }
  ValueId input(ops::Builder& build, DimList list, DType dtype = DType::f64) {
    std::shuffle(list.begin(), list.end(), rng);
    return build.input("i" + std::to_string(graph.values.size()), {dtype, list});
  }

  ValueId make(ops::Builder& build) {
    switch (below(rng, 15)) {
      case 0:
        return build.binary("add", input(build, {a, b}), input(build, {a, b}));
      case 1:
        return build.binary("mul", input(build, {a}), input(build, {b, k}));
      case 2:
        return build.binary("max", input(build, {a, b}), input(build, {b}));
      case 3:
        return build.apply("contract", {input(build, {a, k}), input(build, {k, b})},
                           {{"to", DimList{b, a}}});
      case 4:
        return build.apply("contract", {input(build, {a, k, b}), input(build, {k, a, v})},
                           {{"to", DimList{a, v, b}}});
      case 5:
        return build.reduce(Combine::sum, input(build, {a, k, b}), {k});
      case 6:
        return build.reduce(Combine::max, input(build, {a, k}), {k});
      case 7:
        return build.view(input(build, {a, b, k}), {{{a, b}, {dim("ab", 576)}}});
      case 8:
        return build.view(input(build, {a, b}), {{{a}, {dim("a1", 6), dim("a2", 4)}}});
      case 9:
        return build.slice(input(build, {a, b}), a, 6, dim("part", 12));
      case 10:
        return build.apply("cumsum", {input(build, {a, b})}, {{"dim", DimList{b}}});
      case 11:
        return build.gather(input(build, {v, b}), {v}, {input(build, {a}, DType::i32)}, 0);
      case 12:
        return build.apply("scatter_add", {input(build, {a, b}), input(build, {a}, DType::i32)},
                           {{"dims", DimList{v}}, {"to", DimList{v, b}}});
      case 13: {
        const ValueId x = input(build, {a, b}), y = input(build, {k, b});
        return ops::concat(build, {x, y}, {a, k}, dim("both", 48));
      }
      default:
        return build.broadcast(input(build, {a}), {b, a});
    }
  }
};

Sharding random_split(Question& q, const DimList& list, std::vector<AxisId> axes) {
  Sharding sharding;
  sharding.split.resize(list.size());
  std::shuffle(axes.begin(), axes.end(), q.rng);
  for (AxisId axis : axes) {
    const std::size_t d = below(q.rng, list.size() + 1);
    if (d == list.size()) continue;
    std::int64_t shards = q.mesh.size(axis);
    for (AxisId other : sharding.split[d]) shards *= q.mesh.size(other);
    if (q.dims.size(list[d]) % shards == 0) sharding.split[d].push_back(axis);
  }
  return sharding;
}

std::vector<AxisId> all_axes(const Mesh& mesh) {
  std::vector<AxisId> axes;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    axes.push_back(AxisId{static_cast<std::int32_t>(i)});
  return axes;
}

/// A program with the operation as an answer says, between operands that it feeds on and a fetch.
class Script {
 public:
  Script(const Question& q, const Mesh& mesh) : q_(q) {
    module_.mesh = mesh;
    module_.dims = q.dims;
    module_.programs.emplace_back("run");
  }

  /// Input number i, split as told. With `sum`: what is fed has a further dimension, split over
  /// those axes, and is summed over it, so that the operand is partial.
  ValueId operand(std::size_t i, const TensorType& type, const Sharding& sharding,
                  const std::vector<AxisId>& sum) {
    const std::string name = "x" + std::to_string(i);
    ShardType fed{type, sharding};
    if (!sum.empty()) {
      fed.tensor.dims.push_back(q_.p);
      fed.sharding.split.push_back(sum);
    }
    module_.inputs.push_back({name, fed, name, ""});
    feeds_[name] = whole(fed.tensor, i);
    const ValueId x = add(Feed{name}, {}, fed);
    if (sum.empty()) return x;
    ShardType partial{type, sharding};
    partial.sharding.partial = sum;
    std::sort(partial.sharding.partial.begin(), partial.sharding.partial.end());
    return add(Reduce{Combine::sum, {q_.p}}, {x}, partial);
  }

  ValueId add(InstructionKind kind, std::vector<ValueId> operands, const ShardType& type) {
    Program& p = module_.programs[0];
    const ValueId id = next_id<ValueId>(p.values);
    p.values.push_back({type, ""});
    p.instructions.push_back({std::move(kind), std::move(operands), {id}, {}});
    return id;
  }
  ValueId completed(ValueId value) {
    ShardType type = at(value);
    AllReduce kind{type.sharding.combine, type.sharding.partial, {}};
    type.sharding.partial.clear();
    return add(kind, {value}, type);
  }
  ValueId moved(ValueId value, const std::vector<lowering::ReshardStep>& steps) {
    for (const lowering::ReshardStep& step : steps) {
      ShardType type = at(value);
      type.sharding = lowering::after(type.tensor.dims, type.sharding, step);
      value = std::visit([&](const auto& kind) { return add(kind, {value}, type); }, step);
    }
    return value;
  }
  const ShardType& at(ValueId value) const { return module_.programs[0].at(value).type; }

  void fetch(ValueId value) {
    Program& p = module_.programs[0];
    p.instructions.push_back({Fetch{Output::Kind::tensor, "y"}, {value}, {}, {}});
  }
  std::string verify() const { return mtfc::verify(module_); }
  std::string text() const { return print(module_); }

  runtime::HostTensor run(double& sent) {
    backends::Simulator simulator(module_, {1, true});
    std::vector<runtime::Fetched> fetched;
    simulator.run("run", feeds_, fetched);
    REQUIRE(simulator.replica_error() == "");
    sent = 0;
    for (const auto& collective : simulator.counters("run").collectives)
      sent += static_cast<double>(collective.sent);
    return fetched.at(0).value;
  }

 private:
  /// Small whole numbers, so that every order of additions gives the same bits; also good as ids,
  /// of which some are out of range.
  runtime::HostTensor whole(const TensorType& type, std::size_t salt) const {
    std::vector<std::int64_t> extents;
    for (DimId dim : type.dims) extents.push_back(q_.dims.size(dim));
    auto tensor = runtime::HostTensor::zeros(type.dtype, extents);
    Rng rng(salt + 17);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const auto number = static_cast<std::int32_t>(rng() % 27) - 1;
      if (type.dtype == DType::i32)
        tensor.as<std::int32_t>()[i] = number;
      else
        tensor.as<double>()[i] = number;
    }
    return tensor;
  }

  const Question& q_;
  Module module_;
  runtime::Feeds feeds_;
};

/// Operands as a program is given them.
struct Given {
  std::vector<Sharding> shardings;
  std::vector<std::vector<AxisId>> sums;  // per operand the axes over which it is partial
};

Given give(Question& q) {
  Given given;
  for (ValueId id : q.op().operands) {
    const TensorType& type = q.graph.at(id).type;
    std::vector<AxisId> axes = all_axes(q.mesh), sum;
    if (type.dtype == DType::f64 && below(q.rng, 3) == 0) {
      sum.push_back(axes[below(q.rng, axes.size())]);
      std::erase(axes, sum[0]);
    }
    Sharding sharding = random_split(q, type.dims, axes);
    sharding.partial = sum;
    given.shardings.push_back(std::move(sharding));
    given.sums.push_back(std::move(sum));
  }
  return given;
}

/// "" if the answer holds; else what does not.
std::string failure(std::uint64_t seed) {
  Question q(seed);
  const Operation& op = q.op();
  const lowering::OpForm form = lowering::form_of(op, q.graph, ops::local_instruction(op, q.graph));
  const Given given = give(q);
  std::vector<const Sharding*> operands;
  for (const Sharding& sharding : given.shardings) operands.push_back(&sharding);
  const Sharding wanted = random_split(q, form.result.dims, all_axes(q.mesh));
  lowering::MoveTable table(q.dims, q.mesh);
  const bool may_stay = below(q.rng, 2) == 0;
  const lowering::Resolved answer = lowering::resolve(table, form, operands, {wanted, may_stay});

  Script split(q, q.mesh);
  std::vector<ValueId> values;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Sharding fed = given.shardings[k];
    fed.partial.clear();
    ValueId value = split.operand(k, form.operands[k], fed, given.sums[k]);
    if (answer.operands[k].completed) value = split.completed(value);
    value = split.moved(value, answer.operands[k].moves->steps);
    if (split.at(value).sharding != answer.operands[k].sharding) return "an operand ends elsewhere";
    values.push_back(value);
  }
  ValueId result = split.add(*form.local, values, {form.result, answer.made});
  if (answer.completed) result = split.completed(result);
  result = split.moved(result, answer.moves->steps);
  if (split.at(result).sharding != answer.result) return "the result ends elsewhere";
  if (answer.result.split != wanted.split) return "the result is split otherwise than wanted";
  if (!may_stay && answer.result.is_partial()) return "the result is not completed";
  const bool stays = answer.result.is_partial();
  if (stays) result = split.completed(result);
  split.fetch(result);
  if (const std::string error = split.verify(); !error.empty()) return error;

  Mesh one;
  one.axes = {{"x", 1}};
  Script whole(q, one);
  values.clear();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Sharding none{std::vector<std::vector<AxisId>>(form.operands[k].dims.size()), {}, {}};
    // Summed over the same further dimension, on one processor.
    const TensorType& type = form.operands[k];
    if (given.sums[k].empty()) {
      values.push_back(whole.operand(k, type, none, {}));
      continue;
    }
    ShardType fed{type, none};
    TensorType more = type;
    more.dims.push_back(q.p);
    Sharding more_none = none;
    more_none.split.emplace_back();
    const ValueId x = whole.operand(k, more, more_none, {});
    values.push_back(whole.add(Reduce{Combine::sum, {q.p}}, {x}, fed));
  }
  const Sharding none{std::vector<std::vector<AxisId>>(form.result.dims.size()), {}, {}};
  whole.fetch(whole.add(*form.local, values, {form.result, none}));
  double sent = 0, ignored = 0;
  const runtime::HostTensor y = split.run(sent), expected = whole.run(ignored);
  if (y.data != expected.data) return "split differs from whole:\n" + split.text();
  if (!stays && std::fabs(sent - answer.sent_bytes) > 64 + 0.01 * sent)
    return "sent " + std::to_string(sent) + " bytes, not " + std::to_string(answer.sent_bytes) +
           ":\n" + split.text();
  return "";
}

}  // namespace

TEST_CASE("resolve: answers hold on the simulated mesh", "[property]") {
  // MTFC_PROPERTY_PROGRAMS: how many operations are tried.
  const char* count = std::getenv("MTFC_PROPERTY_PROGRAMS");
  const std::uint64_t cases = count ? std::strtoull(count, nullptr, 10) : 400;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    const std::string error = failure(seed);
    INFO(error);
    REQUIRE(error.empty());
  }
}

}  // namespace property_resolve_test
