// What other libraries call things, and how they are written here.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::elab {

/// A sentence about an operation, layer or method of another library; empty if it is none known.
std::string advice_on_operation(std::string_view name);
/// About an initial value or a distribution.
std::string_view advice_on_distribution(std::string_view name);
std::string_view advice_on_source(std::string_view name);
/// Our name of a setting or of an argument of an optimizer; empty if it is none known.
std::string_view setting_called(std::string_view name);
/// An optimizer of other libraries that is not here, though one here may be called nearly so.
bool is_other_optimizer(std::string_view name);
/// Our name of a type; empty if it is none known.
std::string_view type_called(std::string_view name);

}  // namespace mtfc::elab
