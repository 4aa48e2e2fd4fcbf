// How far apart two runs of one model are.
#pragma once
#include <string>
#include <vector>

#include "train/engine.h"

namespace mtfc::cli {

struct Difference {
  std::string name;
  double absolute = 0;  // max |a - b|
  double relative = 0;  // max |a - b| / max |b|
};

/// The largest differences of named tensors over many comparisons.
class Comparison {
 public:
  /// Compares `a` with what is right, `b`. `floor`: values of this size count as nothing, so that
  /// rounding in what should be zero is no difference.
  void add(const std::string& name, const runtime::HostTensor& a, const runtime::HostTensor& b,
           double floor = 0);
  /// In the order in which they were first met.
  const std::vector<Difference>& all() const { return all_; }

 private:
  std::vector<Difference> all_;
};

/// max |x|; infinite if something is not finite.
double largest(const runtime::HostTensor& tensor);

}  // namespace mtfc::cli
