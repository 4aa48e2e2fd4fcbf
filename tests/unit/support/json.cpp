#include <catch2/catch.hpp>
#include <cmath>

#include "support/half_bits.h"
#include "support/json.h"
#include "support/text.h"

namespace support_json_test {

using namespace mtfc;
using namespace mtfc::runtime;

TEST_CASE("numbers are the shortest decimals that read back", "[files]") {
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(double(0.1f)) == "0.10000000149011612");
  CHECK(std::stof(shortest(1.0f / 3)) == 1.0f / 3);
}

TEST_CASE("an object on one line", "[files]") {
  JsonLine inner;
  inner.field("accuracy", 0.5f);
  JsonLine line;
  line.field("step", std::int64_t{1}).field("loss", 2.31f).field("metrics", inner);
  CHECK(line.text() == R"({"step":1,"loss":2.31,"metrics":{"accuracy":0.5}})");
  CHECK(JsonLine().text() == "{}");
}

TEST_CASE("what is not finite is null and said so, inner objects included", "[files]") {
  JsonLine inner;
  inner.field("a", std::nanf(""));
  JsonLine line;
  line.field("m", inner).field("b", INFINITY);
  CHECK(line.text() == R"({"m":{"a":null},"b":null,"not_finite":true})");
}

TEST_CASE("an object's fields may be those of another", "[files]") {
  CHECK(json_object({{"a", "1"}, {"", R"({"b":2,"c":3})"}, {"", "{}"}}) ==
        R"({"a":1,"b":2,"c":3})");
  CHECK(json_list(std::vector<int>{1, 2}) == "[1,2]");
  CHECK(json_list(std::vector<std::string>{}) == "[]");
  CHECK(json_texts(std::vector<std::pair<std::string, std::string>>{{"a", "b"}}) == R"({"a":"b"})");
  // Only an object is put in: data may have names that are empty.
  CHECK(json_texts(std::vector<std::pair<std::string, std::string>>{{"", "b"}}) == R"({"":"b"})");
  CHECK(json_object({{"", "[1]"}}) == R"({"":[1]})");
}

TEST_CASE("what is not UTF-8 is replaced", "[files]") {
  CHECK(json("a\xFFé\xC3") == "\"a\uFFFDé\uFFFD\"");
}

TEST_CASE("text is escaped", "[files]") {
  CHECK(json("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\n\\u0001\"");
}

TEST_CASE("16-bit floats round to nearest, ties to even, and widen exactly", "[files]") {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!std::isnan(widen_f16(half))) CHECK(narrow_f16(widen_f16(half)) == half);
    if (!std::isnan(widen_bf16(half))) CHECK(narrow_bf16(widen_bf16(half)) == half);
  }
  CHECK(narrow_f16(1 + 0x1p-11f) == 0x3C00);      // halfway: to even
  CHECK(narrow_f16(1 + 3 * 0x1p-11f) == 0x3C02);  // halfway: to even
  CHECK(narrow_f16(65519.9f) == 0x7BFF);
  CHECK(narrow_f16(65520) == 0x7C00);
  CHECK(narrow_bf16(1 + 0x1p-8f) == 0x3F80);
  CHECK(std::isnan(widen_f16(narrow_f16(NAN))));
}

}  // namespace support_json_test
