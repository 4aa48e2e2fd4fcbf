// `data` and `input`: where the numbers come from. Nothing is opened here.
#include <algorithm>
#include <filesystem>

#include "frontend/elaborate/dims.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/source_paths.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/value_names.h"
#include "frontend/elaborate/values.h"
#include "messages/did_you_mean.h"
#include "sources/source_table.h"

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

std::vector<std::string> names_of(const std::vector<SourceRow>& rows) {
  std::vector<std::string> names;
  for (const SourceRow& row : rows) names.emplace_back(row.name);
  return names;
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

std::vector<std::string> argument_names(const SourceRow& row) {
  std::vector<std::string> names;
  for (const SourceArg& formal : row.args) names.emplace_back(formal.name);
  return names;
}

/// `function(arguments)` as data. The place of the expression decides where paths start.
std::optional<DataSource> data_source(Context& cx, const std::string& name, ast::ExprId source) {
  const Span span = cx.expr(source).span;
  const auto* call = std::get_if<ast::Call>(&cx.expr(source).node);
  if (!call) {
    const auto* field = std::get_if<ast::Field>(&cx.expr(source).node);
    const bool of_call = field && std::holds_alternative<ast::Call>(cx.expr(field->base).node);
    report(cx,
           diag(DiagKind::wrong_source, quoted_source(cx, span) + " is not a data source")
               .at(span)
               .help(of_call ? "give the source a name: `data d = " +
                                   std::string(cx.session.sources.text(cx.expr(field->base).span)) +
                                   "`, then `from d." + field->name.text + "`"
                             : "sources are written as calls, `chars(\"input.txt\")`"));
    return std::nullopt;
  }
  const SourceRow* row = find_source(call->callee.text);
  if (!row) {
    Diagnostic d =
        diag(DiagKind::wrong_source, "no data source is called `" + call->callee.text + "`")
            .at(call->callee.span)
            .note("there are: " + source_names());
    const std::string_view advice = advice_on_source(call->callee.text);
    if (advice.empty())
      suggest(d, call->callee, names_of(source_table()));
    else
      d.helps.emplace_back(advice);
    report(cx, std::move(d));
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
    const ast::Argument& argument = call->args[i];
    const SourceArg* formal = formals[i];
    const Operand value = eval_operand(cx, argument.value);
    if (value.val.poison()) return std::nullopt;
    const bool extra_file = !formal && argument.name && row->more_files;
    if (!formal && !extra_file) {
      Diagnostic d =
          diag(DiagKind::wrong_arguments, "`" + call->callee.text + "` has no such argument")
              .at(argument.name ? argument.name->span : value.span);
      const std::vector<std::string> candidates = argument_names(*row);
      if (argument.name) suggest(d, *argument.name, candidates);
      if (d.helps.empty()) d.help("it takes " + mtfc::joined(candidates, ", "));
      report(cx, std::move(d));
      fine = false;
      continue;
    }
    const SourceArg::Kind kind = formal ? formal->kind : SourceArg::Kind::path;
    const auto converted = as_argument(value.val, kind);
    if (!converted) {
      Diagnostic d =
          diag(DiagKind::wrong_arguments,
               "`" + std::string(formal ? formal->name : std::string_view(argument.name->text)) +
                   "` must be " + std::string(kind_name(kind)))
              .at(value.span, show(cx, value.val));
      if (extra_file) suggest(d, *argument.name, argument_names(*row));
      report(cx, std::move(d));
      fine = false;
      continue;
    }
    const std::string key = formal ? std::string(formal->name) : argument.name->text;
    fine = may_be_given(cx, result, key, extra_file,
                        argument.name ? argument.name->span : value.span) &&
           fine;
    result.args.emplace_back(key, *converted);
  }
  return fine && are_enough(cx, *row, result, call->callee.span) ? std::optional(result)
                                                                 : std::nullopt;
}

/// --set data.NAME=...: another call, or another first argument.
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

/// Inputs from one source see the same examples, so one dimension numbers them.
void check_examples(Context& cx, const Input& input, const ast::InputDecl& decl) {
  if (input.type.dims.empty()) return;
  for (const Input& known : cx.session.model.inputs) {
    if (known.name == input.name) return;  // those below it are compared with it
    if (known.source != input.source || known.type.dims.empty()) continue;
    const DimId first = known.type.dims[0], mine = input.type.dims[0];
    if (first == mine) return;
    report(cx, diag(DiagKind::wrong_source, "two inputs from `" + input.source +
                                                "` number their examples by different dimensions")
                   .at(decl.target.shape->items[0].span, "here `" + dim_names(cx, {mine}) + "`")
                   .also(known.declared,
                         "`" + known.name + "` has `" + dim_names(cx, {first}) + "` first")
                   .note("all inputs from one source see the same examples")
                   .help("begin with the same dimension: `input " + input.name + "[" +
                         dim_names(cx, {first}) + ", ...]`"));
    return;
  }
}

/// The field exists and has the rank and type that the input declares.
void check_field(Context& cx, const DataSource& source, Input& input, const ast::InputDecl& decl) {
  const SourceRow* row = find_source(source.function);
  if (!row || row->fields.empty()) return;
  const SourceField* found = nullptr;
  std::vector<std::string> names;
  std::string fields;
  for (const SourceField& f : row->fields) {
    if (f.name == input.field) found = &f;
    names.emplace_back(f.name);
    fields += (fields.empty() ? "`" : ", `") + std::string(f.name) + "`";
  }
  const Span span = cx.expr(decl.source).span;
  if (!found) {
    Diagnostic d =
        diag(DiagKind::wrong_source,
             input.field.empty() ? "`" + source.function + "` has fields, and none is named"
                                 : "`" + source.function + "` has no field `" + input.field + "`")
            .at(span);
    if (!row->fields[0].name.empty()) {
      d.notes.push_back("its fields are " + fields);
      if (const std::string near = suggested(input.field, names); !near.empty())
        d.helps.push_back(near);
      if (input.field.empty())
        d.helps.push_back("write `from " + source.name + "." + std::string(row->fields[0].name) +
                          "`, say");
    } else
      d.helps.push_back("it has no fields: write `from " + source.name + "`");
    report(cx, std::move(d));
    return;
  }
  const int rank = static_cast<int>(input.type.dims.size());
  if (found->rank != 0 && found->rank != rank) {
    report(cx,
           diag(DiagKind::wrong_source,
                "`" + input.field + "` has " + counted(found->rank, "dimension") +
                    " with that of the examples, and `" + input.name + "` " + std::to_string(rank))
               .at(decl.target.shape ? decl.target.shape->span : decl.target.name.span,
                   show(cx, input.type.dims))
               .also(span, "the field"));
  }
  const bool agree =
      is_float(found->dtype) ? is_float(input.type.dtype) : found->dtype == input.type.dtype;
  if (agree) return;
  const std::string type(name(found->dtype));
  report(cx, diag(DiagKind::wrong_source, "`" + input.name + "` is " +
                                              std::string(name(input.type.dtype)) +
                                              " and its data is " + type)
                 .at(decl.target.name.span, "declared " + std::string(name(input.type.dtype)))
                 .also(span, "this is " + type)
                 .help("declare it so: `input " + input.name + "[...]: " + type + " from ...`"));
  input.type.dtype = found->dtype;  // what follows from the mistake is none of its own
}

/// Both elaborations must find the same.
void differs_by_mode(Context& cx, const std::string& what, Span now, Span before) {
  Diagnostic d =
      diag(DiagKind::mode_dependent, what + " differs between training and evaluation").at(now);
  if (before == now)
    d.helps.emplace_back("what it is must not depend on `training`");
  else
    d.also(before, "in training")
        .help(
            "declare it once, outside of `if training`; other examples for evaluations are an "
            "argument of sources, `eval`");
  report(cx, std::move(d));
}

void add_source(Context& cx, DataSource source, Span declared) {
  for (const DataSource& known : cx.session.model.sources)
    if (known.name == source.name) {  // by the other elaboration
      if (known.function != source.function || known.args != source.args ||
          known.directory != source.directory)
        differs_by_mode(cx, "the data of `" + source.name + "`", declared, known.span);
      return;
    }
  cx.session.model.sources.push_back(std::move(source));
}

}  // namespace

void exec_data(Context& cx, const ast::DataDecl& decl) {
  Binding binding;
  binding.kind = Binding::Kind::data;
  auto source = data_source(cx, decl.name.text, decl.source);
  if (!declare_name(cx, decl.name, binding)) return;
  if (!source) return;
  override_source(cx, *source, decl.name.text);
  add_source(cx, std::move(*source), decl.name.span);
}

void exec_input(Context& cx, const ast::InputDecl& decl) {
  const ast::Target& target = decl.target;
  Binding binding;
  binding.kind = Binding::Kind::input;
  const auto dims = target.shape ? declared_shape(cx, *target.shape, target.name.text) : Dims{};
  const auto dtype = target.dtype ? declared_type(cx, target.dtype) : computed_type(cx, DType::f32);

  Input input;
  input.name = target.name.text;
  input.declared = target.name.span;
  std::optional<DataSource> source;
  const auto* field = std::get_if<ast::Field>(&cx.expr(decl.source).node);
  const auto* ref = std::get_if<ast::NameRef>(&cx.expr(field ? field->base : decl.source).node);
  if (ref) {
    input.source = ref->name.text;
    if (field) input.field = field->name.text;
    const Binding* data = find_binding(cx, ref->name.text, ref->name.span);
    if (!data || data->kind != Binding::Kind::data) {
      Diagnostic d = diag(DiagKind::wrong_source, "`" + ref->name.text + "` is not a data source")
                         .at(ref->name.span);
      std::vector<std::string> candidates;
      for (const DataSource& s : cx.session.model.sources) candidates.push_back(s.name);
      suggest(d, ref->name, candidates);
      report(cx, std::move(d));
    }
    for (const DataSource& s : cx.session.model.sources)
      if (s.name == input.source) source = s;
  } else {
    input.source = input.name;
    source = data_source(cx, input.name, decl.source);
    if (source) override_source(cx, *source, input.name);
  }
  if (!dims || !dtype) {
    declare_name(cx, target.name, binding);
    return;
  }
  input.type = {*dtype, *dims};
  if (dims->empty())
    report(cx, diag(DiagKind::wrong_source, "an input needs a dimension that numbers the examples")
                   .at(target.name.span)
                   .help("write `input " + target.name.text + "[batch, ...]`"));
  if (source) check_field(cx, *source, input, decl);
  check_examples(cx, input, decl);
  const ValueId id = build_at(cx, target.name.span).input(input.name, input.type);
  binding.val = {
      target.dtype || !is_float(input.type.dtype) ? id : to_activation(cx, id, target.name.span)};
  if (!declare_name(cx, target.name, binding)) return;
  if (source && !ref) add_source(cx, *source, target.name.span);
  record_name(cx, input.name, id, false);
  for (const Input& known : cx.session.model.inputs)
    if (known.name == input.name) {
      if (!(known.type == input.type) || known.source != input.source || known.field != input.field)
        differs_by_mode(cx, "`" + input.name + "`", target.name.span, known.declared);
      return;
    }
  cx.session.model.inputs.push_back(std::move(input));
}

}  // namespace mtfc::elab
