// Numbers with units in hardware descriptions: "312TF", "2.0TB/s", "5us".
#pragma once
#include <string_view>

namespace mtfc::layout {

/// True for the units of a hardware description: F, FLOPS (each /s or not), B, b, B/s, b/s with a
/// prefix K M G T P or none, the binary KiB ... TiB, s ms us ns, Hz with a prefix, W, %.
bool is_unit(std::string_view unit);

/// The letters behind the number.
std::string_view unit_of(std::string_view quantity);

}  // namespace mtfc::layout
