// What the rules of a layout mean for a model, one rule of the language at a time.
#include <catch2/catch.hpp>

#include "lab.h"
#include "layout/divisibility.h"
#include "layout/rules.h"

namespace layout_rules_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// Tensors with the dimensions row, col, row2, len, len' and two local ones named k.
struct Named : Lab {
  Named() : Lab("dim row = 8, col = 8, row2 = 8, len = 8\n") {
    row = dim("row", 8), col = dim("col", 8), row2 = dim("row2", 8), len = dim("len", 8);
    alias = dim("len'", 8), k1 = dim("k", 4, "conv1"), k2 = dim("k", 6, "conv2");
    unused = dim("unused", 7);
    for (DimId each : {row, col, row2, len, alias, k1, k2})
      input("t" + model.dims.name(each), {each});
  }
  DimId row, col, row2, len, alias, k1, k2, unused;
};

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

}  // namespace

TEST_CASE("patterns of names") {
  using lowering::matches;
  CHECK(matches("row", "row"));
  CHECK(matches("*", "row"));
  CHECK(matches("r*w*2", "row_w2"));
  CHECK(matches("row*", "row"));
  CHECK_FALSE(matches("row", "row2"));
  CHECK_FALSE(matches("*x", "row"));
  CHECK_FALSE(matches("r*r", "r"));
  // Aliases only where the prime is written.
  CHECK_FALSE(matches("len*", "len'"));
  CHECK_FALSE(matches("*", "len''"));
  CHECK(matches("*''", "len''"));
  CHECK_FALSE(matches("*'", "len"));
}

TEST_CASE("a rule splits the dimension of its name, and no other") {
  Named m;
  CHECK(m.codes("mesh a=2; row:a") == "");
  CHECK(m.axis_of(m.row) == "a");
  CHECK(m.axis_of(m.row2) == "");
  CHECK(m.axis_of(m.col) == "");
  CHECK(m.assignment->cause(m.row) == "row:a");
}

TEST_CASE("an exact rule beats a pattern") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; row*:a; row:b") == "");
  CHECK(m.axis_of(m.row) == "b");
  CHECK(m.axis_of(m.row2) == "a");
}

TEST_CASE("two patterns that send one dimension to different axes") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; row*:a; r*:b") == "E404");
  CHECK(m.codes("mesh a=2, b=2; row*:a; r*:a") == "");
  // An exact rule decides, also where patterns disagree.
  CHECK(m.codes("mesh a=2, b=2; row2*:a; ro*:b; row2:a") == "");
}

TEST_CASE("a rule that others beat wherever it matches splits nothing") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; row*:a; row:b; row2:b") == "W410");
  CHECK(mentions(m.check("mesh a=2, b=2; row2*:a; row2:b"), "`row2:b` holds for what it matches"));
  CHECK(mentions(m.check("mesh a=2, b=2; row2*:a; row2:b"), "nothing else is split over `a`"));
  CHECK(m.codes("mesh a=2, b=2; row2*?:a; row2:b; col:a") == "");
  CHECK(m.codes("mesh a=1, b=2; row2*:a; row2:b") == "");
}

TEST_CASE("one dimension on two axes, and the same rule twice") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; row:a; row:b") == "E404");
  CHECK(m.codes("mesh a=2, b=2; row:a; row:a") == "W411");
  CHECK(m.codes("mesh a=2, b=2; row:a; row?:a") == "W411");
}

TEST_CASE("a dimension on several axes, major to minor") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; row:a+b") == "");
  CHECK(m.axis_of(m.row) == "a+b");
  CHECK(m.codes("mesh a=2, b=2; row:b+a") == "");
  CHECK(m.axis_of(m.row) == "b+a");
  // Axes of size 1 drop out.
  CHECK(m.codes("mesh a=2, b=1; row:b+a") == "");
  CHECK(m.axis_of(m.row) == "a");
  // All of them are checked, and their product must divide.
  CHECK(m.codes("mesh a=2, b=2; row:a+c") == "E403");
  CHECK(mentions(m.check("mesh a=2, b=3; row!:a+b"), "cannot be split 6 ways over `a+b`"));
  CHECK(m.codes("mesh a=2, b=2; row:a; row:a+b") == "E404");
  CHECK(mentions(m.check("mesh a=2, b=2; row:a; row:b"), "or split over both: `row:a+b`"));
}

TEST_CASE("aliases follow only rules with the prime") {
  Named m;
  CHECK(m.codes("mesh a=2, b=2; len:a") == "");
  CHECK(m.axis_of(m.alias) == "");
  CHECK(m.codes("mesh a=2, b=2; len':b") == "");
  CHECK(m.axis_of(m.len) == "");
  CHECK(m.axis_of(m.alias) == "b");
}

TEST_CASE("local dimensions are ruled by name, each at its own size") {
  Named m;
  CHECK(m.codes("mesh a=2; k:a") == "");
  CHECK(m.axis_of(m.k1) == "a");
  CHECK(m.axis_of(m.k2) == "a");
  const std::string text = m.check("mesh a=4; k!:a");
  CHECK(mentions(text, "`k` (6) cannot be split 4 ways"));
  CHECK(mentions(text, "`k` belongs to `conv2`"));
  CHECK_FALSE(mentions(text, "conv1"));
  const std::string padded = m.check("mesh a=4; k:a");
  CHECK(mentions(padded, "`k` (6) is padded to 8 for 4 shards over `a`"));
  CHECK(mentions(padded, "`k` belongs to `conv2`"));
  CHECK_FALSE(mentions(padded, "conv1"));
}

TEST_CASE("an axis of size 1 splits nothing and makes nothing illegal") {
  TwoLayer m;
  CHECK(m.codes("batch:rows; hidden:cols", "rows:4;cols:1") == "");
  CHECK(m.axis_of(m.batch) == "rows");
  CHECK(m.axis_of(m.hidden) == "");
  CHECK(m.codes("batch:one; hidden:one; io:one", "one:1") == "");
  CHECK(m.codes("batch:rows; batch:one", "rows:4;one:1") == "");
  CHECK(m.axis_of(m.batch) == "rows");
}

TEST_CASE("a rule that matches nothing is a warning, with ? it is none") {
  Named m;
  const std::string text = m.check("mesh a=2; rwo:a");
  CHECK(mentions(text, "warning[W410]"));
  CHECK(mentions(text, "did you mean `row`?"));
  CHECK(mentions(text, "`rwo?:a`"));
  CHECK(m.legal);
  CHECK(m.codes("mesh a=2; rwo?:a") == "");
  CHECK(m.codes("mesh a=2; x*:a") == "W410");
}

TEST_CASE("a dimension that no tensor has is never split in silence") {
  Named m;
  const std::string text = m.check("mesh a=2; unused:a");
  CHECK(mentions(text, "W410"));
  CHECK(mentions(text, "no tensor has this dimension"));
  CHECK(m.legal);
}

TEST_CASE("an axis that does not exist is an error only if the model has the dimension") {
  Named m;
  CHECK(m.codes("mesh a=2; row:b") == "E403");
  CHECK(m.codes("mesh a=2; row?:b") == "E403");
  CHECK(m.codes("mesh a=2; experts:b") == "W410");
  CHECK(m.codes("mesh a=2; experts?:b") == "");
  CHECK(mentions(m.check("mesh a=2; experts:b"), "the mesh has no axis `b` either"));
}

TEST_CASE("meshes: one is needed for rules, --mesh replaces the layout's") {
  Named m;
  CHECK(m.codes("row:a") == "E405");
  CHECK(m.codes("[]") == "");
  CHECK(m.assignment->mesh.processors() == 1);
  CHECK(m.codes("row:a", "a:4") == "");
  CHECK(m.codes("mesh a=2; row:a", "a:4") == "N421");
  CHECK(m.assignment->mesh.processors() == 4);
  CHECK(m.codes("mesh a=4; row:a", "a:4") == "");
}

TEST_CASE("settings are never passed over in silence") {
  Named m;
  CHECK(m.codes("set wire=bf16\nset reduce=library") == "");
  CHECK(m.codes("set updat=sharded") == "E301");
}

TEST_CASE("arithmetic of sizes") {
  using namespace lowering;
  CHECK(factorisation(50257) == "50257 = 29 * 1733");
  CHECK(factorisation(8) == "8 = 2 * 2 * 2");
  CHECK(factorisation(7) == "7 is prime");
  CHECK(factorisation(2147483647) == "2147483647 is prime");
  CHECK(padding(50257, 8).size == 50304);
  CHECK(padding(65, 2).size == 66);
  CHECK(padding(65, 2).waste == "1.5 %");
}

TEST_CASE("golden: a size that its axis does not divide") {
  Transformer m(50257);
  m.set_origin(m.vocab, "-D vocab=50257");
  CHECK(m.check("mesh rows=2, cols=8\nbatch:rows; d_ff:cols; vocab!:cols\n") ==
        "error[E401]: `vocab` (50257) cannot be split 8 ways over `cols`\n"
        " --> test.layout:2:24\n"
        "2 | batch:rows; d_ff:cols; vocab!:cols\n"
        "  |                        ^^^^^^^^^^^ 50257 = 29 * 1733; remainder 1\n"
        " ::: model.mtf:1:29\n"
        "1 | dim batch = 8, length = 64, vocab = 65\n"
        "  |                             ----- size set by -D vocab=50257\n"
        "  = note: affects 2 tensors: `wte` and `logits`\n"
        "  = help: change its size: -D vocab=50304 (next multiple of 8 * 16; +0.09 %)\n"
        "  = help: or remove the rule\n"
        "  = help: or let it be padded: without `!` and --strict\n");
}

TEST_CASE("golden: a size that its axis does not divide is padded") {
  Transformer m(50257);
  CHECK(m.check("mesh rows=2, cols=8\nbatch:rows; d_ff:cols; vocab:cols\n") ==
        "note[N422]: `vocab` (50257) is padded to 50264 for 8 shards over `cols`\n"
        " --> test.layout:2:24\n"
        "2 | batch:rows; d_ff:cols; vocab:cols\n"
        "  |                        ^^^^^^^^^^ 0.01 % more memory, 0.01 % more work\n");
  CHECK(m.legal);
}

TEST_CASE("padding that would be too large for a dimension is an error") {
  Lab m("dim i = 2147483647\nx\n");
  m.input("x", {m.dim("i", 2147483647)});
  CHECK(m.codes("i:a", "a:2") == "E401");
}

TEST_CASE("golden: an axis that does not exist, a rule that matches nothing") {
  Transformer m;
  CHECK(m.check("mesh rows=2, cols=4\nbatch:rows; heads:col\ndff:cols\n") ==
        "error[E403]: no mesh axis named `col`\n"
        " --> test.layout:2:19\n"
        "2 | batch:rows; heads:col\n"
        "  |                   ^^^ mesh is rows=2, cols=4\n"
        "  = help: did you mean `cols`?\n"
        "warning[W410]: rule `dff:cols` matches no dimension of this model\n"
        " --> test.layout:3:1\n"
        "3 | dff:cols\n"
        "  | ^^^\n"
        "  = help: did you mean `d_ff`? (for a layout shared by several models write\n"
        "          `dff?:cols`)\n");
}

}  // namespace layout_rules_test
