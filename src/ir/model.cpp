#include "ir/model.h"

namespace mtfc {

const ExampleDim* Microbatch::of_batch(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.batch == dim) return &d;
  }
  return nullptr;
}
const ExampleDim* Microbatch::of_micro(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.micro == dim) return &d;
  }
  return nullptr;
}

}  // namespace mtfc
