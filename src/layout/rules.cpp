#include "layout/rules.h"

#include <unordered_map>

#include "support/did_you_mean.h"

namespace mtfc::lowering {
namespace {

std::string_view take_primes(std::string_view& name) {
  const std::size_t end = name.find_last_not_of('\'') + 1;
  const std::string_view primes = name.substr(end);
  name.remove_suffix(primes.size());
  return primes;
}

bool is_pattern(std::string_view text) { return text.find('*') != text.npos; }

/// The usual two pointers: on a mismatch the latest star takes one letter more.
bool matches_letters(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  if (take_primes(pattern) != take_primes(name)) return false;
  return matches_letters(pattern, name);
}

std::string axes_text(const LayoutRule& rule) {
  if (rule.axes.empty()) return "[]";
  std::string text;
  for (const std::string& axis : rule.axes) text += (text.empty() ? "" : "+") + axis;
  return text;
}

std::string text_of(const LayoutRule& rule) { return rule.pattern + ":" + axes_text(rule); }

std::string head_of(const LayoutScope& scope) {
  return std::string(name(scope.kind)) + " \"" + scope.glob + "\"";
}

std::string if_meant(const LayoutScope& scope) {
  return "if that is meant, write `\"" + scope.glob + "\"?`";
}

std::string text_of(const LayoutScope& scope, const LayoutRule& rule) {
  return head_of(scope) + " " + text_of(rule);
}

std::string text_of(const LayoutScope& scope) {
  std::string rules;
  for (const LayoutRule& rule : scope.rules) rules += (rules.empty() ? "" : "; ") + text_of(rule);
  return head_of(scope) + " { " + rules + " }";
}

void propose_dimension(Diagnostic& d, const LayoutRule& rule, const std::set<std::string>& names,
                       const std::string& otherwise) {
  const std::vector<std::string> near = did_you_mean(rule.pattern, {names.begin(), names.end()});
  if (near.empty()) {
    d.helps.push_back(otherwise);
    return;
  }
  d.helps.push_back(meant(near) + "  (" + otherwise + ")");
  if (const std::string* one = sole(near)) d.fixes.push_back({rule.pattern_span, *one});
}

std::vector<AxisId> splitting_axes(const LayoutRule& rule, const Mesh& mesh) {
  std::vector<AxisId> axes;
  for (const std::string& name : rule.axes)
    if (const auto axis = mesh.find(name); axis && mesh.size(*axis) > 1) axes.push_back(*axis);
  return axes;
}

bool splits_nothing(const LayoutRule& rule, const Mesh& mesh) {
  return !rule.axes.empty() && splitting_axes(rule, mesh).empty();
}

bool contradict(const LayoutRule& a, const LayoutRule& b, const Mesh& mesh) {
  return !splits_nothing(a, mesh) && !splits_nothing(b, mesh) &&
         splitting_axes(a, mesh) != splitting_axes(b, mesh);
}

std::vector<Candidates> find_candidates(const std::vector<LayoutRule>& rules, const Mesh& mesh,
                                        const DimTable& dims) {
  std::unordered_map<std::string_view, std::vector<int>> exact;
  std::vector<int> patterns;
  for (int i = 0; i < static_cast<int>(rules.size()); ++i) {
    const std::string& pattern = rules[static_cast<std::size_t>(i)].pattern;
    is_pattern(pattern) ? patterns.push_back(i) : exact[pattern].push_back(i);
  }
  const auto rule_at = [&](int i) -> const LayoutRule& {
    return rules[static_cast<std::size_t>(i)];
  };
  const auto find = [&](std::string_view name) {
    Candidates found;
    if (const auto it = exact.find(name); it != exact.end()) found.rules = it->second;
    if (found.rules.empty())
      for (int i : patterns)
        if (matches(rule_at(i).pattern, name)) found.rules.push_back(i);
    for (int i : found.rules)
      if (found.chosen < 0 && !splitting_axes(rule_at(i), mesh).empty()) found.chosen = i;
    if (found.chosen < 0 && !found.rules.empty()) found.chosen = found.rules.front();
    for (int i : found.rules)
      if (rule_at(i).must_divide && !rule_at(found.chosen).must_divide &&
          rule_at(i).axes == rule_at(found.chosen).axes)
        found.chosen = i;
    return found;
  };
  // Local dimensions of one block have one name and many ids.
  std::unordered_map<std::string_view, std::size_t> first_of_name;
  std::vector<Candidates> all;
  all.reserve(dims.size());
  for (const Dim& dim : dims.all()) {
    const auto [first, fresh] = first_of_name.emplace(dim.name, all.size());
    all.push_back(fresh ? find(dim.name) : Candidates(all[first->second]));
  }
  return all;
}

Assignment assign_axes(const std::vector<LayoutRule>& rules, const Mesh& mesh,
                       const std::vector<Candidates>& candidates) {
  Assignment assignment;
  assignment.mesh = mesh;
  assignment.dims.resize(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].chosen < 0) continue;
    const LayoutRule& rule = rules[static_cast<std::size_t>(candidates[i].chosen)];
    Assignment::Entry& entry = assignment.dims[i];
    entry.rule = candidates[i].chosen;
    entry.cause = text_of(rule);
    entry.axes = splitting_axes(rule, mesh);
  }
  return assignment;
}

}  // namespace mtfc::lowering
