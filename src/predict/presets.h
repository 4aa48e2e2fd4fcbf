// The machines that mtfc knows by name: texts in the language of layouts (models/hardware), since
// whoever reads texts reads them.
#pragma once
#include <string_view>
#include <vector>

namespace mtfc::predict {

struct Preset {
  std::string_view name;  // "h100"
  std::string_view text;  // `hardware h100 { ... }`
};
/// By name, in alphabetical order.
const std::vector<Preset>& presets();

}  // namespace mtfc::predict
