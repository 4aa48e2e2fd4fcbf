// Names of devices that processors of a program are placed on.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc::runtime {

/// "cpu:3", or "cpu:0-3": a group of a machine's processors that share their memory.
struct Device {
  int first = 0, last = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Absent if it is not the name of a device.
std::optional<Device> parse_device(std::string_view name);
/// The names of a list "cpu:0,cpu:1"; empty if one of them is not valid.
std::vector<std::string> device_list(std::string_view list);
/// Binds the calling thread, and those that it starts, to that device. False if this machine does
/// not have it: the thread stays where it is.
bool run_here_on(const Device& device);

}  // namespace mtfc::runtime
