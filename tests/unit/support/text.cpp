// Numbers, counts and tables as text.
#include "support/text.h"

#include <catch2/catch.hpp>

#include "messages/table.h"
#include "messages/wrap.h"
#include "support/mesh.h"

namespace support_text_test {

using namespace mtfc;

TEST_CASE("counts and their words") {
  CHECK(counted(1, "error") == "1 error");
  CHECK(counted(std::size_t{3}, "error") == "3 errors");
  CHECK(counted(3e3, "element") == "3000 elements");
  CHECK(counted(1e30, "element") == "1e+30 elements");
  CHECK(with_commas(802816) == "802,816");
  CHECK(with_commas(100) == "100");
  CHECK(with_commas(-1000) == "-1,000");
  CHECK(with_commas(-100) == "-100");
}

TEST_CASE("quotes are cut where they are told to be") {
  CHECK(backquoted("name") == "`name`");
  CHECK(backquoted("name", 2) == "`na...`");
}

TEST_CASE("meshes and axes") {
  const Mesh mesh{{{"rows", 2}, {"cols", 4}}};
  CHECK(to_string(mesh) == "rows=2, cols=4");
  CHECK(to_string(Mesh{}) == "");
  CHECK(to_string(mesh, {AxisId{0}, AxisId{1}}) == "rows+cols");
}

TEST_CASE("columns are as wide as what stands in them") {
  CHECK(table_text({{"name", "size", "note"}, {"é", "1,000", "x"}}, {"  ", {1}, 0}) ==
        "  name   size  note\n"
        "  é     1,000  x\n");
  CHECK(table_text({{"a", "1"}, {"b", "10"}}, {"", {1}, 0}) == "a   1\nb  10\n");
  CHECK(table_text({{"a/very/long/path.layout", "ok"}}, {"", {}, 18}) ==
        "a/very/long/path.layout\n                ok\n");
  CHECK(table_text({}) == "");
}

TEST_CASE("text is wrapped at words, and code stays in one piece") {
  CHECK(wrapped("", {}) == "");
  CHECK(wrapped("one two three", {0, 2, 7}) == "one two\n  three");
  CHECK(wrapped("one two three", {4, 2, 7}) == "one\n  two\n  three");
  CHECK(wrapped("a `b c d e` f", {0, 2, 6}) == "a\n  `b c d e`\n  f");
  CHECK(wrapped("first\nsecond", {0, 2, 80}) == "first\n  second");
  CHECK(wrapped("longer-than-a-line", {0, 2, 6}) == "longer-than-a-line");
  CHECK(wrapped("longer-than-a-line", {4, 2, 6}) == "\n  longer-than-a-line");
}

}  // namespace support_text_test
