#include "plan/choice.h"

#include "support/text.h"

namespace mtfc::plan {
namespace {

std::vector<LayoutRule> rules_of(const std::vector<Split>& splits) {
  std::vector<LayoutRule> rules;
  for (const Split& split : splits) {
    LayoutRule& rule = rules.emplace_back();
    rule.pattern = split.dim;
    rule.axes = split.axes;
    rule.axis_spans.resize(split.axes.size());
  }
  return rules;
}

}  // namespace

Layout layout_of(const Choice& choice) {
  Layout layout;
  layout.mesh = choice.mesh;
  layout.rules = rules_of(choice.rules);
  if (!choice.kept.empty())
    layout.scopes.push_back({LayoutScope::Kind::param, "**", rules_of(choice.kept), {}, {}});
  return layout;
}

std::string text_of(const Split& split) { return split.dim + ":" + joined(split.axes, "+"); }

std::string rules_text(const Choice& choice) {
  std::vector<std::string> parts;
  for (const Split& split : choice.rules) parts.push_back(text_of(split));
  if (!choice.kept.empty()) {
    const auto text = [](const Split& split) { return text_of(split); };
    parts.push_back("param \"**\" { " + joined(choice.kept, "; ", text) + " }");
  }
  return parts.empty() ? "nothing split" : joined(parts, "; ");
}

}  // namespace mtfc::plan
