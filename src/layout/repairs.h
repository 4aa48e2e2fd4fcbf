// Changes of rules that make a layout legal, found by trying them: without a rule, over another
// axis, or only where it helps (expert parallelism, sharded parameters).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// What may stand in place of a rule.
struct RuleChange {
  int rule = 0;
  std::string text;                  // "remove `d_model:cols`"
  std::vector<std::string> axes;     // over these; empty: the rule goes
  std::optional<LayoutScope> scope;  // and this comes
};

using RulePair = std::pair<int, int>;

class Repairs {
 public:
  Repairs(const Model& model, const Layout& layout, const Mesh& mesh)
      : model_(model), layout_(layout), mesh_(mesh), wasted_(waste(layout)) {}

  /// "legal with one change: remove `d_model:cols`, or remove `heads:cols`". If no change of one of
  /// these two rules is enough, because of bad sizes elsewhere or further clashes, it says so.
  std::string help(int first_rule, int second_rule) const;

  /// "legal with two changes: ..., and ...", of two rules that are in one of several clashes;
  /// absent if one is enough, or none of those that were tried is.
  std::optional<std::string> help_with_two(const std::vector<RulePair>& clashes) const;

 private:
  enum class Goal { legal, no_clash };
  const LayoutRule& rule_at(int rule) const {
    return layout_.rules[static_cast<std::size_t>(rule)];
  }
  bool reaches(Goal goal, const Layout& changed) const;
  /// What is said of rules that pad a tenth or more.
  std::set<std::string> waste(const Layout& layout) const;
  /// Of different rules.
  Layout changed(const std::vector<const RuleChange*>& changes) const;
  RuleChange removal(int rule) const;
  std::vector<RuleChange> moves(int rule) const;
  RuleChange scoped(int rule, LayoutScope scope) const;
  std::vector<RuleChange> handovers(int of_inputs, int of_parameters) const;
  std::vector<RuleChange> keeping(int rule) const;
  std::vector<RuleChange> all_changes(const std::vector<RulePair>& clashes) const;
  void add_first(const std::vector<RuleChange>& candidates, std::vector<RuleChange>& found) const;
  std::vector<RuleChange> find(Goal goal, const std::vector<int>& rules) const;

  const Model& model_;
  const Layout& layout_;
  const Mesh& mesh_;
  const std::set<std::string> wasted_;  // by the layout as it is
};

}  // namespace mtfc::lowering
