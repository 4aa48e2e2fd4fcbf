#include "support/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mtfc {

std::string scaled(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t at = 0;
  // From 999.5 on three digits would be "1e+03".
  for (; std::abs(value) >= 999.5 && at + 1 < std::size(prefixes); ++at) value /= 1000;
  const std::string of = std::string(prefixes[at]) + unit;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g", value);
  return digits + std::string(of.empty() ? "" : " ") + of;
}

std::string duration(double seconds) {
  struct Unit {
    const char* name;
    double seconds;
  };
  if (seconds <= 0) return "0 s";
  Unit of{"ns", 1e-9};
  for (const Unit& unit : {Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}, Unit{"min", 60},
                           Unit{"h", 3600}, Unit{"days", 86400}})
    if (seconds >= (unit.seconds >= 60 ? 2 : 0.9995) * unit.seconds) of = unit;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g ", seconds / of.seconds);
  return digits + std::string(of.name);
}

std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  const std::size_t head = width / 3;
  return name.substr(0, head) + "..." + name.substr(name.size() - (width - head - 3));
}

std::string source_in(const std::string& source, std::size_t width) {
  if (source.size() <= width) return source;
  return shortened(source.substr(source.rfind('/') + 1), width);
}

std::string name_at(const std::string& name, const std::string& source, std::size_t width) {
  if (source.empty()) return shortened(name, width);
  std::string at = "  " + source;
  if (name.size() + at.size() > width) at = "  " + source.substr(source.rfind('/') + 1);
  const std::size_t room = std::max<std::size_t>(width, at.size() + 8) - at.size();
  return shortened(name, room) + at;
}

}  // namespace mtfc
