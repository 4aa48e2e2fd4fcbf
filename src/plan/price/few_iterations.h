// Of how many iterations a model is compiled to tell what one with many takes.
#pragma once
#include "ir/layout.h"
#include "plan/price/models.h"
#include "plan/space/choice.h"

namespace mtfc::plan {

/// The fewest, and from how many on a model is not compiled whole.
constexpr std::int64_t fewest_iterations = 2, many_iterations = 5;

/// So many and one more: then each further iteration adds the same. Two; more where iterations have
/// so few parameters that are gathered that gathers travel ahead over several of them. `given`: the
/// layout that is kept.
std::int64_t few_iterations(const Models& models, const Choice& choice, const Layout& given);

}  // namespace mtfc::plan
