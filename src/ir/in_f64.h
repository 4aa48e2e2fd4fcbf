// The same programs, computed in f64: what rounding hides in a narrower type is seen there.
#pragma once
#include <utility>

#include "ir/module.h"

namespace mtfc {

/// Every float type of the module becomes this one: of variables, inputs, values and scalar
/// instructions. Instructions stay what they are, in their order; casts between floats change
/// nothing any more.
Module with_floats(Module module, DType dtype);
inline Module in_f64(Module module) { return with_floats(std::move(module), DType::f64); }

/// Half the distance from 1 to the next number of the narrowest float type in the module: 2^-53
/// where in_f64 changes nothing.
double rounding_unit(const Module& module);
/// The same of one type; 0 of what is not float.
double rounding_unit(DType dtype);

}  // namespace mtfc
