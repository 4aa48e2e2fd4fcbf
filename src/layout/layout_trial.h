// Tries a changed layout by resolving it, and compares it with the one that it stands for.
#pragma once
#include <set>
#include <string>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// `no_clash` leaves other mistakes, such as bad sizes.
enum class Goal { legal, no_clash };

class LayoutTrial {
 public:
  LayoutTrial(const Model& model, const Layout& layout, const Mesh& mesh);

  /// A legal one pads no more rules by a tenth than the layout does as it is.
  bool reaches(Goal goal, const Layout& changed) const;

 private:
  const Model& model_;
  const Mesh& mesh_;
  const std::set<std::string> wasted_;  // what is said of the layout's rules that pad so much
};

}  // namespace mtfc::lowering
