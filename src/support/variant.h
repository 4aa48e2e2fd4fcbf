// std::variant for alternatives that may throw when they are copied.
#pragma once
#include <utility>
#include <variant>

namespace mtfc {

/// A std::variant, also to std::visit and std::get. libstdc++ 12 takes one of strings, vectors and
/// numbers alone for one that always has a value; if memory ends while it is copied, it destroys
/// the alternative with the number -1. Assigning is right: the copy is made beside the variant.
template <class First, class... Rest>
struct Variant : std::variant<First, Rest...> {
  using Base = std::variant<First, Rest...>;
  using Base::Base;
  using Base::operator=;

  Variant() = default;
  Variant(const Variant& other) : Base() { Base::operator=(other); }
  Variant(Variant&&) = default;
  Variant& operator=(const Variant&) = default;
  Variant& operator=(Variant&&) = default;
  ~Variant() = default;
};

}  // namespace mtfc
