// The text of a layout with another mesh.
#include "frontend/layout/replace_mesh.h"

#include <catch2/catch.hpp>

namespace frontend_layout_replace_mesh_test {

using namespace mtfc;

TEST_CASE("a layout's own mesh is taken out, rules and comments stay") {
  const Mesh mesh{{{"rows", 2}, {"cols", 4}}};
  CHECK(with_mesh("", mesh) == "mesh rows=2, cols=4\n\n");
  CHECK(with_mesh("batch:rows\n", mesh) == "mesh rows=2, cols=4\nbatch:rows\n");
  CHECK(with_mesh("# four\nmesh rows=4\nbatch:rows", mesh) ==
        "mesh rows=2, cols=4\n# four\n\nbatch:rows\n");
}

}  // namespace frontend_layout_replace_mesh_test
