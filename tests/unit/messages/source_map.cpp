#include <catch2/catch.hpp>

#include "messages/source_map.h"
#include "support/dtype.h"
#include "support/mesh.h"
#include "support/scalar.h"
#include "support/utf8.h"

namespace messages_source_test {

using namespace mtfc;

TEST_CASE("positions count lines and code points") {
  SourceMap sources;
  const FileId file = sources.add("m", "ab\n\xC3\xA9 x\r\n\nlast");
  CHECK(sources.position(file, 0) == Position{1, 1});
  CHECK(sources.position(file, 2) == Position{1, 3});
  CHECK(sources.position(file, 3) == Position{2, 1});
  CHECK(sources.position(file, 6) == Position{2, 3});
  CHECK(sources.position(file, 1000) == Position{4, 5});
  CHECK(sources.line_count(file) == 4);
  CHECK(sources.line(file, 2) == "\xC3\xA9 x");
  CHECK(sources.line(file, 3) == "");
  CHECK(sources.line(file, 4) == "last");
  CHECK(sources.line(file, 9) == "");
}

TEST_CASE("texts, marks and spans") {
  SourceMap sources;
  const FileId file = sources.add("m", "\xEF\xBB\xBFx = 1");
  CHECK(sources.text(file) == "x = 1");
  CHECK(sources.text(Span{file, 4, 5}) == "1");
  CHECK(sources.text(Span{file, 4, 500}) == "1");
  CHECK(join(Span{file, 4, 5}, Span{file, 0, 1}) == Span{file, 0, 5});
  CHECK(join(Span{}, Span{file, 0, 1}) == Span{file, 0, 1});
  CHECK_FALSE(Span{}.valid());
}

TEST_CASE("UTF-8") {
  CHECK_FALSE(first_invalid_utf8("a \xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80"));
  CHECK(first_invalid_utf8("ab\xC3") == 2);
  CHECK(first_invalid_utf8("\xED\xA0\x80") == 0);
  CHECK(first_invalid_utf8("\xF4\x90\x80\x80") == 0);
  CHECK(first_invalid_utf8("\xE0\x80\x80") == 0);
  CHECK(first_invalid_utf8("\x80") == 0);
}

TEST_CASE("processors are numbered row-major, the last axis fastest") {
  const Mesh mesh{{{"rows", 2}, {"cols", 3}}};
  CHECK(mesh.processors() == 6);
  CHECK(mesh.sizes() == std::vector<std::int64_t>{2, 3});
  CHECK(mesh.coordinates(4) == std::vector<std::int64_t>{1, 1});
  CHECK(mesh.find("cols") == AxisId{1});
  CHECK_FALSE(mesh.find("depth"));
  CHECK(Mesh{}.processors() == 1);
  CHECK(Mesh{}.coordinates(0).empty());
}

TEST_CASE("names of types, operations and distributions lead back to them") {
  for (const DType d :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::boolean})
    CHECK(dtype_named(name(d)) == d);
  CHECK(name(DType::i32) == "int");
  CHECK(size_of(DType::bf16) == 2);
  CHECK_FALSE(dtype_named("float"));
  CHECK(scalar_op_named("select") == ScalarOp::select);
  CHECK(arity(ScalarOp::select) == 3);
  CHECK(name(ScalarOp::logical_and) == "logical_and");
  CHECK_FALSE(scalar_op_named("matmul"));
  CHECK(distribution_named("bernoulli") == Distribution::bernoulli);
  CHECK(name(Distribution::truncated_normal) == "truncated_normal");
}

}  // namespace messages_source_test
