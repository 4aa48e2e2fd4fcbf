#include "optim/form.h"

#include <cmath>

#include "support/check.h"
#include "support/text.h"

namespace mtfc::optim {

namespace {

/// As models write it.
std::string written(double value) {
  std::string short_text = shortest(value);
  // 1e-08 and 1e+08 are 1e-8 and 1e8.
  for (const char* padded : {"e-0", "e+0", "e+"}) {
    const auto at = short_text.find(padded);
    if (at == short_text.npos) continue;
    const std::string sign = padded[1] == '-' ? "e-" : "e";
    short_text.replace(at, std::string_view(padded).size(), sign);
  }
  return short_text;
}

std::string show(const SettingCall::Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value)) return written(*d);
  return "...";
}

}  // namespace

bool Range::holds(double value) const {
  return std::isfinite(value) && (least_too ? value >= least : value > least) &&
         (most_too ? value <= most : value < most);
}

std::string Range::text() const {
  const std::string low = (least_too ? "from " : "above ") + written(least);
  if (std::isinf(most)) return low + (least_too ? " on" : "");
  if (!most_too) return low + (least_too ? " to below " : " and below ") + written(most);
  return low + (least_too ? " to " : ", up to ") + written(most);
}

std::vector<Formal> formals_of(const Form& form, std::size_t positional) {
  std::vector<Formal> all = form.args;
  if (form.repeats == 0) return all;
  const std::size_t group = static_cast<std::size_t>(form.repeats);
  const std::vector<Formal> again(all.end() - static_cast<std::ptrdiff_t>(group), all.end());
  for (int number = 2; all.size() < positional; ++number) {
    for (Formal formal : again) {
      // "value2" comes first with the group (at, value2): the next one is (at2, value3).
      const auto digit = formal.name.find_last_not_of("0123456789") + 1;
      const int first = digit < formal.name.size() ? std::stoi(formal.name.substr(digit)) : 1;
      formal.name = formal.name.substr(0, digit) + std::to_string(first + number - 1);
      all.push_back(std::move(formal));
    }
  }
  return all;
}

std::string signature(const Form& form) {
  std::string text = std::string(form.name) + "(";
  for (std::size_t i = 0; i < form.args.size(); ++i) {
    const Formal& formal = form.args[i];
    text += (i ? ", " : "") + formal.name;
    if (!formal.required()) text += "=" + (formal.otherwise ? show(*formal.otherwise) : "...");
  }
  return text + (form.repeats ? ", ...)" : ")");
}

const SettingCall::Value* find_argument(const SettingCall& call, std::string_view name) {
  for (const auto& [key, value] : call.args)
    if (key == name) return &value;
  return nullptr;
}

double number(const SettingCall& call, std::string_view name) {
  const SettingCall::Value* value = find_argument(call, name);
  MTFC_CHECK(value, "`" + call.function + "` has no argument `" + std::string(name) + "`");
  if (const auto* d = std::get_if<double>(value)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(value)) return static_cast<double>(*i);
  const auto* b = std::get_if<bool>(value);
  MTFC_CHECK(b, "`" + std::string(name) + "` is not a number");
  return *b ? 1 : 0;
}

bool flag(const SettingCall& call, std::string_view name) { return number(call, name) != 0; }

}  // namespace mtfc::optim
