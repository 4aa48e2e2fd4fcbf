// Products that are added up and then over processors, as one kernel: Lab::run compares with the
// replicas, which store every product, and with real ranks.
#include <catch2/catch.hpp>

#include <cmath>

#include "backends/execute/executable.h"
#include "backends/execute/simulated_mesh.h"
#include "kernels/micro_kernels.h"
#include "lab.h"

namespace backends_sums_of_products_test {

using namespace lab;

namespace {
const AxisId rows = axis(0), cols = axis(1);

double wave(std::int64_t i) { return std::sin(0.7 * static_cast<double>(i)); }

/// Gradients of heads by their weights, as of queries, keys and values.
struct Heads {
  Lab lab{{{"rows", 4}, {"cols", 16}}};
  DimId batch = lab.dim("batch", 128), model = lab.dim("model", 160), heads = lab.dim("heads", 64);
  ShardType gradient = lab.type({batch, heads}, {{batch, {rows}}, {heads, {cols}}});
  ShardType weight = lab.type({model, heads}, {{heads, {cols}}});

  ShardType result(std::vector<AxisId> partial) const {
    return lab.type({batch, model}, {{batch, {rows}}}, std::move(partial));
  }
  /// Whose left operand ends with it.
  ValueId product() {
    const ValueId fed = lab.feed(gradient, wave);
    const ValueId left = lab.add(
        map_of({operand_leaf(0), mtfc::scalar::op(ScalarOp::neg, DType::f32, 0)}), {fed}, gradient);
    return lab.add(Contract{{heads}}, {left, lab.feed(weight, wave)}, result({cols}));
  }
  ValueId plus(ValueId x, ValueId y) {
    return lab.add(map_of({operand_leaf(0), operand_leaf(1),
                           mtfc::scalar::op(ScalarOp::add, DType::f32, 0, 1)}),
                   {x, y}, result({cols}));
  }
  void fetch_sum(ValueId x) {
    lab.fetch(lab.add(AllReduce{Combine::sum, {cols}, {}}, {x}, result({})));
  }
  std::size_t found() const {
    backends::SimulatedMesh mesh({lab.module.dims, lab.module.mesh});
    backends::Memory memory(lab.module, mesh, {});
    return backends::Executable(memory, lab.module.programs[0]).sums_of_products().size();
  }
};

std::size_t expected() { return mtfc::runtime::micro_kernels() == nullptr ? 0 : 1; }
}  // namespace

TEST_CASE("sums of products over processors are one kernel, with the same bits", "[backends]") {
  for (const bool last_first : {false, true}) {
    Heads made;
    const ValueId first = made.product(), second = made.product();
    const ValueId other = made.product();  // its parts are stored, where operands were
    const ValueId third = made.product();
    const ValueId pair = made.plus(first, second);
    made.fetch_sum(last_first ? made.plus(third, pair) : made.plus(pair, third));
    made.lab.fetch(made.lab.add(AllReduce{Combine::max, {cols}, {}}, {other}, made.result({})));
    made.lab.run(2);
    CHECK(made.found() == expected());
  }
}

TEST_CASE("products are stored that are added otherwise, or used again", "[backends]") {
  Heads tree;
  const ValueId left = tree.plus(tree.product(), tree.product());
  tree.fetch_sum(tree.plus(left, tree.plus(tree.product(), tree.product())));
  tree.lab.run();
  CHECK(tree.found() == 0);
  Heads again;
  const ValueId x = again.product();
  const ValueId sum = again.plus(x, again.product());
  again.fetch_sum(sum);
  again.fetch_sum(x);
  again.lab.run();
  CHECK(again.found() == 0);
}

}  // namespace backends_sums_of_products_test
