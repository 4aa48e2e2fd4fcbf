// The numbers of a `chip` in a hardware description, a row each: read_machine reads what they say,
// and description writes it. `flops`, which says every peak at once, and `threads` are no rows.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/hardware_fields.h"
#include "predict/machine.h"

namespace mtfc::predict {

struct ChipField {
  std::string name;
  Quantity::Kind kind;
  std::function<double&(Chip&)> of;
  /// Where a description writes it, if it is not what a Chip has anyway: with the chip, with the
  /// threads, with what calls cost, with the rates of operations.
  enum class Line : std::uint8_t { chip, threads, calls, operations } line;
  bool is_kernel_cost = false;        // of KernelCosts
  bool is_required = false;           // of every chip
  std::optional<Limits> limits = {};  // absent: those of its kind
};
const std::vector<ChipField>& chip_fields();

}  // namespace mtfc::predict
