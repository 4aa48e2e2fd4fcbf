// Mistakes that passes find before layouts are known.
#include "unit/frontend/elaborate/mistakes.h"
#include "lowering/graph/generation/derive_generation.h"
#include "lowering/graph/microbatch/split_batch.h"

namespace lowering_graph_mistakes_test {

using namespace mtfc;
using namespace mtfc::test;
namespace fs = std::filesystem;

TEST_CASE("every mistake that passes find is reported once, on its line") {
  const std::vector<fs::path> files =
      files_with_mistakes<fs::directory_iterator>("tests/errors/passes");
  REQUIRE(files.size() == 5);
  for (const fs::path& path : files)
    check_mistakes(path, [](Elaborated& e) {
      if (e.model && !lowering::split_batch(*e.model, e.diagnostics)) e.model.reset();
      if (e.model) lowering::check_generation(*e.model, e.diagnostics);
    });
}

}  // namespace lowering_graph_mistakes_test
