// Layouts of the space that differ from one in a single entry.
#pragma once
#include <vector>

#include "plan/space/block_scopes.h"
#include "plan/space/space.h"

namespace mtfc::plan {

/// With another rule for one dimension, or none; or a rule for another dimension in the place of
/// one.
std::vector<Choice> other_rules_of(const Space& space, const Choice& choice, const DimTable& dims);

/// With another rule for one dimension, or none; a rule for another dimension; another mesh with as
/// many axes, or with an axis more or fewer (plan/space/axes.h), of a pipeline also of up to twice or
/// half as many stages, and half or twice as many micro-batches; with scopes of blocks, or without;
/// parameters kept, updated or gathered otherwise; more or fewer micro-batches; blocks computed
/// again, if it is `short_of_memory`, or less of them, also with more micro-batches.
std::vector<Choice> neighbours_of(const Space& space, const Choice& choice, const DimTable& dims,
                                  const BlockScopes& scopes, bool short_of_memory);

}  // namespace mtfc::plan
