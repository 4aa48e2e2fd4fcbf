#include "frontend/elaborate/source_call.h"

#include <algorithm>
#include <filesystem>

#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/source_paths.h"
#include "frontend/elaborate/values.h"
#include "sources/source_table.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

std::string_view kind_name(SourceArg::Kind kind) {
  switch (kind) {
    case SourceArg::Kind::path:
    case SourceArg::Kind::word:
      return "a string";
    case SourceArg::Kind::integer:
      return "a whole number";
    case SourceArg::Kind::share:
      return "a number that is at least 0 and less than 1";
    case SourceArg::Kind::flag:
      return "true or false";
  }
  return "";
}

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// A number, bool or string as an argument of its formal's type; absent if it is none.
std::optional<SourceSpec::Value> as_argument(const Val& val, SourceArg::Kind kind) {
  using Kind = SourceArg::Kind;
  if ((kind == Kind::path || kind == Kind::word) && val.text()) return *val.text();
  if (kind == Kind::flag && val.boolean()) return *val.boolean();
  if (kind == Kind::share && val.number())
    if (const double share = val.number()->value(); share >= 0 && share < 1) return share;
  if (kind == Kind::integer && val.number())
    if (const auto whole = val.number()->as_integer()) return *whole;
  return std::nullopt;
}

/// Whether no argument is missing, and none given that says nothing beside another; reports the
/// first.
bool are_enough(Context& cx, const SourceRow& row, const DataSource& source, Span callee) {
  const auto is_given = [&](std::string_view wanted) {
    return std::any_of(source.args.begin(), source.args.end(),
                       [&](const auto& arg) { return arg.first == wanted; });
  };
  for (const SourceArg& f : row.args) {
    const std::string name = backquoted(std::string(f.name));
    if (!f.idle_beside.empty() && is_given(f.name) && is_given(f.idle_beside)) {
      report(cx, diag(DiagKind::wrong_arguments,
                      name + " has no effect beside `" + std::string(f.idle_beside) + "`")
                     .at(callee)
                     .help("leave one of them out"));
      return false;
    }
    if (!f.required || is_given(f.name)) continue;
    report(cx,
           diag(DiagKind::wrong_arguments, "`" + source.function + "` needs " + name).at(callee));
    return false;
  }
  return true;
}

/// Once, and as an array not under the name by which other sources have a file for evaluations.
bool may_be_given(Context& cx, const DataSource& source, const std::string& key, bool extra_file,
                  Span span) {
  for (const auto& [given, value] : source.args)
    if (given == key) {
      report(cx, diag(DiagKind::wrong_arguments, "`" + key + "` is given twice").at(span));
      return false;
    }
  if (!extra_file || key != "eval") return true;
  report(cx,
         diag(DiagKind::wrong_arguments, "`" + source.function + "` has no file for evaluations")
             .at(span)
             .help("`holdout` keeps a part of its examples for them; an array needs another "
                   "name"));
  return false;
}

/// What is no call is no source.
void not_a_source(Context& cx, ast::ExprId source) {
  const Span span = cx.expr(source).span;
  const auto* field = std::get_if<ast::Field>(&cx.expr(source).node);
  const bool of_call = field && std::holds_alternative<ast::Call>(cx.expr(field->base).node);
  report(cx,
         diag(DiagKind::wrong_source, quoted_source(cx, span) + " is not a data source")
             .at(span)
             .help(of_call ? "give the source a name: `data d = " +
                                 std::string(cx.session.sources.text(cx.expr(field->base).span)) +
                                 "`, then `from d." + field->name.text + "`"
                           : "sources are written as calls, `chars(\"input.txt\")`"));
}

void unknown_source(Context& cx, const ast::Name& callee) {
  Diagnostic d = diag(DiagKind::wrong_source, "no data source is called `" + callee.text + "`")
                     .at(callee.span)
                     .note("there are: " + source_names());
  const std::string_view advice = advice_on_source(callee.text);
  if (advice.empty())
    suggest(d, callee, names_of(source_table()));
  else
    d.helps.emplace_back(advice);
  report(cx, std::move(d));
}

/// A file that is given by its place, behind the first one.
void name_further_file(Context& cx, Diagnostic& d, Span value) {
  d.help("a further file has a name, that of its field: " +
         backquoted("y=" + std::string(cx.session.sources.text(value))));
}

void no_such_argument(Context& cx, const SourceRow& row, const ast::Argument& argument,
                      const Operand& value) {
  Diagnostic d =
      diag(DiagKind::wrong_arguments, "`" + std::string(row.name) + "` has no such argument")
          .at(argument.name ? argument.name->span : value.span);
  const std::vector<std::string> candidates = names_of(row.args);
  if (argument.name) suggest(d, *argument.name, candidates);
  if (row.more_files && !argument.name && value.val.text()) name_further_file(cx, d, value.span);
  if (d.helps.empty()) d.help("it takes " + mtfc::joined(candidates, ", "));
  report(cx, std::move(d));
}

/// `formal`: what the argument stands for; null where the row has none. False: it is reported.
bool add_argument(Context& cx, const SourceRow& row, const ast::Argument& argument,
                  const SourceArg* formal, const Operand& value, DataSource& result) {
  const bool extra_file = !formal && argument.name && row.more_files;
  if (!formal && !extra_file) {
    no_such_argument(cx, row, argument, value);
    return false;
  }
  const std::string key = formal ? std::string(formal->name) : argument.name->text;
  const SourceArg::Kind kind = formal ? formal->kind : SourceArg::Kind::path;
  const auto converted = as_argument(value.val, kind);
  if (!converted) {
    Diagnostic d =
        diag(DiagKind::wrong_arguments, "`" + key + "` must be " + std::string(kind_name(kind)))
            .at(value.span, show(cx, value.val));
    if (extra_file) suggest(d, *argument.name, names_of(row.args));
    if (row.more_files && !argument.name && value.val.text()) name_further_file(cx, d, value.span);
    report(cx, std::move(d));
    return false;
  }
  const bool fine =
      may_be_given(cx, result, key, extra_file, argument.name ? argument.name->span : value.span);
  result.args.emplace_back(key, *converted);
  return fine;
}

}  // namespace

std::optional<DataSource> data_source(Context& cx, const std::string& name, ast::ExprId source) {
  const Span span = cx.expr(source).span;
  const auto* call = std::get_if<ast::Call>(&cx.expr(source).node);
  if (!call) {
    not_a_source(cx, source);
    return std::nullopt;
  }
  const SourceRow* row = find_source(call->callee.text);
  if (!row) {
    unknown_source(cx, call->callee);
    return std::nullopt;
  }
  DataSource result;
  result.name = name;
  result.function = call->callee.text;
  result.directory = directory_of(cx.session.sources.path(span.file));
  result.span = span;
  bool fine = true;
  const std::vector<const SourceArg*> formals = source_formals(*row, *call);
  for (std::size_t i = 0; i < call->args.size(); ++i) {
    const Operand value = eval_operand(cx, call->args[i].value);
    if (value.val.poison()) return std::nullopt;
    fine = add_argument(cx, *row, call->args[i], formals[i], value, result) && fine;
  }
  fine = fine && are_enough(cx, *row, result, call->callee.span);
  return fine ? std::optional(std::move(result)) : std::nullopt;
}

void override_source(Context& cx, DataSource& source, const std::string& name) {
  Override* over = cx.session.setting("data." + name);
  if (!over) return;
  over->used = true;
  if (over->tree && std::holds_alternative<ast::Call>(over->tree->at(over->value).node)) {
    At there(cx, {&*over->tree, cx.now.scope, nullptr});
    auto other = data_source(cx, name, over->value);
    if (other) {
      source = std::move(*other);
      source.directory = ".";
    }
    return;
  }
  const bool call = find_source(over->text.substr(0, over->text.find_first_of("( "))) &&
                    over->text.find('(') != over->text.npos;
  if (!over->tree && call) {  // a call that does not parse, not a path
    over->complain(cx.session.diagnostics);
    return;
  }
  std::string path = over->text;
  if (over->tree)
    if (const auto* text = std::get_if<ast::String>(&over->tree->at(over->value).node))
      path = text->value;
  if (!replace_path(source, std::move(path))) {
    report(cx, diag(DiagKind::wrong_setting, "`" + source.function + "` reads no file")
                   .at({over->file, 0, static_cast<std::uint32_t>(over->text.size())})
                   .help("replace the source: `--set 'data." + name + "=idx(\"DIR\")'`"));
    return;
  }
  source.directory = ".";
}

}  // namespace mtfc::elab
