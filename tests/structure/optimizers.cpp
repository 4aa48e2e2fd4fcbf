// docs/optimizers.md shows every optimiser and schedule as it is called.
#include <algorithm>
#include <catch2/catch.hpp>

#include "optim/optimizers.h"
#include "optim/schedules.h"
#include "sources.h"

namespace structure_optimizers_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

std::string page() {
  for (const SourceText& file : files_below("docs", {".md"}))
    if (file.path == "docs/optimizers.md") return file.text;
  return "";
}

}  // namespace

TEST_CASE("optimisers and schedules are documented as they are", "[structure]") {
  const std::string text = page();
  REQUIRE(!text.empty());
  const auto shown = [&](const optim::Form& form) {
    INFO(optim::signature(form));
    CHECK(text.find("| `" + optim::signature(form) + "` |") != text.npos);
  };
  for (const optim::Optimizer& row : optim::optimizers()) shown(row.form);
  for (const optim::Schedule& row : optim::schedules()) shown(row.form);
}

TEST_CASE("every optimiser has a learning rate first and a weight decay", "[structure]") {
  for (const optim::Optimizer& row : optim::optimizers()) {
    INFO(row.form.name);
    REQUIRE(!row.form.args.empty());
    CHECK(row.form.args[0].name == "lr");
    CHECK(std::any_of(row.form.args.begin(), row.form.args.end(),
                      [](const optim::Formal& formal) { return formal.name == "decay"; }));
  }
}

}  // namespace structure_optimizers_test
