#include <catch2/catch.hpp>

#include "lab.h"
#include "show.h"

namespace frontend_syntax_parse_test {

using namespace mtfc;
using lab::Parsed;

namespace {

/// What the text means, or what was reported.
std::string read(const std::string& text) {
  const Parsed parsed(text);
  return parsed.tree ? lab::show(*parsed.tree) : parsed.report();
}

std::string read_expression(const std::string& text) {
  const Parsed parsed(text, true);
  return parsed.tree ? lab::show(*parsed.tree) : parsed.report();
}

}  // namespace

TEST_CASE("declarations") {
  CHECK(read("use \"nn.mtf\"") == "use \"nn.mtf\"\n");
  CHECK(read("dim batch = 64, d_head = d_model / heads") ==
        "dim batch = 64, d_head = (d_model / heads)\n");
  CHECK(read("const rate = 0.1, deep = layers > 4") == "const rate = 0.1, deep = (layers > 4)\n");
  CHECK(read("data text = chars(\"a.txt\", holdout=0.2)") ==
        "data text = chars(\"a.txt\", holdout=0.2)\n");
  CHECK(read("input tok[batch, length]: int from text.window") ==
        "input tok[batch, length]: int from text.window\n");
  CHECK(read("param wq, wk [d, heads]: f32 ~ normal(0.02)") ==
        "param wq wk [d, heads]: f32 ~ normal(0.02)\n");
  CHECK(read("param s[] = 1") == "param s [] = 1\n");
  CHECK(read("state m[c] = 0") == "state m[c] = 0\n");
  CHECK(read("state n: int = 0 update n = n + 1") == "state n: int = 0\nupdate n = (n + 1)\n");
  CHECK(read("instance f = dense@shared") == "instance f = dense@shared\n");
}

TEST_CASE("definitions and samples") {
  CHECK(read("logits[batch, vocab]: f32 = f(x)") == "logits[batch, vocab]: f32 = f(x)\n");
  CHECK(read("a, b[d] = f(x)") == "a, b[d] = f(x)\n");
  CHECK(read("u[dims(x) - d - e, h] ~ uniform(0, 1)") == "u[dims(x) - d - e, h] ~ uniform(0, 1)\n");
  CHECK(read("x = 1 y = 2\nz = x") == "x = 1\ny = 2\nz = x\n");
}

TEST_CASE("blocks, repeats and choices") {
  CHECK(read("# Two lines\n#  about it.\nblock f(x, m[..., d]: int, rate=0.1, dim kv, dim h = 2 "
             "over in' -> out) {\n  return x, m\n}") ==
        "# Two lines\n about it.\n"
        "block f(x, m[..., d]: int, rate=0.1, dim kv, dim h=2 over in' -> out) {\n"
        "  return x m\n}\n");
  CHECK(read("# not about it\n\nblock f() { }") == "block f() {\n}\n");
  CHECK(read("repeat layers { x = f(x) }") == "repeat layers {\n  x = f(x)\n}\n");
  CHECK(read("repeat@up i in n - 1 { }") == "repeat @up i in (n - 1) {\n}\n");
  CHECK(read("recompute { y = x }") == "recompute {\n  y = x\n}\n");
  CHECK(read("scan t over length { h = f(h) }") == "scan t over length {\n  h = f(h)\n}\n");
  CHECK(read("if a { x = 1 } else if b { x = 2 } else { x = 3 }") ==
        "if a {\n  x = 1\n}\nelse {\n  if b {\n    x = 2\n  }\n  else {\n    x = 3\n  }\n}\n");
}

TEST_CASE("losses, training, generation") {
  CHECK(read("loss mean(x)\nloss kl = mean(y)\nmetric acc = mean(z)") ==
        "loss mean(x)\nloss kl = mean(y)\nmetric acc = mean(z)\n");
  CHECK(read("train { optimizer = adamw(lr=cosine(peak=1e-3)), steps = 10  update = sharded\n"
             "params \"a.*\", \"**.b\" { frozen = true lr_scale = 0.5 } }") ==
        "train {\n  optimizer = adamw(lr=cosine(peak=1e-3))\n  steps = 10\n  update = sharded\n"
        "  params \"a.*\" \"**.b\"\n  frozen = true\n  lr_scale = 0.5\n}\n");
  CHECK(read("generate l from t over d") == "generate l from t over d\n");
  CHECK(read("generate l from t over d { start = 0 stop = 3 }") ==
        "generate l from t over d {\n  start = 0\n  stop = 3\n}\n");
}

TEST_CASE("operators bind as the language says") {
  const auto value = [](const std::string& text) {
    const std::string all = read_expression(text);
    return all.starts_with("value = ") ? all.substr(8, all.size() - 9) : all;
  };
  CHECK(value("a + b * c - d") == "((a + (b * c)) - d)");
  CHECK(value("a - b - c") == "((a - b) - c)");
  CHECK(value("a ^ b ^ c") == "(a ^ (b ^ c))");
  CHECK(value("-a ^ b") == "(-(a ^ b))");
  CHECK(value("a ^ -b * c") == "((a ^ (-b)) * c)");
  CHECK(value("- - a") == "(-(-a))");
  CHECK(value("a // b % c / d") == "(((a // b) % c) / d)");
  CHECK(value("not a == b and c or d") == "(((not (a == b)) and c) or d)");
  CHECK(value("a or b and not c < d + e") == "(a or (b and (not (c < (d + e)))))");
  CHECK(value("if a then b else c + d") == "(if a then b else (c + d))");
  CHECK(value("1 + if a then b else if c then d else e * f") ==
        "(1 + (if a then b else (if c then d else (e * f))))");
  CHECK(value("(a + b) * c") == "((a + b) * c)");
}

TEST_CASE("calls, fields and views") {
  const auto value = [](const std::string& text) { return read_expression(text).substr(8); };
  CHECK(value("f()") == "f()\n");
  CHECK(value("f(x, rate=0.1 over a, b' -> c)") == "f(x, rate=0.1 over a, b' -> c)\n");
  CHECK(value("nn.dense@up(x over d -> dims(y) - e)") == "nn.dense@up(x over d -> dims(y) - e)\n");
  CHECK(value("f(over=1, data=2, not=3, true=4)") == "f(over=1, data=2, not=3, true=4)\n");
  CHECK(value("text.from") == "text.from\n");
  CHECK(value("x[a -> b, (c, d) -> e, f -> (g, h)]") == "x[a -> b, c d -> e, f -> g h]\n");
  CHECK(value("x[a = i + 1, b = j else 0, c = 0:n - 1 -> d]") ==
        "x[a = (i + 1), b = j else 0, c = 0:(n - 1) -> d]\n");
  CHECK(value("f(x)[a -> b][b = 3]") == "f(x)[a -> b][b = 3]\n");
}

TEST_CASE("words that are names where no statement begins") {
  CHECK(read("in = 1 dims = in params = dims scan = params") ==
        "in = 1\ndims = in\nparams = dims\nscan = params\n");
  CHECK(read("x = step y = training") == "x = step\ny = training\n");
}

TEST_CASE("literals") {
  const Parsed parsed("x = 12 y = 1.5e3 z = 99999999999999999999 s = \"a\\\"b\\n\\\\\"");
  REQUIRE(parsed.tree);
  const auto& exprs = parsed.tree->exprs;
  const auto& x = std::get<ast::Number>(exprs[0].node);
  CHECK((x.whole && x.fits && x.integer == 12 && x.value == 12));
  const auto& y = std::get<ast::Number>(exprs[1].node);
  CHECK((!y.whole && y.value == 1500));
  CHECK_FALSE(std::get<ast::Number>(exprs[2].node).fits);
  CHECK(std::get<ast::String>(exprs[3].node).value == "a\"b\n\\");
}

TEST_CASE("places") {
  const Parsed parsed("y = (a + b)[d -> e] * c");
  REQUIRE(parsed.tree);
  const auto& statement = parsed.tree->statements[0];
  const auto& product = parsed.tree->at(std::get<ast::Assign>(statement.node).value);
  CHECK(parsed.sources.text(statement.span) == "y = (a + b)[d -> e] * c");
  CHECK(parsed.sources.text(statement.keyword) == "y");
  CHECK(parsed.sources.text(product.span) == "(a + b)[d -> e] * c");
  const auto& binary = std::get<ast::Binary>(product.node);
  CHECK(parsed.sources.text(binary.op_span) == "*");
  const auto& view = std::get<ast::View>(parsed.tree->at(binary.left).node);
  CHECK(parsed.sources.text(view.brackets) == "[d -> e]");
  CHECK(parsed.sources.text(parsed.tree->at(view.base).span) == "a + b");
  CHECK(parsed.tree->at(view.base).parenthesised);
}

TEST_CASE("line ends, marks and comments mean nothing") {
  const std::string plain = read("x = 1\ny = x + 2\n");
  CHECK(read("\xEF\xBB\xBFx = 1\r\ny = x +\r\n 2\r\n") == plain);
  CHECK(read("# \xC3\xA9t\xC3\xA9\nx = 1 # one\ny = x # \xE4\xB8\xAD\n+ 2") == plain);
  CHECK(read("") == "");
  CHECK(read("# nothing") == "");
}

}  // namespace frontend_syntax_parse_test
