// Optimisers and schedules: calls with named arguments and defaults.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/settings.h"

namespace mtfc::elab {

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
    if (unreadable(place)) return std::nullopt;
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
    if (unreadable(place)) return std::nullopt;
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

}  // namespace mtfc::elab
