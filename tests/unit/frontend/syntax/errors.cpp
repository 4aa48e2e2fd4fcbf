#include <catch2/catch.hpp>

#include "lab.h"

namespace frontend_syntax_errors_test {

using mtfc::lab::Parsed;

// What users read, word for word. After a change of the wording, look at each of them.

TEST_CASE("a call that is never closed") {
  CHECK(Parsed(R"(dim d_model = 4
q = einsum(x, wq over d_model
k = einsum(m, wk over d_model)
)")
            .report() ==
        R"(error[E101]: call to `einsum` is never closed
 --> m.mtf:2:11
2 | q = einsum(x, wq over d_model
  |           ^ opened here
3 | k = einsum(m, wk over d_model)
  | - a new statement starts here
  = help: add `)` at the end of line 2
)");
}

TEST_CASE("a call that is never closed, seen late") {
  CHECK(Parsed(R"(q = f(a +
z = 3
param w[d] = 0
)")
            .report() ==
        R"(error[E101]: call to `f` is never closed
 --> m.mtf:1:6
1 | q = f(a +
  |      ^ opened here
2 | z = 3
  | - a new statement starts here
  = help: add `)` at the end of line 1
)");
}

TEST_CASE("an argument list that is never closed") {
  CHECK(Parsed(R"(block f(x, y {
  return x
}
z = 3
)")
            .report() ==
        R"(error[E101]: argument list of `f` is never closed
 --> m.mtf:1:8
1 | block f(x, y {
  |        ^ opened here
  |              - expected `)` before this
  = help: add `)` before `{`
)");
}

TEST_CASE("a bracket closed by another") {
  CHECK(Parsed(R"(y = f(x]
)")
            .report() ==
        R"(error[E101]: call to `f` is closed by `]`
 --> m.mtf:1:8
1 | y = f(x]
  |      - opened here
  |        ^ expected `)`
)");
}

TEST_CASE("a block that is never closed") {
  CHECK(Parsed(R"(block f(x) {
  if x {
    y = 1
}
z = f(3)
)")
            .report() ==
        R"(error[E101]: `{` is never closed
 --> m.mtf:2:8
2 |   if x {
  |        ^ opened here
...
4 | }
  | - by its indentation, behind the block
  = help: add `}` before line 4
)");
}

TEST_CASE("settings that are never closed") {
  CHECK(Parsed(R"(train {
  steps = 3
param w[d] = 0
)")
            .report() ==
        R"(error[E101]: `{` is never closed
 --> m.mtf:1:7
1 | train {
  |       ^ opened here
...
3 | param w[d] = 0
  | ----- a new statement starts here
  = help: add `}` before line 3
)");
}

TEST_CASE("a bracket that closes nothing") {
  CHECK(Parsed(R"(y = 3)
}
)")
            .report() ==
        R"(error[E100]: `)` closes nothing
 --> m.mtf:1:6
1 | y = 3)
  |      ^ no bracket is open here
error[E100]: `}` closes nothing
 --> m.mtf:2:1
2 | }
  | ^ no bracket is open here
)");
}

TEST_CASE("a comma missing in a call") {
  CHECK(Parsed(R"(q = f(x
      rate = 3)
)")
            .report() ==
        R"(error[E100]: expected `,` or `)` before `rate`
 --> m.mtf:1:8
1 | q = f(x
  |      - inside this `(`
  |        ^ expected `,` or `)`
)");
}

TEST_CASE("one mistake is one error, and the rest of the file is read") {
  CHECK(Parsed("x = )\ny = ]\nz = 3\nw = f(\n").codes() == "E100 E100 E101");
  CHECK(Parsed("block f(x) {\n  y = )\n  return y\n}\nz = )\n").codes() == "E100 E100");
  CHECK(Parsed("if a {\n  x = )\n} else if b {\n  y = 3\n} else {\n  z = ]\n}\nw = 2\n").codes() ==
        "E100 E100");
  CHECK(Parsed("train {\n  steps = )\n  params \"x\" { frozen = true }\n}\nx = )\n").codes() ==
        "E100 E100");
  CHECK(Parsed("repeat n\n  x = 1\n}\ny = 2\n").codes() == "E100");
  CHECK(Parsed("x = a < b < c\ny = )\n").codes() == "E107 E100");
  // An `else` after a broken `if` is no second mistake; after what is right it is the only one.
  CHECK(Parsed("recompute { } else { }\nx = 1\n").codes() == "E100");
}

TEST_CASE("at most twenty syntax errors") {
  CHECK(Parsed(mtfc::lab::repeated("x = )\n", 100)).diagnostics.errors() == 20);
}

TEST_CASE("expressions of the command line") {
  CHECK(Parsed("2 * heads", true).codes().empty());
  CHECK(Parsed("", true).codes() == "E100");
  CHECK(Parsed("1 2", true).report() ==
        "error[E100]: expected the end of the expression, found `2`\n"
        " --> m.mtf:1:3\n1 | 1 2\n  |   ^ expected the end of the expression\n");
  CHECK(Parsed("f(x", true).codes() == "E101");
}

}  // namespace frontend_syntax_errors_test
