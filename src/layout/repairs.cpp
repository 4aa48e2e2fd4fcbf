#include "layout/repairs.h"

#include <algorithm>

#include "layout/rules.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

constexpr std::size_t most_repairs = 4;

constexpr int most_tries = 64;  // of two changes; each resolves the whole layout

std::string any_of_these(const std::vector<RuleChange>& changes) {
  return joined(changes, ", or ", [](const RuleChange& change) { return change.text; });
}

}  // namespace

void Repairs::add_first(const std::vector<RuleChange>& candidates,
                        std::vector<RuleChange>& found) const {
  for (const RuleChange& change : candidates)
    if (reaches(Goal::legal, {&change})) return found.push_back(change);
}

std::vector<RuleChange> Repairs::find(Goal goal, const std::vector<int>& rules) const {
  std::vector<RuleChange> found;
  for (const int rule : rules)
    if (const RuleChange change = changes_.removal(rule); reaches(goal, {&change}))
      found.push_back(change);
  for (const int rule : rules)
    for (const RuleChange& change : changes_.moves(rule))
      if (found.size() < most_repairs && reaches(goal, {&change})) found.push_back(change);
  if (goal != Goal::legal || rules.size() != 2) return found;
  const std::vector<RuleChange> scopes = with_scopes(rules);
  // Whoever splits what parameters alone have means these.
  const bool are_meant = std::any_of(
      rules.begin(), rules.end(), [&](int rule) { return changes_.splits_parameters_alone(rule); });
  found.insert(are_meant ? found.begin() : found.end(), scopes.begin(), scopes.end());
  return found;
}

/// What keeps both rules, each where it does good.
std::vector<RuleChange> Repairs::with_scopes(const std::vector<int>& rules) const {
  std::vector<RuleChange> found;
  for (const auto& [of_inputs, of_parameters] :
       {std::pair(rules[1], rules[0]), std::pair(rules[0], rules[1])}) {
    if (!changes_.splits_inputs(of_inputs)) continue;
    add_first(changes_.handovers(of_inputs, of_parameters), found);
    add_first(changes_.keeping(of_parameters), found);
  }
  return found;
}

std::string Repairs::help(int first_rule, int second_rule) const {
  // The later rule first: it was probably the one added.
  std::vector<int> rules{second_rule};
  if (first_rule != second_rule) rules.push_back(first_rule);
  if (const auto found = find(Goal::legal, rules); !found.empty())
    return "legal with one change: " + any_of_these(found);
  if (const auto found = find(Goal::no_clash, rules); !found.empty())
    return "no clash is left with one change: " + any_of_these(found);
  std::string text = "change `" + text_of(changes_.rule_at(first_rule)) + "`";
  if (first_rule != second_rule) text += " or `" + text_of(changes_.rule_at(second_rule)) + "`";
  return text + "; that alone does not make the layout legal";
}

/// What may become of the rules that clash; what keeps most of a rule first.
std::vector<RuleChange> Repairs::all_changes(const std::vector<RulePair>& clashes) const {
  std::vector<RuleChange> changes;
  const auto add = [&](std::vector<RuleChange> more) {
    for (RuleChange& change : more)
      if (std::none_of(changes.begin(), changes.end(),
                       [&](const RuleChange& known) { return known.text == change.text; }))
        changes.push_back(std::move(change));
  };
  for (const auto& [first, second] : clashes) {
    add(changes_.handovers(first, second));
    add(changes_.handovers(second, first));
  }
  for (const auto& [first, second] : clashes) {
    add(changes_.keeping(first));
    add(changes_.keeping(second));
  }
  for (const auto& [first, second] : clashes)
    add({changes_.removal(second), changes_.removal(first)});
  return changes;
}

std::optional<std::string> Repairs::help_with_two(const std::vector<RulePair>& clashes) const {
  const std::vector<RuleChange> changes = all_changes(clashes);
  const auto is_enough = [&](const RuleChange& change) { return reaches(Goal::legal, {&change}); };
  if (std::any_of(changes.begin(), changes.end(), is_enough)) return std::nullopt;
  int tries = 0;
  // By the sum of their places: two scopes before a scope and a removal before two removals.
  for (std::size_t sum = 1; sum + 1 < 2 * changes.size(); ++sum)
    for (std::size_t i = 0; 2 * i < sum; ++i) {
      const std::size_t j = sum - i;
      if (j >= changes.size() || changes[i].rule == changes[j].rule) continue;
      if (++tries > most_tries) return std::nullopt;
      if (reaches(Goal::legal, {&changes[i], &changes[j]}))
        return "legal with two changes: " + changes[i].text + ", and " + changes[j].text;
    }
  return std::nullopt;
}

}  // namespace mtfc::lowering
