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
/// Shell-like: `*` within a segment of a path, `**` across segments.
bool glob_matches(std::string_view glob, std::string_view path);

}  // namespace mtfc::lowering
