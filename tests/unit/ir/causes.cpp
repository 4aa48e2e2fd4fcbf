// The rules behind a movement of data are each said once.
#include "ir/causes.h"

#include <catch2/catch.hpp>

namespace ir_causes_test {

using mtfc::add_causes;

TEST_CASE("causes are joined without repeating a rule") {
  std::string text;
  add_causes(text, "");
  CHECK(text.empty());
  add_causes(text, "batch:ep");
  add_causes(text, "batch:ep;in \"pairs.*\" batch:ep");
  add_causes(text, "in \"pairs.*\" batch:ep;batch:ep");
  CHECK(text == "batch:ep;in \"pairs.*\" batch:ep");
  add_causes(text, "batch:e");  // the beginning of another one
  CHECK(text == "batch:ep;in \"pairs.*\" batch:ep;batch:e");
}

}  // namespace ir_causes_test
