// What a `train` block may say: optimisers, schedules and their arguments with defaults.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"

namespace mtfc::elab {

struct SettingForm {
  enum class Type { number, whole, flag, rate };  // rate: a number or a schedule
  struct Formal {
    std::string_view name;
    Type type;
    bool required;
    SettingCall::Value otherwise;
  };
  std::string_view name;
  bool schedule;
  std::vector<Formal> args;
};

const SettingForm* find_setting_form(std::string_view name, bool schedule);
std::vector<std::string> setting_names(bool schedule);
/// Known by name, but not built yet.
bool is_planned_setting(std::string_view name);
const std::vector<std::string>& train_keys();
const std::vector<std::string>& param_keys();

}  // namespace mtfc::elab
