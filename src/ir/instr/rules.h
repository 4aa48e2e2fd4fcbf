// What the rules of instructions are given, and what several of them share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/attrs.h"
#include "ir/type.h"

namespace mtfc {

/// How a sum over processors is carried out.
struct Summing {
  bool by_library = false;  // the network's library may add, in an order of its own
  bool begun = false;       // started here; its results are complete after their Await
  friend bool operator==(const Summing&, const Summing&) = default;
};

}  // namespace mtfc
