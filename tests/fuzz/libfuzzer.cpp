// The entry of libFuzzer for one target, which MTFC_FUZZ_TARGET_NAME names.
#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mtfc::fuzz::MTFC_FUZZ_TARGET_NAME({reinterpret_cast<const char*>(data), size});
  return 0;
}
