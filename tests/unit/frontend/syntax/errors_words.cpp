#include <catch2/catch.hpp>

#include "lab.h"

namespace frontend_syntax_errors_words_test {

using mtfc::lab::Parsed;

// What users read, word for word. After a change of the wording, look at each of them.

TEST_CASE("a definition on the line of a dim") {
  CHECK(Parsed(R"(dim batch = 64 io = 784, hidden = 512
x = )
)")
            .report() ==
        R"(error[E105]: missing `,` before `io`
 --> m.mtf:1:16
1 | dim batch = 64 io = 784, hidden = 512
  | --- on the line of this `dim`
  |                ^^ this defines a tensor, not a `dim`
  = help: separate the definitions by `,`; define a tensor on a line of its own
error[E100]: expected an expression, found `)`
 --> m.mtf:2:5
2 | x = )
  |     ^ expected an expression
)");
}

TEST_CASE("reserved words as names") {
  CHECK(Parsed(R"(dim data = 3
x = loss + 1
input = 4
)")
            .report() ==
        R"(error[E106]: `data` is a reserved word, not a name
 --> m.mtf:1:5
1 | dim data = 3
  |     ^^^^ reserved
  = help: choose another name, for example `data_`
error[E106]: `loss` is a reserved word, not a name
 --> m.mtf:2:5
2 | x = loss + 1
  |     ^^^^ reserved
  = help: choose another name, for example `loss_`
error[E106]: `input` is a reserved word, not a name
 --> m.mtf:3:1
3 | input = 4
  | ^^^^^ reserved
  = help: choose another name, for example `input_`
)");
}

TEST_CASE("chained comparisons") {
  CHECK(Parsed(R"(x = low <= x < high
)")
            .report() ==
        R"(error[E107]: comparisons do not chain
 --> m.mtf:1:14
1 | x = low <= x < high
  |         -- first comparison
  |              ^ second comparison
  = help: write `... <= x and x < ...`
)");
}

TEST_CASE("numbers") {
  CHECK(Parsed(R"(x = .5
y = 3.
w = 1_000
)")
            .report() ==
        R"(error[E108]: `.5` is not a number of the language
 --> m.mtf:1:5
1 | x = .5
  |     ^^
  = help: write a digit before the point: `0.5`
error[E108]: `3.` is not a number of the language
 --> m.mtf:2:5
2 | y = 3.
  |     ^^
  = help: write a digit after the point: `3.0`
)");
}

TEST_CASE("a number that ends in a point is at fault for the statement that it swallows") {
  CHECK(Parsed(R"(param p[d] = 1.
loss mean(x)
y = 1.5.
)")
            .report() ==
        R"(error[E108]: `1.` is not a number of the language
 --> m.mtf:1:14
1 | param p[d] = 1.
  |              ^^
  = help: write a digit after the point: `1.0`
error[E108]: `1.5.` is not a number of the language
 --> m.mtf:3:5
3 | y = 1.5.
  |     ^^^^
  = help: leave the point out: `1.5`
)");
}

TEST_CASE("loss and train are statements") {
  CHECK(Parsed(R"(loss = mean(x)
train = { steps = 3 }
)")
            .report() ==
        R"(error[E109]: `loss` is a statement, not a name
 --> m.mtf:1:6
1 | loss = mean(x)
  |      ^ no `=` here
  = help: write `loss e`, or `loss name = e`
error[E109]: `train` is a statement, not a name
 --> m.mtf:2:7
2 | train = { steps = 3 }
  |       ^ no `=` here
  = help: write `train { optimizer = sgd(lr=0.01)  steps = 100 }`
)");
}

TEST_CASE("arguments after lists") {
  CHECK(Parsed(R"(y = dropout(x over d, rate=0.1)
z = f(x -> a over b)
)")
            .report() ==
        R"(error[E110]: an argument after a list of dimensions
 --> m.mtf:1:23
1 | y = dropout(x over d, rate=0.1)
  |               ---- comes after this list
  |                       ^^^^^^^^ this argument
  = help: arguments come first: `dropout(x, rate=0.1 over d)`
error[E110]: `over` comes before `->`
 --> m.mtf:2:14
2 | z = f(x -> a over b)
  |         -- and this one last
  |              ^^^^ this list comes first
  = help: write `f(... over a -> b)`
)");
}

TEST_CASE("strings") {
  CHECK(Parsed(R"(use "nn.mtf
data t = chars('a.txt')
x = "a\q"
)")
            .report() ==
        R"(error[E111]: a string is not closed on its line
 --> m.mtf:1:5
1 | use "nn.mtf
  |     ^^^^^^^ opened here
  = help: strings end with `"` on the line where they begin
error[E112]: `'` is not a symbol of the language
 --> m.mtf:2:16
2 | data t = chars('a.txt')
  |                ^
  = help: strings are written in double quotes: `"..."`
error[E111]: unknown escape in a string
 --> m.mtf:3:7
3 | x = "a\q"
  |       ^^ not an escape
  = help: the escapes are `\"`, `\\`, `\n` and `\t`; a backslash itself is
          written `\\`
)");
}

TEST_CASE("foreign symbols") {
  CHECK(Parsed(R"(x = 3; y = 4;
z = a && b
w = a ** b
v = a → b
// comment here
u = 1
)")
            .report() ==
        R"(error[E112]: statements are not separated by `;`
 --> m.mtf:1:6
1 | x = 3; y = 4;
  |      ^ not needed
  = note: there are 2 of them in m.mtf
  = help: remove it: a new statement begins with a word such as `param`, or with
          `name =`
error[E112]: `&&` is not a symbol of the language
 --> m.mtf:2:7
2 | z = a && b
  |       ^^
  = help: write `and`
error[E112]: `**` is not a symbol of the language
 --> m.mtf:3:7
3 | w = a ** b
  |       ^^
  = help: a power is written `a ^ b`
error[E112]: `→` is not a symbol of the language
 --> m.mtf:4:7
4 | v = a → b
  |       ^
  = help: write `->`
)");
}

TEST_CASE("equals and comparison") {
  CHECK(Parsed(R"(if a = b { x = 3 }
x == 4
z = f(a + 1 = b)
v = x[d == 3]
)")
            .report() ==
        R"(error[E113]: `=` where `==` is meant
 --> m.mtf:1:6
1 | if a = b { x = 3 }
  |      ^ `=` defines
  = help: to compare, write `==`
error[E113]: `==` where a definition has `=`
 --> m.mtf:2:3
2 | x == 4
  |   ^^ `==` compares
  = help: write `=`
error[E113]: the text before `=` is not the name of an argument
 --> m.mtf:3:13
3 | z = f(a + 1 = b)
  |       ----- a named argument begins with one word
  |             ^ `==` compares
  = help: to compare, write `==`
error[E113]: `==` where an index has `=`
 --> m.mtf:4:9
4 | v = x[d == 3]
  |         ^^ `==` compares
  = help: write `=`
)");
}

TEST_CASE("habits of other languages") {
  CHECK(Parsed(R"(h = einsum(x, w, over io)
i = einsum(x, w, -> io)
q = c ? x : 0
)")
            .report() == R"(error[E110]: no comma stands before `over`
 --> m.mtf:1:16
1 | h = einsum(x, w, over io)
  |                ^ remove it
  = help: arguments are separated by commas, lists follow them without one:
          `f(a, b over c -> d)`
error[E110]: no comma stands before `->`
 --> m.mtf:2:16
2 | i = einsum(x, w, -> io)
  |                ^ remove it
  = help: arguments are separated by commas, lists follow them without one:
          `f(a, b over c -> d)`
error[E112]: `?` is not a symbol of the language
 --> m.mtf:3:7
3 | q = c ? x : 0
  |       ^
  = help: a choice is `if c then a else b`, for each element `where(c, a, b)`
)");
  const auto helps = [](const std::string& text, const std::string& help) {
    const std::string report = Parsed(text).report();
    INFO(report);
    CHECK(report.find("= help: " + help) != std::string::npos);
  };
  helps("q = x[0:10]\n", "an index names its dimension: `x[d = 0]`");
  helps("q = x[:, 0]\n", "an index names its dimension: `x[d = 0]`");
  helps("dim batch 64\n", "a size follows `=`: `batch = 64`");
  helps("dim batch: 64\n", "a size follows `=`: `batch = 64`");
  helps("batch: 64\n", "a type follows `:`");
  helps("param 2b[d] = 0\n", "a name begins with a letter or `_`");
  helps("my-long-name = x\n", "names have no dashes: `my_long_name`");
  helps("\xCE\xBC = mean(x)\n", "names are made of the letters a to z, digits and `_`");
  helps("h += 1\n", "write `h = h + ...`");
  helps("h <- 1\n", "a definition is written `h = ...`");
  helps("h = x @ w\n", "`@` names an instance of a block");
  helps("h = (x * x).sum()\n", "there are no methods: write `sum(...)`");
  helps("param z[d]\n", "an initial value follows: `~ normal(0.02)`");
  helps("block f(x) { x + 1 }\n", "the value of a block is written `return ...`");
  helps("z = einsum(data, v over d)\n", "choose another name, for example `data_`");
}

TEST_CASE("an expression that is missing") {
  CHECK(Parsed(R"(x = 3 +

param w[d] = 0
y = f(, 3)
z = f(x y)
)")
            .report() ==
        R"(error[E100]: expected an expression after `+`
 --> m.mtf:1:8
1 | x = 3 +
  |        ^ expected an expression
...
3 | param w[d] = 0
  | ----- a new statement starts here
error[E100]: expected an argument or `)`, found `,`
 --> m.mtf:4:7
4 | y = f(, 3)
  |       ^ expected an argument or `)`
error[E100]: expected `,` or `)`, found `y`
 --> m.mtf:5:9
5 | z = f(x y)
  |      - opened here
  |         ^ expected `,` or `)`
)");
}

TEST_CASE("statements of other languages") {
  CHECK(Parsed(R"(let x = 3
for i in 3 { }
dense(x)
inptu y[d] from z
y = a b
x = [1, 2]
)")
            .report() ==
        R"(error[E100]: `let` does not begin a statement
 --> m.mtf:1:1
1 | let x = 3
  | ^^^ not a statement
  = help: a definition has no keyword: `name = ...`
error[E100]: a value alone is not a statement
 --> m.mtf:3:1
3 | dense(x)
  | ^^^^^ its result goes nowhere
  = help: give it a name: `y = dense(...)`
error[E100]: expected an operator before `b`
 --> m.mtf:5:7
5 | y = a b
  |     - directly after this one
  |       ^ a second value
  = help: join them by an operator, or begin a statement: `name = ...`
error[E100]: expected an expression, found `[`
 --> m.mtf:6:5
6 | x = [1, 2]
  |     ^ expected an expression
  = help: there are no list values; dimensions are listed without brackets after
          `over` and `->`
)");
}

TEST_CASE("settings of parameters are no statement") {
  CHECK(Parsed("params \"w\" { frozen = true }\n").report() ==
        R"(error[E100]: `params` does not begin a statement
 --> m.mtf:1:1
1 | params "w" { frozen = true }
  | ^^^^^^ not a statement
  = help: settings of parameters: `train { params "..." { lr_scale = 0.1 } }`
)");
}

TEST_CASE("forms that are nearly right") {
  CHECK(Parsed(R"(block f(x) -> y { return y }
param b = 3
input x from y
y = if c { 1 } else { 2 }
train { steps: 3 }
)")
            .report() ==
        R"(error[E100]: expected `{`, found `->`
 --> m.mtf:1:12
1 | block f(x) -> y { return y }
  |            ^^ expected `{`
  = help: the lists belong inside the parentheses:
          `block f(x over a -> b) { ... }`
error[E100]: expected `[`, found `=`
 --> m.mtf:2:9
2 | param b = 3
  |         ^ expected `[`
  = help: a parameter lists its dimensions: `param w[a, b] ~ ...`,
          `param s[] = ...` for one number
error[E100]: expected `[`, found the reserved word `from`
 --> m.mtf:3:9
3 | input x from y
  |         ^^^^ expected `[`
  = help: an input lists its dimensions: `input x[batch, d] from ...`
error[E100]: expected `then`, found `{`
 --> m.mtf:4:10
4 | y = if c { 1 } else { 2 }
  |          ^ expected `then`
  = help: as a value it is `if c then a else b`
error[E100]: expected `=`, found `:`
 --> m.mtf:5:14
5 | train { steps: 3 }
  |              ^ expected `=`
  = help: a setting is `key = value`
)");
}

TEST_CASE("a comment with slashes") {
  CHECK(Parsed(R"(x = 3 // the sum of
y = 4
)")
            .report() ==
        R"(error[E100]: expected an operator before `sum`
 --> m.mtf:1:14
1 | x = 3 // the sum of
  |          --- directly after this one
  |              ^^^ a second value
  = help: join them by an operator, or begin a statement: `name = ...`
  = help: `//` divides and rounds down; a comment begins with `#`
)");
}

TEST_CASE("the end of the file") {
  CHECK(Parsed(R"(x = 3 +)").report() ==
        R"(error[E100]: expected an expression, found the end of the file
 --> m.mtf:1:8
1 | x = 3 +
  |        ^ expected an expression
)");
}

}  // namespace frontend_syntax_errors_words_test
