// What a glob without a match may have meant: what the user wrote stays.
#include <catch2/catch.hpp>

#include "layout/meant_path.h"
#include "support/text.h"

namespace layout_meant_path_test {

using namespace mtfc::lowering;

namespace {

const std::set<std::string> kPaths = {
    "wte.table",      "layers.*.attn.wq",  "layers.*.attn.wk",    "layers.*.ln1.g",
    "layers.*.ln2.g", "layers.*.mlp.up.w", "layers.*.mlp.down.w", "out.w",
    "out.b"};

std::string meant(const std::string& glob, Within within = Within::whole_paths) {
  const auto found = meant_path(glob, kPaths, within);
  return found ? mtfc::joined(found->globs, " ") + (found->is_sure ? "" : "?") : "nothing";
}

}  // namespace

TEST_CASE("a glob gets the segments and stars that it lacks", "[layout]") {
  CHECK(meant("wq") == "layers.*.attn.wq");  // not the near `wk`
  CHECK(meant("g") == "**.g");
  CHECK(meant("attn.w*") == "layers.*.attn.w*");
  CHECK(meant("*") == "**");
  CHECK(meant("layers.*.mlp.*") == "layers.*.mlp.**");
  CHECK(meant("layers.*.wq") == "layers.**.wq");
  CHECK(meant("layers") == "layers.**");
  CHECK(meant("layers.0.attn") == "layers.0.attn.**");
  CHECK(meant("out") == "out.**");
  CHECK(meant("layers.attn.*") == "layers.**.attn.*");
}

TEST_CASE("a segment that no path has is spelled as one has it", "[layout]") {
  CHECK(meant("layer.*.attn.wq") == "layers.*.attn.wq");
  CHECK(meant("layers.*.atn.*") == "layers.*.attn.*");
  CHECK(meant("layer") == "layers.**");
  CHECK(meant("wv") == "**.w layers.*.attn.wk layers.*.attn.wq?");  // a short name may be another
  CHECK(meant("layers.*.ln3.g") == "layers.*.ln1.g layers.*.ln2.g?");
  CHECK(meant("layer.*", Within::beginnings) == "layers.*");
  CHECK(meant("nothing.like.it") == "nothing");
  CHECK(meant("other.wq") == "**.wq?");
  CHECK(meant("") == "nothing");
}

}  // namespace layout_meant_path_test
