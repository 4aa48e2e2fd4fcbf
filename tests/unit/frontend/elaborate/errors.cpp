// Mistakes that the elaborator finds; those that passes find before layouts are in
// unit/lowering/graph.
#include "unit/frontend/elaborate/mistakes.h"

namespace frontend_elaborate_errors_test {

using namespace mtfc;
using namespace mtfc::test;
namespace fs = std::filesystem;

TEST_CASE("every mistake in tests/errors is reported once, on its line") {
  const std::vector<fs::path> files = files_with_mistakes<fs::directory_iterator>("tests/errors");
  REQUIRE(files.size() > 40);
  for (const fs::path& path : files) check_mistakes(path);
}

TEST_CASE("a used file that does not parse hides only what it holds") {
  Elaborated e(
      "use \"broken.mtf\"\ndim b = 2\ninput x[b] from gaussian(seed=1)\n"
      "y = of_broken(x over b)\nz = broken.other(y) + rate\nw[] = x\n",
      {}, MTFC_SOURCE_DIR "/tests/errors/beside/model.mtf");
  INFO(e.said());
  CHECK(e.codes() == "E100 E203");
}

namespace {
/// Codes that the elaborator gives.
bool is_ours(std::string_view code) {
  const std::string_view kind = code.substr(0, 2);
  return kind == "E2" || kind == "E3" || kind == "W3" || kind == "N3" || code == "E190";
}
}  // namespace

TEST_CASE("every kind of diagnostic of the elaborator has a test and a page") {
  std::set<std::string> provoked;
  for (const auto& path : files_with_mistakes<fs::recursive_directory_iterator>("tests/errors"))
    for (const Expectation& x : expectations(read(path))) provoked.insert(x.code);
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    if (!is_ours(kind.code)) continue;
    INFO(kind.code << " " << kind.name);
    CHECK(provoked.count(std::string(kind.code)) == 1);
    CHECK(std::filesystem::exists(std::string(MTFC_SOURCE_DIR "/docs/diagnostics/") +
                                  std::string(kind.code) + ".md"));
  }
}

}  // namespace frontend_elaborate_errors_test
