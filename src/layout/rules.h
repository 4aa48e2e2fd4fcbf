// Which rule of a layout applies to which dimension: found without reporting anything, so that
// changed layouts can be tried in silence. What rules and scopes are called in messages.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/layout.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// True if `pattern` names `name`: equal, or equal with any letters in the place of each `*`.
/// Aliases match only what is written with as many primes.
bool matches(std::string_view pattern, std::string_view name);

/// "rows", or of several "rows+cols".
std::string axes_text(const LayoutRule& rule);
/// The rule's text, "batch:rows"; in a scope `in "layers.*" length:model`; a scope with its rules,
/// `in "layers.*" { batch:[]; length:model }`.
std::string text_of(const LayoutRule& rule);
std::string head_of(const LayoutScope& scope);  // `in "layers.*"`
/// "if that is meant, write `"layers.*"?`": of a path that matches nothing.
std::string if_meant(const LayoutScope& scope);
std::string text_of(const LayoutScope& scope, const LayoutRule& rule);
std::string text_of(const LayoutScope& scope);
/// Of a rule that matches nothing: which of these names may have been meant, with the repair.
/// `otherwise` says what to do if it was none.
void propose_dimension(Diagnostic& d, const LayoutRule& rule, const std::set<std::string>& names,
                       const std::string& otherwise);

/// The rules that apply to one dimension, in the order of the layout. If there are rules with
/// exactly its name, these; else all patterns that match. `chosen` is the one that holds: the first
/// that splits it at all, else the first; of those that split it alike one with `!`.
struct Candidates {
  std::vector<int> rules;
  int chosen = -1;
};

/// By DimId. Dimensions of one name have equal candidates.
std::vector<Candidates> find_candidates(const std::vector<LayoutRule>& rules, const Mesh& mesh,
                                        const DimTable& dims);

/// The axes that the rule splits over, major to minor: those of its axes that the mesh has, without
/// those of size 1.
std::vector<AxisId> splitting_axes(const LayoutRule& rule, const Mesh& mesh);

/// Whether all axes that the rule names have size 1 (or the mesh lacks them): it splits nothing and
/// contradicts nothing.
bool splits_nothing(const LayoutRule& rule, const Mesh& mesh);
/// Whether two rules for one dimension say different things.
bool contradict(const LayoutRule& a, const LayoutRule& b, const Mesh& mesh);

/// For each axis of the rule that the mesh lacks (E403).
std::vector<Diagnostic> unknown_axes(const Mesh& mesh, const LayoutRule& rule);

/// What the candidates say, unchecked.
Assignment assign_axes(const std::vector<LayoutRule>& rules, const Mesh& mesh,
                       const std::vector<Candidates>& candidates);

}  // namespace mtfc::lowering
