// Changes of one rule that make a layout legal, found by trying them: without it, over another
// axis, or only where it helps (expert parallelism, sharded parameters).
#pragma once
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

class Repairs {
 public:
  Repairs(const Model& model, const Layout& layout, const Mesh& mesh)
      : model_(model), layout_(layout), mesh_(mesh) {}

  /// "legal with one change: remove `d_model:cols`, or remove `heads:cols`". If no change of one of
  /// these two rules is enough, because of bad sizes elsewhere or further clashes, it says so.
  std::string help(int first_rule, int second_rule) const;

 private:
  enum class Goal { legal, no_clash };
  bool reaches(Goal goal, const Layout& changed) const;
  Layout without(int rule) const;
  Layout moved(int rule, const std::string& axis) const;
  std::vector<std::string> find(Goal goal, const std::vector<int>& rules) const;
  void try_removal(Goal goal, int rule, std::vector<std::string>& found) const;
  void try_moves(Goal goal, int rule, std::vector<std::string>& found) const;
  void try_scopes(int of_inputs, int of_parameters, std::vector<std::string>& found) const;
  void try_scope(int rule, LayoutScope scope, std::vector<std::string>& found) const;

  const Model& model_;
  const Layout& layout_;
  const Mesh& mesh_;
};

}  // namespace mtfc::lowering
