// `data` and `input`: where the numbers come from. Nothing is opened here.
#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/source_call.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/value_names.h"
#include "frontend/elaborate/values.h"
#include "sources/source_table.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

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

/// `named`: null where no field is named.
void no_such_field(Context& cx, const DataSource& source, const std::vector<std::string>& names,
                   const ast::Name* named, Span span) {
  const std::string wanted = named ? named->text : "";
  Diagnostic d = diag(DiagKind::wrong_source,
                      wanted.empty() ? "`" + source.function + "` has fields, and none is named"
                                     : "`" + source.function + "` has no field `" + wanted + "`")
                     .at(span);
  const std::string& first = names.front();
  if (first.empty()) {
    d.helps.push_back("it has no fields: write `from " + source.name + "`");
    return report(cx, std::move(d));
  }
  d.notes.push_back("its fields are " + mtfc::joined(names, ", ", [](const std::string& name) {
                      return backquoted(name);
                    }));
  if (named)
    suggest(d, *named, names);
  else if (cx.session.sources.text(span) != source.name)  // the call itself
    d.helps.push_back(
        "give the source a name: `data d = " + std::string(cx.session.sources.text(span)) +
        "`, then `from d." + first + "`, say");
  else
    d.helps.push_back("write `from " + source.name + "." + first + "`, say");
  report(cx, std::move(d));
}

/// The field exists and has the rank and type that the input declares.
void check_field(Context& cx, const DataSource& source, Input& input, const ast::InputDecl& decl) {
  const SourceRow* row = find_source(source.function);
  if (!row) return;
  const std::vector<std::string> names = fields_of(*row, source);
  const Span span = cx.expr(decl.source).span;
  if (!names.empty() && std::find(names.begin(), names.end(), input.field) == names.end()) {
    const auto* field = std::get_if<ast::Field>(&cx.expr(decl.source).node);
    return no_such_field(cx, source, names, field ? &field->name : nullptr, span);
  }
  const auto found =
      std::find_if(row->fields.begin(), row->fields.end(),
                   [&](const SourceField& field) { return field.name == input.field; });
  if (found == row->fields.end()) return;  // only its file has its type
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

void add_input(Context& cx, Input input) {
  for (const Input& known : cx.session.model.inputs)
    if (known.name == input.name) {  // by the other elaboration
      if (!(known.type == input.type) || known.source != input.source || known.field != input.field)
        differs_by_mode(cx, "`" + input.name + "`", input.declared, known.declared);
      return;
    }
  cx.session.model.inputs.push_back(std::move(input));
}

/// What a `data` statement made; absent where none is called so, which is reported.
std::optional<DataSource> declared_source(Context& cx, const ast::Name& name) {
  const std::vector<DataSource>& sources = cx.session.model.sources;
  const Binding* data = find_binding(cx, name.text, name.span);
  if (!data || data->kind != Binding::Kind::data) {
    Diagnostic d =
        diag(DiagKind::wrong_source, "`" + name.text + "` is not a data source").at(name.span);
    suggest(d, name, names_of(sources));
    report(cx, std::move(d));
  }
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const DataSource& source) {
    return source.name == name.text;
  });
  return found == sources.end() ? std::nullopt : std::optional(*found);
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
    source = declared_source(cx, ref->name);
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
  add_input(cx, std::move(input));
}

}  // namespace mtfc::elab
