// `generate`: checked as far as it can be; text is not generated yet.
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

void Elaborator::exec_generate(const ast::Generate& generate, Span span) {
  if (generate.settings) check_generation(*generate.settings);
  const Val logits = name_value(generate.logits), tokens = name_value(generate.tokens);
  const auto dim = dim_named(generate.dim, {{tokens, generate.tokens.span}});
  if (logits.poison() || tokens.poison() || !dim) return;
  const struct {
    const Val& val;
    const ast::Name& name;
  } both[] = {{logits, generate.logits}, {tokens, generate.tokens}};
  for (const auto& [val, name] : both) {
    if (contains(dims_of(val), *dim)) continue;
    report(diag(DiagKind::missing_dimension,
                "`" + name.text + "` has no dimension `" + generate.dim.text + "` to generate over")
               .at(name.span, show(val))
               .also(generate.dim.span, "needed here"));
    return;
  }
  if (build_.type(*tokens.tensor()).dtype != DType::i32) {
    report(diag(DiagKind::type_mismatch, "`" + generate.tokens.text + "` is not an int tensor")
               .at(generate.tokens.span, show(tokens))
               .note("what is generated are ids"));
    return;
  }
  if (training_)
    session_.model.notes.push_back("`generate` at " + place(span) +
                                   " is checked, but not built yet");
}

void Elaborator::check_generation(const ast::Settings& settings) {
  std::map<std::string, Span> seen;
  for (const ast::Setting& setting : settings.settings) {
    const auto [it, fresh] = seen.try_emplace(setting.key.text, setting.key.span);
    if (fresh)
      check_generation(setting);
    else
      report(diag(DiagKind::defined_twice, "`" + setting.key.text + "` is set twice")
                 .at(setting.key.span, "second")
                 .also(it->second, "first"));
  }
  for (const ast::Settings::Params& params : settings.params)
    report(diag(DiagKind::misplaced, "`params` stands in `train`")
               .at(params.globs.empty() ? Span{} : params.globs[0].second));
}

/// `prompt` is an int input, `start` and `stop` are ids.
void Elaborator::check_generation(const ast::Setting& setting) {
  const std::string& key = setting.key.text;
  const Span span = expr(setting.value).span;
  if (key == "prompt") {
    const auto* ref = std::get_if<ast::NameRef>(&expr(setting.value).node);
    const Operand value = operand(setting.value);
    if (value.val.poison()) return;
    const Binding* binding = ref ? find(ref->name.text, ref->name.span) : nullptr;
    const bool input = binding && binding->kind == Binding::Kind::input;
    if (!input || type(value).dtype != DType::i32)
      report(diag(DiagKind::wrong_setting, "`prompt` must be the name of an int input")
                 .at(span, show(value.val)));
    return;
  }
  if (key == "start" || key == "stop") {
    const auto number = static_number(setting.value, "`" + key + "`");
    const auto whole = number ? number->as_integer() : std::nullopt;
    if (number && (!whole || *whole < 0))
      report(diag(DiagKind::wrong_setting, "`" + key + "` must be an id, a whole number from 0 on")
                 .at(span, show(Val{*number})));
    return;
  }
  Diagnostic d = diag(DiagKind::wrong_setting, "`generate` has no setting `" + key + "`")
                     .at(setting.key.span)
                     .note("its settings are prompt, start and stop");
  suggest(d, setting.key, {"prompt", "start", "stop"});
  report(std::move(d));
}

}  // namespace mtfc::elab
