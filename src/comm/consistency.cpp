#include "comm/consistency.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "kernels/contract.h"
#include "kernels/element_loops.h"
#include "support/environment.h"

namespace mtfc::runtime::net {
namespace {

int best_level() {
  const std::string_view limit = environment("MTFC_ISA");
  int level = limit == "avx2" ? 1 : limit == "sse2" || limit == "baseline" ? 0 : 2;
  while (level > 0 && blocks_of(static_cast<Isa>(level)) == nullptr) --level;
  return level;
}

}  // namespace

const char* const products_differ =
    "some processors have the product library oneDNN and some have not";

bool agree_on_kernels(Network& network) {
  constexpr const char* names[] = {"sse2", "avx2", "avx512"};
  setenv("MTFC_ISA", names[network.lowest(best_level())], 1);
  const int eigen = std::strcmp(product_library(), "eigen") == 0 ? 1 : 0;
  return network.lowest(eigen) == network.highest(eigen);
}

int share_of_threads(Network& network) {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / network.ranks_here());
}

}  // namespace mtfc::runtime::net
