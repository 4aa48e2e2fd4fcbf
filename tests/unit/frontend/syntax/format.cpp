#include <catch2/catch.hpp>

#include "lab.h"
#include "show.h"

namespace frontend_syntax_format_test {

using namespace mtfc;

namespace {

std::string formatted(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  return format_model(sources, sources.add("m.mtf", text), diagnostics).value_or("<errors>");
}

const std::string untidy =
    "# head   \n\n\n\nuse   \"nn.mtf\"\n"
    "block f( x,y [ ..., d ] : int,rate = 0.1, dim kv,dim h = 3 over a , b' -> c )\n"
    "{   # open\nx = -a^2+ - b * (-3) - dims\n # inside\n\n\n  y =\n   f(\n  a,\nb\n)\n"
    " z = x . field\n   repeat @lab i in (3) { y = y }  if not training { x = 1 }\n"
    " else if (a) { x = x [ a->b , (c,d) -> e,f = 0 : 3 -> g, h = i else 0 ] }\n"
    " else { }\n   # last\n }\r\n"
    "param a,b [ d ]~normal( 0.2 )   # one\nparam c[d] : f32 = 3 # two\n"
    "instance g=f @ name\nu[dims(x) - d] ~ uniform(0,1)\n"
    "a,b [d]:int= f(x,data = 3 ,\n over=4 over d)\n"
    "train{ optimizer = sgd(lr = 0.1) , steps = 3 seed = 4\n"
    " params \"a\" , \"b\" { frozen = true decay = -1 } }\n"
    "generate l from t over d {start=0}\nloss   m  = mean( x )";

const std::string tidy =
    "# head\n\nuse \"nn.mtf\"\n"
    "block f(x, y[..., d]: int, rate=0.1, dim kv, dim h=3 over a, b' -> c) {  # open\n"
    "  x = -a^2 + -b * (-3) - dims\n  # inside\n\n"
    "  y =\n      f(\n          a,\n          b\n      )\n"
    "  z = x.field\n  repeat@lab i in (3) { y = y }  if not training { x = 1 }\n"
    "  else if (a) { x = x[a -> b, (c, d) -> e, f = 0:3 -> g, h = i else 0] }\n"
    "  else { }\n  # last\n}\n"
    "param a, b [d] ~ normal(0.2)  # one\nparam c[d]: f32 = 3           # two\n"
    "instance g = f@name\nu[dims(x) - d] ~ uniform(0, 1)\n"
    "a, b[d]: int = f(x, data=3,\n                 over=4 over d)\n"
    "train { optimizer = sgd(lr=0.1), steps = 3  seed = 4\n"
    "  params \"a\", \"b\" { frozen = true  decay = -1 } }\n"
    "generate l from t over d { start = 0 }\nloss m = mean(x)\n";

}  // namespace

TEST_CASE("the house style") {
  CHECK(formatted(untidy) == tidy);
  CHECK(formatted(tidy) == tidy);
}

TEST_CASE("formatting changes no meaning") {
  const lab::Parsed before(untidy);
  const lab::Parsed after(formatted(untidy));
  REQUIRE((before.tree && after.tree));
  CHECK(lab::show(*before.tree) == lab::show(*after.tree));
}

TEST_CASE("small texts to format") {
  CHECK(formatted("") == "");
  CHECK(formatted("\n\n") == "");
  CHECK(formatted("# a") == "# a\n");
  CHECK(formatted("x = a # b\n# c\n\n\n# d\n") == "x = a  # b\n# c\n\n# d\n");
  CHECK(formatted("x = a +\nb") == "x = a +\n    b\n");
  CHECK(formatted("x = )") == "<errors>");
}

}  // namespace frontend_syntax_format_test
