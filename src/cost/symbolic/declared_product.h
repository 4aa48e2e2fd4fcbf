// The size of a dimension as it is declared, where that is a product of others.
#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "cost/symbolic/polynomial.h"

namespace mtfc::cost {

/// What a name stands for; nothing: no formula can have it.
using NamedProducts = std::function<std::optional<Polynomial>(std::string_view name)>;

/// "4 * d_model", "d_model / (heads * queries)": names and whole numbers, multiplied and divided,
/// as one product. Nothing where the text is anything else, names nothing, or has a coefficient
/// that is not whole.
std::optional<Polynomial> declared_product(std::string_view text, const NamedProducts& named);

/// Whether the text is one whole number, small enough for a double.
bool is_whole_number(std::string_view text);

}  // namespace mtfc::cost
