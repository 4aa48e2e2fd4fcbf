// The program of a module that a user means by "the model".
#pragma once
#include "ir/module.h"

namespace mtfc::cli {

/// A training step; without a loss the forward pass. Null if there is neither.
inline const Program* main_program(const Module& module) {
  const Program* train = module.find("train");
  return train != nullptr ? train : module.find("run");
}

}  // namespace mtfc::cli
