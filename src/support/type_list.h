// Lists of types that a table of rows writes: each row begins with a comma.
#pragma once
#include <variant>

namespace mtfc {

template <class First, class... Rest>
struct VariantWithoutFirst {
  using type = std::variant<Rest...>;
};
/// std::variant<Rest...>. `First` only stands before the first row's comma.
template <class First, class... Rest>
using VariantOf = typename VariantWithoutFirst<First, Rest...>::type;

}  // namespace mtfc
