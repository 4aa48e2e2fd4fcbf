#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/host_tensor.h"

namespace mtfc::cli {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

double largest(const runtime::HostTensor& tensor) {
  double found = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = std::abs(runtime::element(tensor, i));
    if (!std::isfinite(value)) return infinite;
    found = std::max(found, value);
  }
  return found;
}

void Comparison::add(const std::string& name, const runtime::HostTensor& a,
                     const runtime::HostTensor& b, double floor) {
  Difference now{name, 0, 0};
  if (a.extents != b.extents) now.absolute = infinite;
  for (std::int64_t i = 0; now.absolute != infinite && i < a.elements(); ++i) {
    const double x = runtime::element(a, i), y = runtime::element(b, i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    const double apart = same ? 0 : std::abs(x - y);
    now.absolute = std::max(now.absolute, std::isnan(apart) ? infinite : apart);
  }
  const double scale = std::max(largest(b), floor);
  if (now.absolute != 0)
    now.relative = scale == 0 || !std::isfinite(scale) ? infinite : now.absolute / scale;
  const auto old =
      std::find_if(all_.begin(), all_.end(), [&](const Difference& d) { return d.name == name; });
  if (old == all_.end()) {
    all_.push_back(now);
    return;
  }
  old->absolute = std::max(old->absolute, now.absolute);
  old->relative = std::max(old->relative, now.relative);
}

}  // namespace mtfc::cli
