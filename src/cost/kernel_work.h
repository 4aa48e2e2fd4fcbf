// How the kernels that run programs here go about an instruction, as plain numbers: for machines
// whose description says what that takes (docs/hardware.md). The kernels' own plans say it.
#pragma once
#include <array>
#include <cstdint>

#include "bind/bind.h"

namespace mtfc::cost {

/// Of one call on one processor.
struct KernelWork {
  std::int64_t tasks = 1;  // about equal ones, which threads share
  double seeks = 0;        // of rows that are found one by one; not of maps
  double moved = 0;        // elements that are copied or folded

  // A product: calls of the product library, and elements that are copied into the order in which
  // they are multiplied, by the kernel or in a call.
  double calls = 0, turned = 0;

  // A collective: elements that are copied to and from its message, and copies that do so.
  double packed = 0, copies = 0;

  // A map: steps over a block of elements, short runs of memory in them, elements by scalar
  // operation, random samples.
  double steps = 0, runs = 0;
  std::array<double, scalar_op_count> operations{};
  double samples = 0;

  double far_bytes = 0;  // that come from or go to memory behind the caches (cost/reuse.h)
};

KernelWork kernel_work_of(const bind::Bound& bound);

}  // namespace mtfc::cost
