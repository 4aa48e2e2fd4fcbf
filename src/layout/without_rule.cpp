#include "layout/without_rule.h"

#include <algorithm>
#include <string_view>

#include "layout/rules.h"
#include "support/setting_words.h"

namespace mtfc::lowering {
namespace {

std::string setting_text(const std::pair<std::string, std::string>& setting) {
  return setting.first + "=" + setting.second;
}

/// Without spaces, quotation marks, braces, `?`, `!` and `set`: what a text says.
std::string bare(std::string_view text) {
  constexpr std::string_view set = "set ";
  if (text.starts_with(set)) text.remove_prefix(set.size());
  std::string letters;
  for (const char c : text)
    if (std::string_view(" \t\"{}?!").find(c) == std::string_view::npos) letters += c;
  return letters;
}

}  // namespace

std::string sharded_update_text() {
  return setting_text({"update", std::string(name(UpdateForm::sharded))});
}

std::vector<std::string> rule_texts(const Layout& layout) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  };
  for (const LayoutRule& rule : layout.rules) add(text_of(rule));
  for (const LayoutScope& scope : layout.scopes)
    for (const LayoutRule& rule : scope.rules) add(text_of(scope, rule));
  if (layout.pipeline) add(std::string(pipeline_text));
  for (const auto& setting : layout.settings) add(setting_text(setting));
  return texts;
}

bool remove_rule(Layout& layout, const std::string& text) {
  const std::string wanted = bare(text);
  std::size_t removed =
      std::erase_if(layout.rules, [&](const LayoutRule& r) { return bare(text_of(r)) == wanted; });
  for (LayoutScope& scope : layout.scopes)
    removed += std::erase_if(
        scope.rules, [&](const LayoutRule& rule) { return bare(text_of(scope, rule)) == wanted; });
  std::erase_if(layout.scopes, [](const LayoutScope& scope) { return scope.rules.empty(); });
  if (layout.pipeline && wanted == pipeline_text) {
    layout.pipeline.reset();
    ++removed;
  }
  for (std::size_t i = layout.settings.size(); i-- > 0;) {
    if (bare(setting_text(layout.settings[i])) != wanted) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    layout.settings.erase(layout.settings.begin() + at);
    layout.setting_spans.erase(layout.setting_spans.begin() + at);
    ++removed;
  }
  return removed > 0;
}

}  // namespace mtfc::lowering
