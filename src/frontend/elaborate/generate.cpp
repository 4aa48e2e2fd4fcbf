// `generate L from T over d { ... }`: checked, and noted for lowering, which derives the programs.
#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

/// `prompt` is an int input, `start` and `stop` are ids.
void check_generation(Context& cx, const ast::Setting& setting, Generation& found) {
  const std::string& key = setting.key.text;
  const Span span = cx.expr(setting.value).span;
  if (key == "prompt") {
    const auto* ref = std::get_if<ast::NameRef>(&cx.expr(setting.value).node);
    const Operand value = eval_operand(cx, setting.value);
    if (value.val.poison()) return;
    const Binding* binding = ref ? find_binding(cx, ref->name.text, ref->name.span) : nullptr;
    const bool input = binding && binding->kind == Binding::Kind::input;
    if (!input || type_of(cx, value).dtype != DType::i32)
      report(cx, diag(DiagKind::wrong_setting, "`prompt` must be the name of an int input")
                     .at(span, show(cx, value.val)));
    else
      found.prompt = ref->name.text;
    return;
  }
  if (key == "start" || key == "stop") {
    const auto number = static_number(cx, setting.value, "`" + key + "`");
    const auto whole = number ? number->as_integer() : std::nullopt;
    if (number && (!whole || *whole < 0))
      report(cx,
             diag(DiagKind::wrong_setting, "`" + key + "` must be an id, a whole number from 0 on")
                 .at(span, show(cx, Val{*number})));
    else if (whole)
      (key == "start" ? found.start : found.stop) = *whole;
    return;
  }
  Diagnostic d = diag(DiagKind::wrong_setting, "`generate` has no setting `" + key + "`")
                     .at(setting.key.span)
                     .note("its settings are prompt, start and stop");
  suggest(d, setting.key, {"prompt", "start", "stop"});
  report(cx, std::move(d));
}

void check_generation(Context& cx, const ast::Settings& settings, Generation& found) {
  std::map<std::string, Span> seen;
  for (const ast::Setting& setting : settings.settings) {
    const auto [it, fresh] = seen.try_emplace(setting.key.text, setting.key.span);
    if (fresh)
      check_generation(cx, setting, found);
    else
      report(cx, diag(DiagKind::defined_twice, "`" + setting.key.text + "` is set twice")
                     .at(setting.key.span, "second")
                     .also(it->second, "first"));
  }
  for (const ast::Settings::Params& params : settings.params)
    report(cx, diag(DiagKind::misplaced, "`params` belongs in `train`")
                   .at(params.globs.empty() ? Span{} : params.globs[0].second));
}

/// Both tensors have the dimension; the tokens are ints and the logits floats.
bool check_sequences(Context& cx, const ast::Generate& generate, const Val& logits,
                     const Val& tokens, DimId dim) {
  const struct {
    const Val& val;
    const ast::Name& name;
  } both[] = {{logits, generate.logits}, {tokens, generate.tokens}};
  for (const auto& [val, name] : both) {
    if (contains(dims_of(cx, val), dim)) continue;
    report(cx, diag(DiagKind::missing_dimension, "`" + name.text + "` has no dimension `" +
                                                     generate.dim.text + "` to generate over")
                   .at(name.span, show(cx, val))
                   .also(generate.dim.span, "needed here"));
    return false;
  }
  if (cx.build.type(*tokens.tensor()).dtype != DType::i32) {
    report(cx, diag(DiagKind::type_mismatch, "`" + generate.tokens.text + "` is not an int tensor")
                   .at(generate.tokens.span, show(cx, tokens))
                   .note("what is generated are ids"));
    return false;
  }
  if (!is_float(cx.build.type(*logits.tensor()).dtype)) {
    report(cx, diag(DiagKind::type_mismatch, "`" + generate.logits.text + "` is not a float tensor")
                   .at(generate.logits.span, show(cx, logits)));
    return false;
  }
  return true;
}

/// The ids: T has d and one dimension of texts at most; L has one more, the ids.
bool find_ids(Context& cx, const ast::Generate& generate, const Val& logits, const Val& tokens,
              Generation& found) {
  const Dims rows = without(dims_of(cx, tokens), {found.over});
  const Dims vocab = without(dims_of(cx, logits), dims_of(cx, tokens));
  if (rows.size() > 1 || vocab.size() != 1 ||
      !is_subset(dims_of(cx, tokens), dims_of(cx, logits))) {
    report(cx, diag(DiagKind::wrong_list, "`" + generate.logits.text +
                                              "` must have the dimensions of `" +
                                              generate.tokens.text + "` and one more, of the ids")
                   .at(generate.logits.span, show(cx, logits))
                   .also(generate.tokens.span, show(cx, tokens))
                   .note("what is generated from has one dimension beside `" + generate.dim.text +
                         "`: that of the texts"));
    return false;
  }
  const Operation& source = cx.graph.producer(found.tokens);
  if (source.op == "input" && !rows.empty() && dims_of(cx, tokens)[0] == found.over) {
    report(cx, diag(DiagKind::wrong_list, "`" + generate.dim.text + "` numbers the examples of `" +
                                              generate.tokens.text + "`, a text runs along `" +
                                              dim_names(cx, rows) + "`")
                   .at(generate.dim.span)
                   .also(generate.tokens.span, show(cx, tokens))
                   .help("write `over " + dim_names(cx, rows) + "`"));
    return false;
  }
  if (!rows.empty()) found.rows = rows[0];
  found.vocab = vocab[0];
  return true;
}

bool is_made_of(const Graph& graph, ValueId value, ValueId origin) {
  std::vector<bool> made(graph.values.size());
  made[origin.at()] = true;
  for (const Operation& op : graph.ops)
    if (std::any_of(op.operands.begin(), op.operands.end(),
                    [&](ValueId operand) { return made[operand.at()]; }))
      for (const ValueId result : op.results) made[result.at()] = true;
  return made[value.at()];
}

/// Ids that are generated and not read are those of a target, most of the time.
void warn_unread(Context& cx, const ast::Generate& generate, const Generation& found) {
  if (is_made_of(cx.graph, found.logits, found.tokens)) return;
  const std::string &logits = generate.logits.text, &tokens = generate.tokens.text;
  Diagnostic d =
      diag(DiagKind::generated_unread, "`" + logits + "` is not computed from `" + tokens + "`")
          .at(generate.tokens.span, "what is generated is read nowhere")
          .note(
              "`generate L from T` feeds T with the ids so far, to compute the next "
              "from them");
  const auto& ops = cx.graph.ops;
  const auto read = std::find_if(ops.begin(), ops.end(), [&](const Operation& op) {
    return op.op == "input" && op.attrs.text("name") != found.prompt &&
           cx.build.type(op.results[0]) == cx.build.type(found.tokens) &&
           is_made_of(cx.graph, found.logits, op.results[0]);
  });
  if (read != ops.end())
    d.help("write `generate " + logits + " from " + read->attrs.text("name") + " over " +
           generate.dim.text + "`")
        .fix(generate.tokens.span, read->attrs.text("name"));
  report(cx, std::move(d));
}

}  // namespace

void exec_generate(Context& cx, const ast::Generate& generate, Span span) {
  Generation found;
  found.span = span;
  if (generate.settings) check_generation(cx, *generate.settings, found);
  const Val logits = name_value(cx, generate.logits), tokens = name_value(cx, generate.tokens);
  const auto dim = dim_named(cx, generate.dim, {{tokens, generate.tokens.span}});
  if (logits.poison() || tokens.poison() || !dim) return;
  if (!check_sequences(cx, generate, logits, tokens, *dim)) return;
  found.logits = *logits.tensor();
  found.tokens = *tokens.tensor();
  found.over = *dim;
  const Operation& source = cx.graph.producer(found.tokens);
  if (source.op == "input" && source.attrs.text("name") == found.prompt) found.prompt.clear();

  if (!find_ids(cx, generate, logits, tokens, found)) return;
  const std::string& vocab = cx.dims().name(found.vocab);
  const std::int64_t ids = cx.dims().size(found.vocab);
  for (const auto& [setting, id] :
       {std::pair("start", found.start), std::pair("stop", found.stop)}) {
    if (!id || *id < ids) continue;
    report(cx, diag(DiagKind::wrong_setting, "`" + std::string(setting) + "` is " +
                                                 std::to_string(*id) + ", which is not below `" +
                                                 vocab + "` = " + std::to_string(ids))
                   .at(span, "ids are indices along `" + vocab + "`"));
    return;
  }
  if (cx.session.generate_span.valid() && cx.session.generate_span != span) {
    report(cx, diag(DiagKind::defined_twice, "a model generates one thing")
                   .at(span, "second")
                   .also(cx.session.generate_span, "first"));
    return;
  }
  cx.session.generate_span = span;
  if (cx.training) return;
  warn_unread(cx, generate, found);
  cx.session.model.generation = std::move(found);
}

}  // namespace mtfc::elab
