#include "comm/consistency.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "kernels/contract.h"
#include "kernels/element_loops.h"

namespace mtfc::runtime::net {

const char* const products_differ =
    "some processors have the product library oneDNN and some have not";

bool agree_on_kernels(Network& network) {
  const auto lowest = static_cast<Isa>(network.lowest(static_cast<int>(best_isa())));
  setenv("MTFC_ISA", std::string(name(lowest)).c_str(), 1);
  const int eigen = std::strcmp(product_library(), "eigen") == 0 ? 1 : 0;
  return network.lowest(eigen) == network.highest(eigen);
}

int share_of_threads(Network& network) {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / network.ranks_here());
}

}  // namespace mtfc::runtime::net
