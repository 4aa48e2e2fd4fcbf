// Small random models, for properties that must hold for all of them.
#pragma once
#include <cstdint>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::test {

/// A model with a loss and f64 parameters, made of `operations` random operations. The first n
/// operations depend on `seed` alone, so that a failure shrinks by making fewer.
Model random_model(std::uint64_t seed, int operations);

/// A mesh of one to three axes and a random legal placement of the model's dimensions on it.
Placement random_placement(std::uint64_t seed, const Model& model);

/// One processor, nothing split.
Placement whole_placement(const Model& model);

}  // namespace mtfc::test
