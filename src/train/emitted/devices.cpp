#include "train/emitted/devices.h"

#include <sched.h>

#include <charconv>

namespace mtfc::runtime {
namespace {

constexpr std::string_view kPrefix = "cpu:";
constexpr int kMost = CPU_SETSIZE - 1;

/// Takes a number from the front of a text.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0 || number > kMost) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<Device> parse_device(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  Device device;
  if (!take_number(name, device.first)) return std::nullopt;
  device.last = device.first;
  if (name.starts_with("-")) {
    name.remove_prefix(1);
    if (!take_number(name, device.last) || device.last < device.first) return std::nullopt;
  }
  if (!name.empty()) return std::nullopt;
  return device;
}

std::vector<std::string> device_list(std::string_view list) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (!parse_device(name)) return {};
    names.emplace_back(name);
    if (comma == list.npos) return names;
    list.remove_prefix(comma + 1);
  }
}

bool run_here_on(const Device& device) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = device.first; i <= device.last; ++i) CPU_SET(i, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace mtfc::runtime
