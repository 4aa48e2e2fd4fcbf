// What every Module obeys, whatever pass it comes from.
#pragma once
#include <string>

#include "ir/module.h"

namespace mtfc {

/// What is wrong, "train: a value is used before it is made: %3: ..."; "" if nothing is. Checked
/// are order, THE LAW (type.h), each instruction's own rule, and that asynchronous sums are waited
/// for.
std::string verify(const Module& module);

}  // namespace mtfc
