// What every Module obeys, whatever pass it comes from.
#pragma once
#include <string>

#include "ir/module.h"

namespace mtfc {

/// Whether the sharding fits the tensor and the mesh: no dimension or axis twice, sizes divisible.
/// What is wrong; "" if nothing is.
std::string check_law(const DimTable& dims, const Mesh& mesh, const ShardType& type);

/// What is wrong, "train: a value is used before it is made: %3: ..."; "" if nothing is. Checked
/// are order, THE LAW (type.h), each instruction's own rule, and that asynchronous sums are waited
/// for.
std::string verify(const Module& module);

}  // namespace mtfc
