// What is in padding reaches nothing: random programs on dimensions that do not divide, with not a
// number written into the padding of all that may have anything there.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "backends/execute/simulator.h"
#include "lowering/graph/rewrite.h"
#include "lowering/pipeline.h"
#include "ops/op.h"
#include "random_model.h"
#include "support/program_names.h"
#include "unit/support/nightly.h"

namespace property_padding_test {

using namespace mtfc;

namespace {

/// What is not known to have zeros in its padding.
bool may_be_anything(const Operation& op) {
  const ops::Kind kind = ops::op_of(op).kind;
  return kind == ops::Kind::random || kind == ops::Kind::combine || kind == ops::Kind::lookup ||
         kind == ops::Kind::scatter || op.op == "cumsum" || op.op == "top_k" || op.op == "window" ||
         op.op == "window_add";
}

Graph poisoned(const Graph& graph, const DimTable& dims, int& count) {
  Graph result(graph.name);
  ops::Builder build(result, dims);
  lowering::Copier copier(graph, build);
  for (const Operation& op : graph.ops) {
    copier.copy_operation(op);
    const ValueId old = op.results[0];
    const DType dtype = graph.at(old).type.dtype;
    if (!may_be_anything(op) || dtype == DType::boolean) continue;
    ValueId value = copier.copy(old);
    for (DimId dim : graph.at(old).type.dims) {
      if (!dims[dim].pads.valid()) continue;
      const auto size = static_cast<double>(dims.size(dims[dim].pads));
      const ValueId inside = build.binary("lt", build.index(dim), build.constant(size, DType::i32));
      const double poison = is_float(dtype) ? std::numeric_limits<double>::quiet_NaN() : -77;
      value = build.where(inside, value, build.constant(poison, dtype));
      ++count;
    }
    copier.replace(old, value);
  }
  lowering::carry_over(graph, result, [&](ValueId old) { return copier.copy(old); });
  return result;
}

std::vector<runtime::Fetched> run(Module module) {
  backends::Simulator simulator(std::move(module), {1, false});
  std::vector<runtime::Fetched> fetched;
  simulator.run("init", {}, fetched);
  fetched.clear();
  runtime::Feeds feeds;
  feeds.emplace(feed_names::step, runtime::HostTensor::zeros(DType::i32, {}));
  simulator.run("train", feeds, fetched);
  return fetched;
}

/// Fetched values, with poison in the padding or without.
std::vector<runtime::Fetched> step(const Model& model, const Assignment& assignment, bool poison,
                                   int& count) {
  lowering::State state = lowering::start(model, assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    if (poison && std::string_view(pass.name) == "pad-dims")
      for (Graph& graph : state.made.graphs) graph = poisoned(graph, state.model.dims, count);
  }
  return run(std::move(state.made.module));
}

}  // namespace

TEST_CASE("not a number in padding reaches nothing") {
  const auto begin = std::chrono::steady_clock::now();
  int programs = 0, values = 0;
  for (std::uint64_t seed = 1;; ++seed) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (spent.count() > test::property_seconds()) break;
    const Model model = test::random_model(seed, 3 + static_cast<int>(seed % 12));
    const Assignment assignment = test::random_assignment(seed, model, 2);
    int added = 0;
    const auto poisoned = step(model, assignment, true, added);
    if (added == 0) continue;
    ++programs, values += added;
    const auto clean = step(model, assignment, false, added);
    REQUIRE(poisoned.size() == clean.size());
    for (std::size_t i = 0; i < clean.size(); ++i) {
      INFO("seed " << seed << ", " << clean[i].name);
      const runtime::HostTensor &a = poisoned[i].value, &b = clean[i].value;
      REQUIRE(a.extents == b.extents);
      for (std::int64_t j = 0; b.dtype == DType::f64 && j < b.elements(); ++j) {
        const double x = a.as<double>()[j], y = b.as<double>()[j];
        if (!(std::fabs(x - y) <= 1e-9 * std::max(1.0, std::fabs(y)))) FAIL(x << " is not " << y);
      }
    }
  }
  WARN(values << " values of " << programs << " programs with not a number in their padding");
  CHECK(programs > 0);
}

}  // namespace property_padding_test
