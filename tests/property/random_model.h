// Small random models, for properties that must hold for all of them.
#pragma once
#include <cstdint>
#include <optional>

#include "ir/layout.h"
#include "ir/model.h"
#include "optim/optimizers.h"

namespace mtfc::test {

/// What a random model has beside.
struct Extras {
  bool examples = false;   // two inputs with a batch of 8
  bool recompute = false;  // operations in random regions, also nested; they are the same ones
};

/// A model with a loss and f64 parameters, made of `operations` random operations. The first n
/// operations depend on `seed` alone, so that a failure shrinks by making fewer.
Model random_model(std::uint64_t seed, int operations, Extras extras = {});

/// A mesh of one to three axes and a random legal assignment of the model's dimensions on it, in
/// half of the cases also over axes that do not divide them.
/// One axis in `every` has the size 3, the others 2.
Assignment random_assignment(std::uint64_t seed, const Model& model, int every = 5);

/// One processor, nothing split.
Assignment whole_assignment(const Model& model);

/// A call of the optimiser with every argument at its default, and this learning rate.
SettingCall called(const optim::Optimizer& optimizer, double rate);

/// A training step: a random model with an optimiser, in part with micro-batches, and an
/// assignment.
struct RandomStep {
  Model model;
  Assignment assignment;
  int operations = 0;
};
/// Nothing: the model has no batch that could be cut into micro-batches.
std::optional<RandomStep> random_step(std::uint64_t seed);

}  // namespace mtfc::test
