// What every Module obeys, whatever pass it comes from.
#pragma once
#include <string>

#include "ir/module.h"

namespace mtfc {

// What is wrong with a sharding; "" if nothing is.
/// No dimension or axis is there twice.
std::string check_split(const ShardType& type);
/// Sizes are divisible, too.
std::string check_law(const DimTable& dims, const Mesh& mesh, const ShardType& type);

/// What is wrong, "train: a value is used before it is made: %3: ..."; "" if nothing is. Checked
/// are order, THE LAW (type.h), each instruction's own rule, and that asynchronous sums are waited
/// for.
std::string verify(const Module& module);

}  // namespace mtfc
