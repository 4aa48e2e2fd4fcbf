// The dimension table.
#include "ir/dims.h"

#include <catch2/catch.hpp>

namespace ir_dims_test {

using namespace mtfc;

TEST_CASE("what is read of a dimension stays while others are added") {
  DimTable table;
  const auto dim = [](const std::string& name) {
    Dim d;
    d.name = name;
    return d;
  };
  const DimId first = table.add(dim("length"));
  const std::string *name = &table[first].name, *unique = &table.name(first);
  for (int i = 0; i < 1000; ++i) table.add(dim(table[first].name + "_before"));
  CHECK(name == &table[first].name);
  CHECK(unique == &table.name(first));
  CHECK(table.find_unique("length_before~1000").has_value());
}

}  // namespace ir_dims_test
