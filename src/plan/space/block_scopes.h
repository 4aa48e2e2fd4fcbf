// The scopes of blocks that are in the space: a dimension of inputs split further where blocks
// leave an axis free (plan/space/sequence.h), or an axis handed over to a dimension of parameters
// (plan/space/hand_over.h). A layout has one of these, or one of each kind.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/space/hand_over.h"
#include "plan/space/sequence.h"
#include "plan/space/space.h"

namespace mtfc::plan {

struct Scoping {
  enum class Kind { where_free, handed_over };
  Kind kind{};
  std::string dim;
  std::vector<std::string> axes = {};  // one where it is free
};
/// None, one, or one of each kind: what is split where it is free comes first.
using Scopings = std::vector<Scoping>;
class BlockScopes {
 public:
  /// `space` outlives it.
  BlockScopes(const Space& space, const Model& model);

  /// What may be tried with these general rules; some of it may lead to nothing.
  std::vector<Scopings> ways(const Choice& choice) const;
  /// What they split beyond general rules, at most, and what parameters are then kept split over
  /// besides.
  std::vector<Split> further(const Scopings& scopings) const;
  /// Nothing: it has no block to apply to.
  std::optional<Choice> with(const Choice& choice, const Scopings& scopings) const;

 private:
  std::vector<Scoping> free_ways(const Choice& choice) const;
  /// `by_scopes`: axes that other scopes give to dimensions of examples.
  std::vector<Scoping> handed_ways(const Choice& choice,
                                   const std::vector<std::string>& by_scopes) const;
  std::optional<Choice> with_one(const Choice& choice, const Scoping& scoping) const;

  const Space& space_;
  const NamedBlocks blocks_;
  const SharedDims shared_;
  const std::set<std::string> examples_;
};

}  // namespace mtfc::plan
