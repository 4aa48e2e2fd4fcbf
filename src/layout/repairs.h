// What makes a layout legal whose rules clash: one change of a rule, or two, found by trying them.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/layout_trial.h"
#include "layout/rule_changes.h"

namespace mtfc::lowering {

using RulePair = std::pair<int, int>;

class Repairs {
 public:
  Repairs(const Model& model, const Layout& layout, const Mesh& mesh)
      : layout_(layout), changes_(model, layout, mesh), trial_(model, layout, mesh) {}

  /// "legal with one change: remove `d_model:cols`, or remove `heads:cols`". If no change of one of
  /// these two rules is enough, because of bad sizes elsewhere or further clashes, it says so.
  std::string help(int first_rule, int second_rule) const;

  /// "legal with two changes: ..., and ...", of two rules that are in one of several clashes;
  /// absent if one is enough, or none of those that were tried is.
  std::optional<std::string> help_with_two(const std::vector<RulePair>& clashes) const;

 private:
  bool reaches(Goal goal, const std::vector<const RuleChange*>& changes) const {
    return trial_.reaches(goal, changed(layout_, changes));
  }
  std::vector<RuleChange> all_changes(const std::vector<RulePair>& clashes) const;
  void add_first(const std::vector<RuleChange>& candidates, std::vector<RuleChange>& found) const;
  std::vector<RuleChange> with_scopes(const std::vector<int>& rules) const;
  std::vector<RuleChange> find(Goal goal, const std::vector<int>& rules) const;

  const Layout& layout_;
  const RuleChanges changes_;
  const LayoutTrial trial_;
};

}  // namespace mtfc::lowering
