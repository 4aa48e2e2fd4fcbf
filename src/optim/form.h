// Forms: the calls that `train` accepts for optimisers and schedules, with arguments and defaults.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"

namespace mtfc::optim {

/// The numbers that an argument may be. They are finite in any case.
struct Range {
  double least = 0, most = std::numeric_limits<double>::infinity();
  bool least_too = true, most_too = true;

  bool holds(double value) const;
  std::string text() const;  // "from 0 on", "above 0", "from 0 to below 1"
};
inline constexpr Range from_zero{};
inline constexpr Range above_zero{0, std::numeric_limits<double>::infinity(), false, true};
inline constexpr Range below_one{0, 1, true, false};
inline constexpr Range part{0, 1, true, true};

struct Formal {
  enum class Type { number, whole, flag, rate };  // rate: a number or a schedule
  std::string name;
  Type type;
  std::optional<SettingCall::Value> otherwise;  // absent: required, unless it is derived
  Range range = from_zero;
  /// The default where it follows from the other arguments. A schedule may leave out its own.
  SettingCall::Value (*derived)(const SettingCall& others) = nullptr;

  bool required() const { return !otherwise && !derived; }
};

struct Form {
  std::string_view name;
  std::vector<Formal> args;  // in the order of positions
  int repeats = 0;           // so many last arguments may follow again: at, value2, at2, value3
  /// What does not fit together in a call that is complete; empty if all is well.
  std::string (*mistake)(const SettingCall& call) = nullptr;
};

/// The formals of a call with so many positional arguments.
std::vector<Formal> formals_of(const Form& form, std::size_t positional);
/// "adam(lr, beta1=0.9, ...)", as docs/optimizers.md shows it.
std::string signature(const Form& form);

// --- reading a complete call
const SettingCall::Value* find_argument(const SettingCall& call, std::string_view name);
/// The number (a flag: 0 or 1) of an argument that a complete call has.
double number(const SettingCall& call, std::string_view name);
bool flag(const SettingCall& call, std::string_view name);

}  // namespace mtfc::optim
