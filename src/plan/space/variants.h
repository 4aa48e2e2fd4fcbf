// Layouts that split the same, and are carried out otherwise.
#pragma once
#include <vector>

#include "plan/space/space.h"

namespace mtfc::plan {

/// The variants of a choice: how parameters are kept, updated and gathered; not itself.
std::vector<Choice> variants_of(const Space& space, const Choice& choice, const DimTable& dims);
/// What is tried of the best pipelines besides, whatever the bounds: with submeshes, and with
/// `set recompute=selective`.
std::vector<Choice> variants_of_pipeline(const Space& space, const Choice& choice);

}  // namespace mtfc::plan
