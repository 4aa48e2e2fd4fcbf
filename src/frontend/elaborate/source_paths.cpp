#include "frontend/elaborate/source_paths.h"

#include <optional>

#include "frontend/syntax/parse.h"

namespace mtfc {
namespace elab {

std::vector<const SourceArg*> source_formals(const SourceRow& row, const ast::Call& call) {
  std::vector<const SourceArg*> formals;
  std::size_t next = 0;
  for (const ast::Argument& argument : call.args) {
    if (argument.name)
      formals.push_back(row.find(argument.name->text));
    else
      formals.push_back(next < row.args.size() ? &row.args[next++] : nullptr);
  }
  return formals;
}

}  // namespace elab

namespace {

std::string as_string_literal(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n' || c == '\t') {
      literal += c == '\n' ? "\\n" : "\\t";
      continue;
    }
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

/// The expressions of a call that are paths, in the order of the text.
std::vector<ast::ExprId> path_arguments(const ast::Call& call) {
  std::vector<ast::ExprId> paths;
  const SourceRow* row = find_source(call.callee.text);
  if (row == nullptr) return paths;
  const std::vector<const SourceArg*> formals = elab::source_formals(*row, call);
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const bool extra = formals[i] == nullptr && call.args[i].name && row->more_files;
    if (extra || (formals[i] != nullptr && formals[i]->kind == SourceArg::Kind::path))
      paths.push_back(call.args[i].value);
  }
  return paths;
}

}  // namespace

std::string with_source_paths(const std::string& value,
                              const std::function<std::string(const std::string&)>& change) {
  SourceMap sources;
  Diagnostics mistakes;
  const auto tree = parse_expression(sources, sources.add("a data source", value), mistakes);
  if (!tree) return change(value);
  const ast::ExprId top = std::get<ast::Assign>(tree->at(tree->body[0]).node).value;
  const auto* call = std::get_if<ast::Call>(&tree->at(top).node);
  if (!call && !std::holds_alternative<ast::String>(tree->at(top).node)) return change(value);
  std::string changed;
  std::size_t end = 0;
  for (const ast::ExprId id : call ? path_arguments(*call) : std::vector<ast::ExprId>{top}) {
    const auto* path = std::get_if<ast::String>(&tree->at(id).node);
    if (path == nullptr) continue;
    const Span span = tree->at(id).span;
    changed += value.substr(end, span.begin - end) + as_string_literal(change(path->value));
    end = span.end;
  }
  return changed + value.substr(end);
}

}  // namespace mtfc
