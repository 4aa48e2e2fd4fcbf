#include "lowering/settings.h"

namespace mtfc::lowering {

std::optional<double> number_of(const SettingCall::Value& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

const SettingCall::Value* find_setting(const SettingCall& call, std::string_view name) {
  for (const auto& [key, value] : call.args) {
    if (key == name) return &value;
  }
  return nullptr;
}

double setting(const SettingCall& call, std::string_view name, double otherwise) {
  const SettingCall::Value* value = find_setting(call, name);
  const auto number = value ? number_of(*value) : std::nullopt;
  return number ? *number : otherwise;
}

}  // namespace mtfc::lowering
