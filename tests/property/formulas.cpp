// Random programs: formulas at the sizes of the model are what is counted.
#include "cost/symbolic/formulas.h"

#include <catch2/catch.hpp>

#include "lowering/pipeline.h"
#include "random_model.h"
#include "unit/support/nightly.h"

namespace property_formulas_test {

using namespace mtfc;

namespace {

/// Bytes of variables by role, as formulas and as types have them.
void check_variables(const Module& module, const cost::Formulas& formulas) {
  const std::vector<cost::MemoryRole> roles = cost::roles_of_variables(module);
  const std::vector<double> sizes = formulas.symbols.sizes();
  for (const cost::Kept& kept : formulas.memory) {
    if (kept.role != cost::MemoryRole::parameters && kept.role != cost::MemoryRole::optimizer_state)
      continue;
    double bytes = 0;
    for (std::size_t i = 0; i < roles.size(); ++i)
      if (roles[i] == kept.role)
        bytes += static_cast<double>(
            shard_elements(module.dims, module.mesh, module.variables[i].type) *
            static_cast<std::int64_t>(size_of(module.variables[i].type.tensor.dtype)));
    CHECK(kept.bytes.total().at(sizes) == bytes);
  }
}

}  // namespace

TEST_CASE("random programs: formulas are what is counted", "[property]") {
  unsigned sending = 0, padded = 0;
  const unsigned cases = test::rounds(300);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const std::optional<test::RandomStep> step = test::random_step(seed);
    if (!step) continue;
    const auto& [model, assignment, operations] = *step;
    INFO("seed " << seed << ", " << operations << " operations");
    const Module module = lowering::lower(model, assignment, {});
    const cost::Cost cost = cost::cost_of_step(module, {});
    const cost::Formulas formulas = cost::formulas_of(module, cost);
    const std::vector<double> sizes = formulas.symbols.sizes();
    CHECK(formulas.flops.total().at(sizes) == cost.flops_per_processor);
    CHECK(formulas.bytes.total().at(sizes) == static_cast<double>(cost.moved_per_processor()));
    CHECK(formulas.calls.at(sizes) == static_cast<double>(cost.collectives.size()));
    // A sum that processors cannot share out evenly is rounded up, by less than their number twice.
    const double sent = static_cast<double>(cost.sent_per_processor());
    const double most = 8 * 2 * static_cast<double>(cost.processors * formulas.calls.at(sizes));
    CHECK(formulas.sent.total().at(sizes) <= sent + 1e-6);
    CHECK(formulas.sent.total().at(sizes) >= sent - most);
    check_variables(module, formulas);
    sending += sent > 0;
    for (const cost::Symbol& symbol : formulas.symbols.all())
      padded += symbol.name.rfind("padded", 0) == 0;
  }
  CHECK(sending > cases / 3);
  CHECK(padded > cases / 15);
}

}  // namespace property_formulas_test
