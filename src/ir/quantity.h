// Numbers with units, as people write them: "312TF", "2.0TB/s", "5us", "16GiB", "60%".
#pragma once
#include <optional>
#include <string_view>

namespace mtfc {

/// In units without a prefix: FLOP/s, bytes, bytes a second, seconds; of a percentage the share
/// of 1.
struct Quantity {
  enum class Kind : unsigned char {
    number,  // without a unit
    flops,
    bytes,
    bandwidth,
    seconds,
    share
  };
  double value = 0;
  Kind kind = Kind::number;
};

/// Units: F, FLOPS (each with /s or not), B, b, B/s, b/s (bits) with a prefix k K M G T P or none,
/// the binary KiB ... PiB, s ms us ns, %. Nothing if the text is not a finite number with one of
/// them.
std::optional<Quantity> read_quantity(std::string_view text);

/// The letters behind the number.
std::string_view unit_of(std::string_view quantity);
bool is_unit(std::string_view unit);

/// How one is written, for messages: "16GB".
std::string_view example(Quantity::Kind kind);

}  // namespace mtfc
