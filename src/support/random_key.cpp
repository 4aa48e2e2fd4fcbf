#include "support/random_key.h"

#include "support/fact.h"

namespace mtfc {
namespace {

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t random_key(std::uint64_t seed, std::string_view path) {
  Digest digest;
  digest.add(path);
  return splitmix64(digest.number() + splitmix64(seed));
}

}  // namespace mtfc
