// Optimisers and schedules: calls with named arguments and defaults, as the tables of src/optim
// say.
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/setting_reader.h"
#include "optim/loss_scale.h"
#include "optim/optimizers.h"
#include "optim/schedules.h"
#include "support/did_you_mean.h"
#include "support/text.h"

#include <algorithm>

namespace mtfc::elab {

namespace {

using optim::Form;

using optim::Formal;

constexpr std::size_t max_arguments = 1000;

/// The table that a call is looked up in.
const Form* find_form(std::string_view name, bool schedule) {
  if (schedule) {
    const optim::Schedule* row = optim::find_schedule(name);
    return row ? &row->form : nullptr;
  }
  const optim::Optimizer* row = optim::find_optimizer(name);
  return row ? &row->form : nullptr;
}

/// The call of a schedule that stands there; null: none.
const ast::Call* schedule_at(const ast::File* file, ast::ExprId value) {
  const auto* call = file ? std::get_if<ast::Call>(&file->at(value).node) : nullptr;
  return call && find_form(call->callee.text, true) ? call : nullptr;
}

std::vector<std::string> form_names(bool schedule) {
  std::vector<std::string> names;
  if (schedule)
    for (const optim::Schedule& row : optim::schedules()) names.emplace_back(row.form.name);
  else
    for (const optim::Optimizer& row : optim::optimizers()) names.emplace_back(row.form.name);
  return names;
}

}  // namespace

void SettingReader::unknown_function(const ast::Name& name, bool schedule) {
  const std::string what = schedule ? "schedule" : "optimizer";
  Diagnostic d =
      diag(DiagKind::wrong_setting, "no " + what + " is named `" + name.text + "`").at(name.span);
  if (!schedule && find_form(name.text, true))
    d.helps.push_back("`" + name.text + "` is a schedule: `adam(lr=" + name.text + "(...))`");
  else if (const auto near = did_you_mean(name.text, form_names(schedule));
           is_other_optimizer(name.text))
    d.helps.push_back("it is not there" + (near.empty() ? "" : "; " + meant(near)));
  else
    suggest(d, name, form_names(schedule));
  d.notes.push_back("there are: " + mtfc::joined(form_names(schedule), ", "));
  report(cx_, std::move(d));
}

std::optional<SettingCall> SettingReader::call(const SettingSite& site, const std::string& key,
                                               bool schedule) {
  const auto* call = site.file ? std::get_if<ast::Call>(&site.file->at(site.value).node) : nullptr;
  if (!call) {
    if (unreadable(site)) return std::nullopt;
    wrong(site, schedule ? "`" + key + "` must be a number or a schedule"
                         : "`optimizer` must be a call, such as `adam(lr=1e-3)`");
    return std::nullopt;
  }
  const Form* form = find_form(call->callee.text, schedule);
  if (!form) {
    unknown_function(call->callee, schedule);
    return std::nullopt;
  }
  return with_arguments(site, *call, *form, key);
}

/// The call with all arguments of its form, those of --set and defaults included.
std::optional<SettingCall> SettingReader::with_arguments(const SettingSite& site,
                                                         const ast::Call& call, const Form& form,
                                                         const std::string& key) {
  if (call.args.size() > max_arguments) {
    wrong(site, "`" + call.callee.text + "` has more than " + std::to_string(max_arguments) +
                    " arguments");
    return std::nullopt;
  }
  const std::vector<Formal> formals = optim::formals_of(form, call.args.size());
  Given given;
  const bool matched = match(site, call, formals, given);
  SettingCall result{call.callee.text, {}, site.span};
  if (!fill(result, formals, given, key) || !matched) return std::nullopt;
  const std::string mistake = form.mistake ? form.mistake(result) : "";
  if (mistake.empty()) return result;
  wrong(site, mistake);
  return std::nullopt;
}

/// A number, `dynamic(...)`, or `dynamic` alone.
void SettingReader::read_loss_scale() {
  LossScale& scale = s_.model.settings.loss_scale;
  const Form& form = optim::dynamic_scale();
  const auto site = find("loss_scale");
  const auto* written =
      site && site->file ? std::get_if<ast::Call>(&site->file->at(site->value).node) : nullptr;
  const bool by_default = !site && s_.model.settings.precision == "f16";
  if (by_default || (site && word(*site) == form.name)) {
    SettingCall call{std::string(form.name), {}, site ? site->span : s_.model.settings.span};
    if (fill(call, form.args, {}, "loss_scale")) scale = optim::scale_of(call);
  } else if (written && written->callee.text == form.name) {
    const auto call = with_arguments(*site, *written, form, "loss_scale");
    if (call) scale = optim::scale_of(*call);
  } else if (site) {
    const auto value = value_number(*site, "`loss_scale`");
    const std::string otherwise = ", or `" + optim::signature(form) + "`";
    if (value && is_in_range(value->value(), optim::scale_range, *site, "loss_scale", otherwise))
      scale.value = value->value();
  }
}

/// Which argument is written where; false if something else is written too.
bool SettingReader::match(const SettingSite& site, const ast::Call& call,
                          const std::vector<Formal>& formals, Given& given) {
  std::size_t next = 0;
  bool fine = true;
  for (const ast::Argument& argument : call.args) {
    const Formal* formal = nullptr;
    if (!argument.name && next < formals.size()) formal = &formals[next++];
    for (const Formal& f : formals)
      if (argument.name && f.name == argument.name->text) formal = &f;
    const SettingSite at{site.file, argument.value, site.over, site.file->at(argument.value).span};
    if (formal && given.try_emplace(formal->name, at).second) continue;
    fine = false;
    Diagnostic d =
        diag(DiagKind::wrong_arguments, formal ? "`" + formal->name + "` is given twice"
                                               : "`" + call.callee.text + "` has no such argument")
            .at(argument.name ? argument.name->span : at.span);
    if (argument.name && !formal) {
      const std::string_view ours = setting_called(argument.name->text);
      const auto meant = std::find_if(formals.begin(), formals.end(),
                                      [&](const Formal& f) { return f.name == ours; });
      if (meant == formals.end()) {
        suggest(d, *argument.name, names_of(formals));
      } else {
        given.try_emplace(meant->name, at);  // not missing besides
        d.help("it is called `" + std::string(ours) + "` here")
            .fix(argument.name->span, std::string(ours));
      }
    }
    d.notes.push_back("its arguments are " + mtfc::joined(names_of(formals), ", "));
    report(cx_, std::move(d));
  }
  return fine;
}

/// Completes `result` from what is written, --set and defaults; those that follow from other
/// arguments come last.
bool SettingReader::fill(SettingCall& result, const std::vector<Formal>& formals,
                         const Given& given, const std::string& key) {
  bool fine = true;
  std::map<std::string_view, SettingCall::Value> values;
  for (const bool derived : {false, true}) {
    for (const Formal& formal : formals) {
      if ((formal.derived != nullptr) != derived) continue;
      const auto value = filled(formal, given, key + "." + formal.name, result);
      if (value) values[formal.name] = *value;
      fine = fine && value;
    }
    result.args.clear();
    for (const Formal& formal : formals)
      if (const auto it = values.find(formal.name); it != values.end())
        result.args.emplace_back(formal.name, it->second);
    if (!fine) return false;
  }
  return true;
}

std::optional<SettingCall::Value> SettingReader::filled(const Formal& formal, const Given& given,
                                                        const std::string& key,
                                                        const SettingCall& others) {
  if (Override* over = s_.setting("train." + key)) return argument(site_of(*over), key, formal);
  if (const auto it = given.find(formal.name); it != given.end())
    return argument(it->second, key, formal);
  if (formal.otherwise) return formal.otherwise;
  if (formal.derived) return completed(formal.derived(others), key);
  Diagnostic d =
      diag(DiagKind::wrong_arguments, "`" + others.function + "` needs `" + formal.name + "`")
          .at(others.span);
  if (std::string_view(formal.name) == "lr")
    d.help("for example `" + others.function + "(lr=0.001)`");
  report(cx_, std::move(d));
  return std::nullopt;
}

/// A schedule that is a default, with its own defaults and what --set says of them.
std::optional<SettingCall::Value> SettingReader::completed(SettingCall::Value value,
                                                           const std::string& key) {
  auto* calls = std::get_if<std::vector<SettingCall>>(&value);
  if (!calls) return value;
  const SettingCall defaults = calls->front();
  std::vector<Formal> formals = find_form(defaults.function, true)->args;
  for (Formal& formal : formals)
    if (const auto* own = optim::find_argument(defaults, formal.name)) formal.otherwise = *own;
  if (!fill(calls->front(), formals, {}, key)) return std::nullopt;
  return value;
}

std::optional<SettingCall::Value> SettingReader::argument(const SettingSite& site,
                                                          const std::string& key,
                                                          const Formal& formal) {
  using T = Formal::Type;
  if (formal.type == T::rate) return rate(site, key, formal);
  if (formal.type == T::flag) {
    if (unreadable(site)) return std::nullopt;
    if (site.file) {
      At there(cx_, cursor(site));
      const Val val = eval(cx_, site.value);
      if (const bool* flag = val.boolean()) return *flag;
      if (val.poison()) return std::nullopt;
    }
    wrong(site, "`" + formal.name + "` must be true or false");
    return std::nullopt;
  }
  if (const ast::Call* call = schedule_at(site.file, site.value)) {
    report(cx_,
           diag(DiagKind::wrong_arguments, "`" + formal.name + "` must be a number, and `" +
                                               call->callee.text + "` is a schedule")
               .at(call->callee.span)
               .help("write a number: schedules stand where rates do, as `lr` of an optimizer"));
    return std::nullopt;
  }
  const auto number = value_number(site, "`" + formal.name + "`");
  return number ? number_value(*number, site, formal) : std::nullopt;
}

std::optional<SettingCall::Value> SettingReader::number_value(const Number& number,
                                                              const SettingSite& site,
                                                              const Formal& formal) {
  if (formal.type != Formal::Type::whole) {
    if (!is_in_range(number.value(), formal.range, site, formal.name)) return std::nullopt;
    return number.value();
  }
  const auto least = static_cast<std::int64_t>(formal.range.least);
  if (!is_count(number, least, site, formal.name)) return std::nullopt;
  if (formal.range.holds(number.value())) return *number.as_integer();
  wrong(site, "`" + formal.name + "` must be a whole number " + formal.range.text());
  return std::nullopt;
}

/// A learning rate: a number, or a schedule.
std::optional<SettingCall::Value> SettingReader::rate(const SettingSite& site,
                                                      const std::string& key,
                                                      const Formal& formal) {
  const auto* c = site.file ? std::get_if<ast::Call>(&site.file->at(site.value).node) : nullptr;
  if (c && find_form(c->callee.text, true)) {
    const auto schedule = call(site, key, true);
    if (!schedule) return std::nullopt;
    return std::vector<SettingCall>{*schedule};
  }
  if (c && !find_builtin(c->callee.text)) {
    unknown_function(c->callee, true);
    return std::nullopt;
  }
  const auto number = value_number(site, "`" + formal.name + "`");
  return number ? number_value(*number, site, formal) : std::nullopt;
}

}  // namespace mtfc::elab
