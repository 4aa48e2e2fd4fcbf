#include "predict/machine.h"

namespace mtfc::predict {

double Chip::peak(DType type) const {
  const auto number = static_cast<std::size_t>(type);
  return number < types ? peaks[number] : vector_peak;
}

cost::Detail Chip::detail() const {
  return {kernels.known, static_cast<std::int64_t>(kernels.cache)};
}

std::string_view name(Topology topology) {
  switch (topology) {
    case Topology::ring:
      return "ring";
    case Topology::torus:
      return "torus";
    case Topology::switched:
      return "switch";
    case Topology::tree:
      return "tree";
  }
  return "";
}

}  // namespace mtfc::predict
