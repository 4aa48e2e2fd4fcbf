// What an operation takes: how many operands, and which attributes of which types. Shape rules rely
// on it; what was read from a text is held against it first.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace mtfc::ops {

struct Signature {
  enum class Type { flag, integer, number, text, dtype, dims, dim, groups, windows };
  struct Attribute {
    std::string_view name;
    Type type;
    bool optional = false;
  };

  int least = 1, most = 1;  // operands; -1: any number
  std::vector<Attribute> attributes;
};

/// What is wrong with the operation's operands and attributes; "" if nothing is.
std::string check_signature(const Signature& signature, const Operation& op);

}  // namespace mtfc::ops
