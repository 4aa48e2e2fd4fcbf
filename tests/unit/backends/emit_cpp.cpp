// Emitted text: names cannot become code, and the mesh's size is no matter of lines.
#include <algorithm>
#include <catch2/catch.hpp>

#include "backends/backends.h"
#include "backends/emit/cpp/cpp_text.h"
#include "lab.h"

namespace backends_emit_cpp_test {

using namespace lab;

TEST_CASE("names become identifiers") {
  using backends::identifier;
  CHECK(identifier("h", 3) == "h_3");
  CHECK(identifier("layers.0.attn.q", 12) == "layers_0_attn_q_12");
  CHECK(identifier("", 1) == "t_1");
  CHECK(identifier("__reserved__'", 1) == "reserved_1");
  CHECK(identifier("9lives", 1) == "lives_1");
  CHECK(identifier("x); system(\"rm\"); //", 1) == "x_system_rm_1");
  CHECK(identifier("M_PI", 2) == "m_pi_2");  // else a macro
  CHECK(identifier("?\?/\n*/", 7) == "t_7");
  CHECK(identifier("\xc3\xa9tat", 1) == "tat_1");
  CHECK(identifier(std::string(500, 'a'), 1).size() == 42);
}

TEST_CASE("strings and comments stay what they are") {
  using backends::comment;
  using backends::string_literal;
  CHECK(string_literal("a\"b\\c\n") == "\"a\\\"b\\\\c\\012\"");
  CHECK(string_literal("?\?/") == "\"\\?\\?/\"");
  CHECK(string_literal("\xc3\xa9") == "\"\\303\\251\"");
  CHECK(string_literal(std::string("a\0b", 3)) == "\"ab\"");
  CHECK(comment("end \\") == "end \\.");
  CHECK(comment("end \\  ") == "end \\.");  // GCC joins lines here, too
  CHECK(comment("two\nlines\r*/") == "two?lines?*/");
  CHECK(comment("?\?/").find("?\?/") == std::string::npos);
}

TEST_CASE("numbers read back as they were") {
  using backends::number;
  CHECK(number(2.0) == "2.0");
  CHECK(number(0.1) == "0.1");
  CHECK(number(1e300) == "1e+300");
  CHECK(number(-1.0 / 0.0) == "-std::numeric_limits<double>::infinity()");
}

TEST_CASE("the lines of an emitted program do not depend on the mesh's size") {
  const auto lines = [](std::int64_t rows, std::int64_t cols) {
    Lab lab({{"rows", rows}, {"cols", cols}});
    const AxisId a0 = axis(0), a1 = axis(1);
    const DimId b = lab.dim("b", 64), k = lab.dim("k", 64);
    const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}, {k, {a1}}}));
    const ValueId sum = lab.add(Reduce{Combine::sum, {k}}, {x}, lab.type({b}, {{b, {a0}}}, {a1}));
    const ValueId all = lab.add(AllReduce{Combine::sum, {a1}}, {sum}, lab.type({b}, {{b, {a0}}}));
    lab.fetch(lab.add(AllGather{{b}, a0}, {all}, lab.type({b})));
    std::int64_t count = 0;
    for (const auto& file : backends::mpi().emit({Compilation(lab.module), SourceMap{}}))
      count += std::count(file.text.begin(), file.text.end(), '\n');
    return count;
  };
  CHECK(lines(2, 2) == lines(32, 16));
}

}  // namespace backends_emit_cpp_test
