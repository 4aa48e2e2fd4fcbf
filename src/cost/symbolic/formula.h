// A count as a formula, with equal instances of a block apart.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cost/symbolic/polynomial.h"

namespace mtfc::cost {

struct Formula {
  struct Part {
    std::int64_t times = 1;
    std::string blocks;  // "layers.*", of several joined by ", "; of times 1 everything else: empty
    Polynomial each;
  };
  std::vector<Part> parts;
  Polynomial total() const;
};

/// Adds up what instances of blocks count.
class InstanceSums {
 public:
  /// `path`: of a block or a value, "layers.3.attn": belongs to instance 3 of "layers.*".
  void add(std::string_view path, const Polynomial& count);
  /// Instances that count the same are one part.
  Formula take() const;

 private:
  /// By the block's path before the number, by the number.
  std::map<std::string, std::map<std::string, Polynomial>> sums_;
};

}  // namespace mtfc::cost
