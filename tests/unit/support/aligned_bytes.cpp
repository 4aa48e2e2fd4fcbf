// Memory that is zero, and taken where it is first used.
#include "support/aligned_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

namespace support_aligned_bytes_test {

using namespace mtfc;

namespace {

std::int64_t resident_pages(const AlignedBytes& bytes) {
  const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(static_cast<std::size_t>((bytes.size() + page - 1) / page));
  REQUIRE(::mincore(bytes.data(), static_cast<std::size_t>(bytes.size()), pages.data()) == 0);
  return std::count_if(pages.begin(), pages.end(), [](unsigned char one) { return one & 1; });
}

}  // namespace

TEST_CASE("zeros that are not used take no memory") {
  constexpr std::int64_t kSize = 8 << 20;
  const AlignedBytes bytes = AlignedBytes::lazy_zeros(kSize);
  CHECK(bytes.size() == kSize);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % AlignedBytes::kAlignment == 0);
  CHECK(resident_pages(bytes) == 0);
  bytes.data()[kSize / 2] = std::byte{1};
  CHECK(resident_pages(bytes) < 1024);  // a large page of the system at most
  CHECK(std::count(bytes.data(), bytes.data() + kSize, std::byte{0}) == kSize - 1);
  CHECK(AlignedBytes::lazy_zeros(0).data() != nullptr);
}

}  // namespace support_aligned_bytes_test
