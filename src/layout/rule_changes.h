// What may stand in place of a rule to make a layout legal: nothing, another axis, or a scope with
// it only where it helps (expert parallelism, sharded parameters).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

struct RuleChange {
  int rule = 0;
  std::string text = {};                  // "remove `d_model:cols`"
  std::vector<std::string> axes = {};     // over these; empty: the rule goes
  std::optional<LayoutScope> scope = {};  // and this comes
};

/// The layout with these changes, of different rules.
Layout changed(Layout layout, const std::vector<const RuleChange*>& changes);

class RuleChanges {
 public:
  RuleChanges(const Model& model, const Layout& layout, const Mesh& mesh)
      : model_(model), layout_(layout), mesh_(mesh) {}

  RuleChange removal(int rule) const;
  std::vector<RuleChange> moves(int rule) const;
  /// `of_parameters` in blocks of its own, where `of_inputs` gives it the axis.
  std::vector<RuleChange> handovers(int of_inputs, int of_parameters) const;
  /// Of parameters alone: kept split, gathered where they are used.
  std::vector<RuleChange> keeping(int rule) const;

  const LayoutRule& rule_at(int rule) const {
    return layout_.rules[static_cast<std::size_t>(rule)];
  }
  bool splits_inputs(int rule) const;
  /// Of a name that parameters have and no input has.
  bool splits_parameters_alone(int rule) const;

 private:
  RuleChange scoped(int rule, LayoutScope scope) const;

  const Model& model_;
  const Layout& layout_;
  const Mesh& mesh_;
};

}  // namespace mtfc::lowering
