#include "frontend/elaborate/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/elaborate/builtins.h"
#include "frontend/syntax/parse.h"
#include "support/glob.h"

namespace mtfc::elab {

Elaborator::Context SettingReader::context(const Place& place) const {
  return {place.file, &e_.file_scope_, false, nullptr, {}};
}

SettingReader::Place SettingReader::place_of(Override& over) {
  over.used = true;
  const Span all{over.file, 0, static_cast<std::uint32_t>(over.text.size())};
  if (!over.tree) return {nullptr, {}, &over, all};
  return {&*over.tree, over.value, &over, over.tree->at(over.value).span};
}

/// The value of a key: from --set, else from the block.
std::optional<SettingReader::Place> SettingReader::find(const std::string& key) {
  std::optional<Place> written;
  const ast::File& file = s_.modules.front().file;
  for (const ast::Setting& setting :
       train_ ? train_->settings.settings : std::vector<ast::Setting>{})
    if (setting.key.text == key)
      written = Place{&file, setting.value, nullptr, file.at(setting.value).span};
  if (Override* over = s_.setting("train." + key)) return place_of(*over);
  return written;
}

void SettingReader::wrong(const Place& place, const std::string& message) {
  e_.report(diag(DiagKind::wrong_setting, message).at(place.span));
}

void SettingReader::read_early() {
  if (const auto place = find("precision")) s_.f64 = word(*place) == "f64";
  const auto place = find("seed");
  if (!place || !place->file) return;
  Elaborator::At there(e_, context(*place));
  const Val val = e_.eval(place->value);
  if (const Number* n = val.number()) s_.seed = n->as_integer().value_or(0);
}

void SettingReader::read() {
  TrainSettings& out = s_.model.settings;
  out.seed = s_.seed;
  out.precision = s_.f64 ? "f64" : "f32";
  check_keys();
  const bool by_hand =
      s_.setting("train.optimizer") && (s_.setting("train.steps") || s_.setting("train.epochs"));
  out.present = train_ || by_hand;
  if (out.present) {
    read_optimizer();
    read_length();
  }
  read_rest();
  if (!train_) return;
  for (const ast::Settings::Params& params : train_->settings.params) read_params(params);
}

/// Unknown and repeated keys.
void SettingReader::check_keys() {
  std::map<std::string, Span> seen;
  for (const ast::Setting& setting :
       train_ ? train_->settings.settings : std::vector<ast::Setting>{}) {
    const auto& known = train_keys();
    if (std::find(known.begin(), known.end(), setting.key.text) == known.end()) {
      Diagnostic d =
          diag(DiagKind::wrong_setting, "`train` has no setting `" + setting.key.text + "`")
              .at(setting.key.span);
      e_.suggest(d, setting.key, known);
      if (d.helps.empty()) {
        std::string list;
        for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
        d.notes.push_back("its settings are " + list);
      }
      e_.report(std::move(d));
    }
    const auto [it, fresh] = seen.try_emplace(setting.key.text, setting.key.span);
    if (!fresh)
      e_.report(diag(DiagKind::defined_twice, "`" + setting.key.text + "` is set twice")
                    .at(setting.key.span, "second")
                    .also(it->second, "first"));
  }
}

void SettingReader::read_optimizer() {
  const auto place = find("optimizer");
  if (!place) {
    e_.report(diag(DiagKind::wrong_setting, "`train` does not say which optimizer")
                  .at(s_.model.settings.span)
                  .help("write `optimizer = adam(lr=1e-3)`"));
    return;
  }
  if (auto optimizer = call(*place, "optimizer", false)) s_.model.settings.optimizer = *optimizer;
}

/// `steps` or `epochs`; what --set says replaces both.
void SettingReader::read_length() {
  TrainSettings& out = s_.model.settings;
  const bool set_steps = s_.setting("train.steps"), set_epochs = s_.setting("train.epochs");
  const auto steps = set_epochs && !set_steps ? std::nullopt : whole("steps", 1);
  const auto epochs = set_steps ? std::nullopt : number("epochs", 0);
  if (set_steps && set_epochs) find("epochs");
  const bool given = find("steps") || find("epochs");
  if (!given) {
    e_.report(diag(DiagKind::wrong_setting, "`train` does not say how long")
                  .at(out.span)
                  .help("write `steps = 1000` or `epochs = 5`"));
    return;
  }
  if (steps && epochs) {
    e_.report(diag(DiagKind::wrong_setting, "both `steps` and `epochs` are given")
                  .at(find("epochs")->span)
                  .also(find("steps")->span, "steps")
                  .help("write one of them"));
    return;
  }
  out.steps = steps.value_or(0);
  out.epochs = epochs.value_or(0);
  if (epochs && *epochs <= 0) wrong(*find("epochs"), "`epochs` must be more than 0");
}

void SettingReader::read_rest() {
  TrainSettings& out = s_.model.settings;
  out.eval_every = whole("eval_every", 0).value_or(0);
  out.clip = number("clip", 0).value_or(0);
  out.seed = whole("seed", std::numeric_limits<std::int64_t>::min()).value_or(0);
  out.loss_scale = number("loss_scale", 0).value_or(0);
  out.checkpoint_every = whole("checkpoint_every", 0).value_or(0);
  out.keep = whole("keep", 1).value_or(out.keep);
  out.microbatches = whole("microbatches", 1).value_or(1);
  if (out.microbatches > 1) e_.not_supported(find("microbatches")->span, "`microbatches` above 1");
  read_word("precision", out.precision, {"f32", "f64"}, {"bf16", "f16"});
  read_word("update", out.update, {"sharded"}, {});
}

void SettingReader::read_word(const std::string& key, std::string& into,
                              const std::vector<std::string>& known,
                              const std::vector<std::string>& planned) {
  const auto place = find(key);
  if (!place) return;
  const auto text = word(*place);
  if (text && std::find(known.begin(), known.end(), *text) != known.end()) {
    into = *text;
    return;
  }
  if (text && std::find(planned.begin(), planned.end(), *text) != planned.end()) {
    e_.not_supported(place->span, "`" + key + " = " + *text + "`");
    return;
  }
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "`" : ", `") + k + "`";
  wrong(*place, "`" + key + "` must be one of " + list);
}

/// A bare word or a string.
std::optional<std::string> SettingReader::word(const Place& place) const {
  if (!place.file) return place.over->text;
  const auto& node = place.file->at(place.value).node;
  if (const auto* ref = std::get_if<ast::NameRef>(&node)) return ref->name.text;
  if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
  return std::nullopt;
}

std::optional<Number> SettingReader::value_number(const Place& place, const std::string& what) {
  if (!place.file) {  // parsed again, to tell what is wrong with it
    if (parse_expression(s_.sources, place.over->file, s_.diagnostics))
      wrong(place, what + " must be a number");
    return std::nullopt;
  }
  Elaborator::At there(e_, context(place));
  return e_.static_number(place.value, what);
}

std::optional<double> SettingReader::number(const std::string& key, double least) {
  const auto place = find(key);
  if (!place) return std::nullopt;
  const auto value = value_number(*place, "`" + key + "`");
  if (!value) return std::nullopt;
  if (std::isfinite(value->value()) && value->value() >= least) return value->value();
  wrong(*place, "`" + key + "` must be a finite number from " + to_string(least) + " on");
  return std::nullopt;
}

std::optional<std::int64_t> SettingReader::whole(const std::string& key, std::int64_t least) {
  const auto place = find(key);
  if (!place) return std::nullopt;
  const auto value = value_number(*place, "`" + key + "`");
  if (!value) return std::nullopt;
  const auto whole = value->as_integer();
  if (whole && *whole >= least) return whole;
  const std::string from = least > -1000 ? " from " + std::to_string(least) + " on" : "";
  wrong(*place, "`" + key + "` must be a whole number" + from + ", not " + to_string(*value));
  return std::nullopt;
}

// ---------------------------------------------------------------- optimisers and schedules
void SettingReader::unknown_function(const ast::Name& name, bool schedule) {
  const std::string what = schedule ? "schedule" : "optimizer";
  if (is_planned_setting(name.text)) {
    e_.not_supported(name.span, "the " + what + " `" + name.text + "`");
    return;
  }
  Diagnostic d =
      diag(DiagKind::wrong_setting, "no " + what + " is named `" + name.text + "`").at(name.span);
  e_.suggest(d, name, setting_names(schedule));
  std::string list;
  for (const std::string& k : setting_names(schedule)) list += (list.empty() ? "" : ", ") + k;
  d.notes.push_back("there are: " + list);
  e_.report(std::move(d));
}

std::optional<SettingCall> SettingReader::call(const Place& place, const std::string& key,
                                               bool schedule) {
  const auto* call =
      place.file ? std::get_if<ast::Call>(&place.file->at(place.value).node) : nullptr;
  if (!call) {
    wrong(place, schedule ? "`" + key + "` must be a number or a schedule"
                          : "`optimizer` must be a call, such as `adam(lr=1e-3)`");
    return std::nullopt;
  }
  const SettingForm* form = find_setting_form(call->callee.text, schedule);
  if (!form) {
    unknown_function(call->callee, schedule);
    return std::nullopt;
  }
  SettingCall result{call->callee.text, {}, place.span};
  std::map<std::string, Place> given;
  std::size_t next = 0;
  bool fine = true;
  for (const ast::Argument& argument : call->args) {
    const SettingForm::Formal* formal = nullptr;
    if (!argument.name && next < form->args.size()) formal = &form->args[next++];
    for (const SettingForm::Formal& f : form->args)
      if (argument.name && f.name == argument.name->text) formal = &f;
    const Place at{place.file, argument.value, place.over, place.file->at(argument.value).span};
    if (formal && given.try_emplace(std::string(formal->name), at).second) continue;
    fine = false;
    Diagnostic d = diag(DiagKind::wrong_arguments,
                        formal ? "`" + std::string(formal->name) + "` is given twice"
                               : "`" + call->callee.text + "` has no such argument")
                       .at(argument.name ? argument.name->span : at.span);
    std::vector<std::string> candidates;
    std::string list;
    for (const SettingForm::Formal& f : form->args) {
      candidates.emplace_back(f.name);
      list += (list.empty() ? "" : ", ") + std::string(f.name);
    }
    if (argument.name && !formal) e_.suggest(d, *argument.name, candidates);
    d.notes.push_back("its arguments are " + list);
    e_.report(std::move(d));
  }
  for (const SettingForm::Formal& formal : form->args) {
    const std::string name(formal.name), path = key + "." + name;
    std::optional<Place> at;
    if (const auto it = given.find(name); it != given.end()) at = it->second;
    if (Override* over = s_.setting("train." + path)) at = place_of(*over);
    if (at) {
      const auto value = argument(*at, path, formal);
      if (value) result.args.emplace_back(name, *value);
      fine = fine && value;
    } else if (formal.required) {
      e_.report(diag(DiagKind::wrong_arguments, "`" + call->callee.text + "` needs `" + name + "`")
                    .at(call->callee.span));
      fine = false;
    } else {
      result.args.emplace_back(name, formal.otherwise);
    }
  }
  return fine ? std::optional(result) : std::nullopt;
}

std::optional<SettingCall::Value> SettingReader::argument(const Place& place,
                                                          const std::string& key,
                                                          const SettingForm::Formal& formal) {
  using T = SettingForm::Type;
  if (formal.type == T::rate) return rate(place, key);
  if (formal.type == T::flag) {
    if (place.file) {
      Elaborator::At there(e_, context(place));
      const Val val = e_.eval(place.value);
      if (const bool* flag = val.boolean()) return *flag;
      if (val.poison()) return std::nullopt;
    }
    wrong(place, "`" + std::string(formal.name) + "` must be true or false");
    return std::nullopt;
  }
  const auto number = value_number(place, "`" + std::string(formal.name) + "`");
  return number ? number_value(*number, place, formal) : std::nullopt;
}

std::optional<SettingCall::Value> SettingReader::number_value(const Number& number,
                                                              const Place& place,
                                                              const SettingForm::Formal& formal) {
  const std::string name = "`" + std::string(formal.name) + "`";
  if (!std::isfinite(number.value()) || number.value() < 0) {
    wrong(place, name + " must be a finite number from 0 on");
    return std::nullopt;
  }
  if (formal.type != SettingForm::Type::whole) return number.value();
  if (const auto whole = number.as_integer()) return *whole;
  wrong(place, name + " must be a whole number");
  return std::nullopt;
}

/// A learning rate: a number, or a schedule.
std::optional<SettingCall::Value> SettingReader::rate(const Place& place, const std::string& key) {
  const bool scheduled =
      place.file && std::holds_alternative<ast::Call>(place.file->at(place.value).node);
  const auto* c = scheduled ? &std::get<ast::Call>(place.file->at(place.value).node) : nullptr;
  const bool known =
      c && (find_setting_form(c->callee.text, true) || is_planned_setting(c->callee.text));
  if (known) {
    const auto schedule = call(place, key, true);
    if (!schedule) return std::nullopt;
    return std::vector<SettingCall>{*schedule};
  }
  if (c && !find_builtin(c->callee.text)) {
    unknown_function(c->callee, true);
    return std::nullopt;
  }
  const auto number = value_number(place, "`lr`");
  return number ? number_value(*number, place, {"lr", SettingForm::Type::number, true, 0.0})
                : std::nullopt;
}

// ---------------------------------------------------------------- params "glob" { ... }
void SettingReader::read_params(const ast::Settings::Params& params) {
  ParamSettings result;
  const ast::File& file = s_.modules.front().file;
  for (const ast::Setting& setting : params.settings) {
    const Place place{&file, setting.value, nullptr, file.at(setting.value).span};
    const std::string& key = setting.key.text;
    Elaborator::At there(e_, context(place));
    if (key == "init") {
      e_.not_supported(setting.key.span, "`init` in `params`");
    } else if (key == "frozen" || key == "trust") {
      const Val val = e_.eval(place.value);
      if (const bool* flag = val.boolean())
        result.settings[key] = *flag;
      else if (!val.poison())
        wrong(place, "`" + key + "` must be true or false");
    } else if (key == "lr_scale" || key == "decay") {
      const auto number = e_.static_number(place.value, "`" + key + "`");
      if (number && std::isfinite(number->value()) && number->value() >= 0)
        result.settings[key] = number->value();
      else if (number)
        wrong(place, "`" + key + "` must be a finite number from 0 on");
    } else {
      Diagnostic d = diag(DiagKind::wrong_setting, "`params` has no setting `" + key + "`")
                         .at(setting.key.span);
      e_.suggest(d, setting.key, param_keys());
      d.notes.push_back("its settings are lr_scale, decay, frozen, trust and init");
      e_.report(std::move(d));
    }
  }
  for (const auto& [glob, span] : params.globs) {
    result.globs.push_back(glob);
    s_.globs.push_back({glob, span, s_.model.settings.params.size()});
  }
  s_.model.settings.params.push_back(std::move(result));
}

// ---------------------------------------------------------------- of Elaborator
namespace {
const ast::Train* train_block(const ast::File& file) {
  for (ast::StatementId id : file.body)
    if (const auto* train = std::get_if<ast::Train>(&file.at(id).node)) return train;
  return nullptr;
}
}  // namespace

void Elaborator::read_early_settings() {
  SettingReader(*this, train_block(*now_.file)).read_early();
}

/// At the place of the `train` block, or at the end if there is none.
void Elaborator::read_train_settings(const ast::Train* train, Span span) {
  if (!training_) return;
  if (train && session_.model.settings.span.valid()) {
    report(diag(DiagKind::defined_twice, "a second `train` block")
               .at(span)
               .also(session_.model.settings.span, "the first one"));
    return;
  }
  if (!train && session_.model.settings.span.valid()) return;
  session_.model.settings.span = span;
  SettingReader(*this, train).read();
}

/// Every glob must match a parameter; `frozen` is settled here.
void apply_globs(Session& session) {
  std::vector<std::string> paths;
  for (const Variable& v : session.model.variables)
    if (v.kind == Variable::Kind::parameter) paths.push_back(v.path);
  for (const Session::Glob& glob : session.globs) {
    ParamSettings& group = session.model.settings.params[glob.group];
    bool any = false;
    for (Variable& v : session.model.variables) {
      if (v.kind != Variable::Kind::parameter || !glob_matches(glob.text, v.path)) continue;
      any = true;
      const auto it = group.settings.find("frozen");
      if (it != group.settings.end()) v.trainable = !std::get<bool>(it->second);
    }
    if (any) continue;
    Diagnostic d =
        diag(DiagKind::glob_matches_nothing, "no parameter matches \"" + glob.text + "\"")
            .at(glob.span);
    std::string some;
    for (std::size_t i = 0; i < paths.size() && i < 6; ++i)
      some += (i ? ", `" : "`") + paths[i] + "`";
    if (!some.empty())
      d.notes.push_back("the parameters are " + some + (paths.size() > 6 ? " ..." : ""));
    d.helps.push_back("`*` stands for any text within a segment, `**` across segments");
    session.diagnostics.report(std::move(d));
  }
}

}  // namespace mtfc::elab
