// Field lists: a struct names its members once, `fields(self, f)` calls f("key", member) for each.
// Dumps, JSON and emitted C++ go over these lists; a member's type says how it is written.
#pragma once
#include <cstdint>
#include <string_view>

namespace mtfc {

/// A member whose bits count, not its value: written in base 16.
template <class Number>
struct Bits {
  Number& value;
};
template <class Number>
Bits(Number&) -> Bits<Number>;

struct NoVisitor {
  void operator()(std::string_view, auto&&) const {}
};
template <class T>
concept HasFields = requires(const T& t) {
  T::fields(t, NoVisitor{});
};

}  // namespace mtfc
