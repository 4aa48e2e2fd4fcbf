// Work and traffic that programs count while they run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mtfc::runtime {

/// Counted while the programs run, per processor (the largest shard).
struct Counters {
  struct Collective {
    std::string kind;  // "all_reduce", ...
    std::string axes;  // "rows" or "rows+cols"
    std::int64_t calls = 0;
    std::int64_t elements = 0;  // operand's shard; all_gather: the result's
    std::int64_t bytes = 0;
    std::int64_t sent = 0;  // bytes to other processors; on the network as they went there
  };
  double flops = 0;                     // multiply-add 2, each scalar operation of a map 1
  std::vector<Collective> collectives;  // one entry an instruction, in program order

  Counters& operator+=(const Counters& more) {
    flops += more.flops;
    collectives.insert(collectives.end(), more.collectives.begin(), more.collectives.end());
    return *this;
  }
};

}  // namespace mtfc::runtime
