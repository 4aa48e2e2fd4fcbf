// What is reported of the scopes of a layout, whichever kind they are of.
#pragma once
#include <map>
#include <set>
#include <string>

#include "ir/layout.h"
#include "ir/model.h"
#include "layout/first_mistakes.h"

namespace mtfc::lowering {

/// What a scope met in the model.
struct ScopeUse {
  const LayoutScope* text;
  std::size_t matches = 0;                // parameters, or operations
  std::set<const LayoutRule*> used = {};  // rules for a dimension of these
};

class ScopeMistakes {
 public:
  ScopeMistakes(const Layout& layout, const Model& model, Diagnostics& diagnostics);

  void report(Diagnostic d) { mistakes_.report(std::move(d)); }
  /// Two rules hold for one dimension: "`batch` is split".
  void ruled_twice(const std::string& what, const LayoutRule& one, const LayoutRule& other,
                   const std::string& help);
  /// The scope matches nothing, or some of its rules do, or change nothing.
  void unused(const ScopeUse& scope);

 private:
  /// What scopes of one kind can match.
  struct Things {
    std::set<std::string> paths;  // iterations as one
    std::string example;
  };
  void matches_nothing(const LayoutScope& scope);
  void unused(const ScopeUse& scope, const LayoutRule& rule);
  const Things& things(LayoutScope::Kind kind);
  std::set<std::string> dims_in(const LayoutScope& scope) const;

  const Model& model_;
  FirstMistakes mistakes_;
  const std::set<std::string> split_;           // names of dimensions, by any rule or entry
  std::map<LayoutScope::Kind, Things> things_;  // for the first that matches nothing
};

}  // namespace mtfc::lowering
