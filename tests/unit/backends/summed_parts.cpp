// Parts of sums that are added as soon as they are computed give the bits of a program that stores
// them: Lab::run compares with the replicas, which do, and with real ranks.
#include <catch2/catch.hpp>

#include <cmath>

#include "backends/execute/executable.h"
#include "backends/execute/simulated_mesh.h"
#include "lab.h"

namespace backends_summed_parts_test {

using namespace lab;

namespace {
const AxisId rows = axis(0), cols = axis(1);

/// Whose sums depend on their order.
double wave(std::int64_t i) { return std::sin(0.7 * static_cast<double>(i)); }

/// x and g over rows, their product over the batch, and its sum.
struct Gradient {
  Lab lab{{{"rows", 4}, {"cols", 16}}};
  DimId batch, io, hidden = lab.dim("hidden", 384);
  DType dtype;
  ValueId x, g, part;

  explicit Gradient(DType of = DType::f32, std::int64_t examples = 20, std::int64_t inputs = 256)
      : batch(lab.dim("batch", examples)),
        io(lab.dim("io", inputs)),
        dtype(of),
        x(lab.feed(lab.type({batch, io}, {{batch, {rows}}}, {}, of), wave)),
        g(lab.feed(lab.type({batch, hidden}, {{batch, {rows}}, {hidden, {cols}}}, {}, of), wave)),
        part(lab.add(Contract{{batch}}, {x, g}, type({rows}))) {}

  ShardType type(std::vector<AxisId> partial) const {
    return lab.type({io, hidden}, {{hidden, {cols}}}, std::move(partial), dtype);
  }
  ValueId add_sum(Combine combine = Combine::sum) {
    return lab.add(AllReduce{combine, {rows}, {}}, {part}, type({}));
  }
  /// Contractions whose parts are added at once,
  std::size_t found() const {
    return count([](const auto&) { return true; });
  }
  /// and of these those that are added in the parts' memory.
  std::size_t aside() const {
    return count([](const backends::SummedParts& sums) { return sums.belong != nullptr; });
  }

 private:
  template <class Test>
  std::size_t count(Test test) const {
    backends::SimulatedMesh mesh({lab.module.dims, lab.module.mesh});
    backends::Memory memory(lab.module, mesh, {});
    const backends::Executable executable(memory, lab.module.programs[0]);
    std::size_t count = 0;
    for (const auto& [product, sums] : executable.summed_parts()) count += test(sums);
    return count;
  }
};
}  // namespace

TEST_CASE("parts of a sum are added as they are computed, with the same bits", "[backends]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Gradient made(dtype);
    made.lab.fetch(made.add_sum());
    made.lab.run(2);
    CHECK(made.found() == 1);
    CHECK(made.lab.counters().collectives.size() == 1);
  }
}

TEST_CASE("sums that belong where an operand is are added in the parts' memory", "[backends]") {
  for (const std::int64_t examples : {512, 4096}) {  // a small product, and one of the library
    Gradient made(DType::f32, examples);
    made.lab.fetch(made.add_sum());
    made.lab.run(2);
    CHECK(made.found() == 1);
    CHECK(made.aside() == 1);
  }
}

TEST_CASE("parts that do not fit in a cache are added slab by slab", "[backends]") {
  Gradient made(DType::f32, 512, 6144);
  made.lab.fetch(made.add_sum());
  made.lab.run(2);
  CHECK(made.found() == 1);
}

TEST_CASE("parts that something else needs are stored", "[backends]") {
  Gradient made;
  made.lab.fetch(made.add_sum());
  const ValueId again =
      made.lab.add(map_of({operand_leaf(0), mtfc::scalar::op(ScalarOp::neg, DType::f32, 0)}),
                   {made.part}, made.type({rows}));
  made.lab.fetch(made.lab.add(AllReduce{Combine::sum, {rows}, {}}, {again}, made.type({})));
  made.lab.run();
  CHECK(made.found() == 0);
  Gradient rounded(DType::bf16);  // sums of which round once, at the end
  rounded.lab.fetch(rounded.add_sum());
  rounded.lab.run();
  CHECK(rounded.found() == 0);
}

}  // namespace backends_summed_parts_test
