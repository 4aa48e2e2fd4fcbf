// Numbers with units.
#include "ir/quantity.h"

#include <catch2/catch.hpp>

namespace ir_quantity_test {

using namespace mtfc;
using Kind = Quantity::Kind;

namespace {
bool reads(std::string_view text, double value, Kind kind) {
  const auto quantity = read_quantity(text);
  return quantity && quantity->kind == kind && quantity->value == Approx(value);
}
}  // namespace

TEST_CASE("quantities are read in units without a prefix") {
  CHECK(reads("312TF", 312e12, Kind::flops));
  CHECK(reads("312TFLOPS/s", 312e12, Kind::flops));
  CHECK(reads("80GB", 80e9, Kind::bytes));
  CHECK(reads("16GiB", 16.0 * (1 << 30), Kind::bytes));
  CHECK(reads("2.0TB/s", 2e12, Kind::bandwidth));
  CHECK(reads("400Gb/s", 50e9, Kind::bandwidth));
  CHECK(reads("1e3GiB/s", 1e3 * (1 << 30), Kind::bandwidth));
  CHECK(reads("5us", 5e-6, Kind::seconds));
  CHECK(reads("300ms", 0.3, Kind::seconds));
  CHECK(reads("60%", 0.6, Kind::share));
  CHECK(reads("8", 8, Kind::number));
  CHECK(reads("1e3", 1e3, Kind::number));
}

TEST_CASE("what is no quantity") {
  for (const char* text : {"", "GB", "nan", "inf", "1e999GB", "-3GB", "3 GB", "3XB", "3GiF", "3Gs",
                           "3GBs", "3kkB", "0x10B", "3B/S", "1e", "1.2.3B"})
    CHECK_FALSE(read_quantity(text));
}

}  // namespace ir_quantity_test
