#include "frontend/elaborate/no_return.h"

#include <algorithm>

#include "frontend/elaborate/report.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

/// The strings that the block compares an argument with, in the order of the text.
std::vector<std::string> compared_with(const ast::File& file, Span block, const std::string& name) {
  std::vector<std::string> words;
  for (const ast::Expr& e : file.exprs) {
    const auto* equal = std::get_if<ast::Binary>(&e.node);
    if (!equal || equal->op != ast::BinaryOp::equal || e.span.begin < block.begin ||
        e.span.end > block.end)
      continue;
    const auto* left = std::get_if<ast::NameRef>(&file.at(equal->left).node);
    const auto* right = std::get_if<ast::String>(&file.at(equal->right).node);
    if (left && right && left->name.text == name) words.push_back(right->value);
  }
  return words;
}

const Module* module_of(const Context& cx, const Frame& frame) {
  for (const Module& module : cx.session.modules)
    if (module.file.file == frame.block->name.span.file) return &module;
  return nullptr;
}

std::vector<std::string> words_for(const Context& cx, const Frame& frame, const std::string& name) {
  const Module* module = module_of(cx, frame);
  if (module == nullptr) return {};
  const auto block = module->blocks.find(frame.block->name.text);
  if (block == module->blocks.end()) return {};
  return compared_with(module->file, module->file.at(block->second).span, name);
}

bool has_return(const ast::File& file, const ast::Body& body) {
  return std::any_of(body.begin(), body.end(), [&](ast::StatementId id) {
    return std::holds_alternative<ast::Return>(file.at(id).node);
  });
}

/// Of a block that returns only if something holds.
void show_condition(Diagnostic& d, const Context& cx, const Frame& frame) {
  const Module* module = module_of(cx, frame);
  if (module == nullptr) return;
  std::vector<Span> conditions;
  for (const ast::StatementId id : frame.block->body)
    if (const auto* choice = std::get_if<ast::If>(&module->file.at(id).node))
      if (!choice->else_body && has_return(module->file, choice->then_body))
        conditions.push_back(module->file.at(choice->condition).span);
  if (conditions.size() == 1) d.also(conditions.front(), "it returns only if this is so");
}

void explain_word(Diagnostic& d, const Context& cx, const Frame& frame, const std::string& name,
                  const std::string& word) {
  d.note("`" + name + "` is \"" + word + "\"");
  const std::vector<std::string> words = words_for(cx, frame, name);
  if (words.empty()) return;
  const auto quoted = [](const std::string& one) { return "\"" + one + "\""; };
  const std::string all = mtfc::joined(words, ", ", quoted);
  const std::vector<std::string> near = did_you_mean(word, words);
  d.help((near.empty() ? "" : "did you mean " + mtfc::joined(near, " or ", quoted) + "? ") + "`" +
         name + "` may be " + all);
}

}  // namespace

void report_no_return(Context& cx, const Frame& frame, const CallSite& site) {
  Diagnostic d =
      diag(DiagKind::wrong_result, "block `" + frame.block->name.text + "` returns nothing")
          .at(site.call->callee.span, "a value is needed here")
          .also(frame.block->name.span, "no `return` is reached");
  show_condition(d, cx, frame);
  for (const auto& [name, binding] : frame.root->names) {
    if (binding.kind != Binding::Kind::argument || !binding.val.is_static()) continue;
    if (const std::string* word = binding.val.text())
      explain_word(d, cx, frame, name, *word);
    else
      d.note("`" + name + "` is " + show(cx, binding.val));
  }
  report(cx, std::move(d));
}

}  // namespace mtfc::elab
