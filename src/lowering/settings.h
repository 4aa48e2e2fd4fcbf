// Reading checked settings.
#pragma once
#include <optional>
#include <string_view>

#include "ir/model.h"

namespace mtfc::lowering {

std::optional<double> number_of(const SettingCall::Value& value);
/// The argument's number, or `otherwise` if it is absent or no number.
double setting(const SettingCall& call, std::string_view name, double otherwise);
const SettingCall::Value* find_setting(const SettingCall& call, std::string_view name);

}  // namespace mtfc::lowering
