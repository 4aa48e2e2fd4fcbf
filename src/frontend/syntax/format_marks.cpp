#include "frontend/syntax/format_marks.h"

#include <vector>

namespace mtfc::syntax {
namespace {

class Finder {
 public:
  Finder(const ast::File& file, const Tokens& tokens) : file_(file), tokens_(tokens) {}

  FormatMarks find() {
    for (const ast::Statement& statement : file_.statements) {
      marks_.items.insert(statement.keyword.begin);
      if (auto* train = std::get_if<ast::Train>(&statement.node)) settings(train->settings);
      if (auto* generate = std::get_if<ast::Generate>(&statement.node))
        if (generate->settings) settings(*generate->settings);
      if (auto* param = std::get_if<ast::ParamDecl>(&statement.node))
        if (param->names.size() > 1) marks_.apart.insert(param->shape.span.begin);
      if (auto* repeat = std::get_if<ast::Repeat>(&statement.node))
        if (repeat->counter)
          marks_.keywords.insert(tokens_[token_at(repeat->counter->span) + 1].begin);
      if (auto* branch = std::get_if<ast::If>(&statement.node)) else_if(*branch);
    }
    for (const std::uint32_t span : not_items_) marks_.items.erase(span);
    return std::move(marks_);
  }

 private:
  std::size_t token_at(Span span) const {
    std::size_t low = 0, high = tokens_.size();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (tokens_[middle].begin <= span.begin ? low : high) = middle;
    }
    return low;
  }

  void settings(const ast::Settings& settings) {
    for (const ast::Setting& setting : settings.settings)
      marks_.items.insert(setting.key.span.begin);
    for (const ast::Settings::Params& params : settings.params) {
      const std::size_t word = token_at(params.globs.front().second) - 1;
      marks_.items.insert(tokens_[word].begin);
      for (const ast::Setting& setting : params.settings)
        marks_.items.insert(setting.key.span.begin);
    }
  }

  /// In `else if` the `if` is a statement of the tree, but begins nothing in the text.
  void else_if(const ast::If& branch) {
    if (!branch.else_body || branch.else_body->size() != 1) return;
    const Span word = file_.at(branch.else_body->front()).keyword;
    const std::size_t at = token_at(word);
    if (at > 0 && tokens_.text(at - 1) == "else") not_items_.push_back(word.begin);
  }

  const ast::File& file_;
  const Tokens& tokens_;
  FormatMarks marks_;
  std::vector<std::uint32_t> not_items_;
};

}  // namespace

FormatMarks find_marks(const ast::File& file, const Tokens& tokens) {
  return Finder(file, tokens).find();
}

}  // namespace mtfc::syntax
