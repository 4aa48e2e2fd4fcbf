// The scopes of blocks that are in the space: a dimension of inputs split further where blocks
// leave an axis free (plan/sequence.h), or an axis handed over to a dimension of parameters
// (plan/hand_over.h). A layout has one of these at most.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/hand_over.h"
#include "plan/sequence.h"
#include "plan/space.h"

namespace mtfc::plan {

struct Scoping {
  enum class Kind { where_free, handed_over };
  Kind kind{};
  std::string dim;
  std::vector<std::string> axes = {};  // one where it is free
};

class BlockScopes {
 public:
  /// `space` outlives it.
  BlockScopes(const Space& space, const Model& model);

  /// What may be tried with these general rules; some of it may lead to nothing.
  std::vector<Scoping> ways(const Choice& choice) const;
  /// Nothing: it has no block to apply to.
  std::optional<Choice> with(const Choice& choice, const Scoping& scoping) const;

 private:
  const Space& space_;
  const BlockTypes types_;
  const SharedDims shared_;
  const std::set<std::string> examples_;
};

}  // namespace mtfc::plan
