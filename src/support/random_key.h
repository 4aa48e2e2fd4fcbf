// Keys of random samples: where a stream of random numbers starts.
#pragma once
#include <cstdint>
#include <string_view>

namespace mtfc {

/// The key of the random sample named `path` ("layers.3.attn.wq") in a model with this seed: the
/// 64-bit FNV-1a hash of the path's bytes, plus the seed put through splitmix64, put through
/// splitmix64 once more. A function of its arguments alone, so the same on every machine, layout
/// and thread.
std::uint64_t random_key(std::uint64_t seed, std::string_view path);

}  // namespace mtfc
