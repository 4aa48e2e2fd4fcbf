// The dimension table.
#include "ir/dims.h"

#include <catch2/catch.hpp>

namespace ir_dims_test {

using namespace mtfc;

Dim dim(const std::string& name) {
  Dim d;
  d.name = name;
  return d;
}

TEST_CASE("what is read of a dimension stays while others are added") {
  DimTable table;
  const DimId first = table.add(dim("length"));
  const std::string *name = &table[first].name, *unique = &table.name(first);
  for (int i = 0; i < 1000; ++i) table.add(dim(table[first].name + "_before"));
  CHECK(name == &table[first].name);
  CHECK(unique == &table.name(first));
  CHECK(table.find_unique("length_before~1000").has_value());
}

TEST_CASE("a name that is taken gets the first number that is free") {
  DimTable table;
  const auto added = [&](const std::string& name) { return table.name(table.add(dim(name))); };
  CHECK(added("d~3") == "d~3");
  CHECK(added("d") == "d");
  CHECK(added("d") == "d~2");
  CHECK(added("d") == "d~4");
  CHECK(added("d~2") == "d~2~2");
  Dim read = dim("d");
  read.unique_name = "d~5";
  table.add(read);
  CHECK(added("d") == "d~6");
}

// Searching from ~2 on for every name would be 45 billion look-ups.
TEST_CASE("a great many dimensions may have the same name") {
  DimTable table;
  constexpr int many = 300'000;
  for (int i = 0; i < many; ++i) table.add(dim("d"));
  CHECK(table.find_unique("d~" + std::to_string(many)).has_value());
  CHECK_FALSE(table.find_unique("d~" + std::to_string(many + 1)).has_value());
}

}  // namespace ir_dims_test
