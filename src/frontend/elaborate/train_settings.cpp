#include "frontend/elaborate/train_settings.h"

#include <algorithm>
#include <filesystem>

#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/setting_reader.h"
#include "ir/param_settings.h"
#include "optim/optimizers.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

/// Whether some optimizer has an argument of this name.
bool is_of_optimizers(const std::string& name) {
  for (const optim::Optimizer& row : optim::optimizers())
    for (const optim::Formal& formal : row.form.args)
      if (name == formal.name) return true;
  return false;
}

}  // namespace

namespace {

/// A relative path starts at the folder of the file that writes it.
std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

const ast::Train* train_block(const ast::File& file) {
  for (ast::StatementId id : file.body)
    if (const auto* train = std::get_if<ast::Train>(&file.at(id).node)) return train;
  return nullptr;
}

}  // namespace

Cursor SettingReader::cursor(const SettingSite& site) const {
  return {site.file, &cx_.file_scope, nullptr};
}

SettingReader::SettingSite SettingReader::site_of(Override& over) {
  over.used = true;
  const Span all{over.file, 0, static_cast<std::uint32_t>(over.text.size())};
  if (!over.tree) return {nullptr, {}, &over, all};
  return {&*over.tree, over.value, &over, over.tree->at(over.value).span};
}

/// The value of a key: from --set, else from the block.
std::optional<SettingReader::SettingSite> SettingReader::find(const std::string& key) {
  std::optional<SettingSite> written;
  const ast::File& file = s_.modules.front().file;
  for (const ast::Setting& setting :
       train_ ? train_->settings.settings : std::vector<ast::Setting>{})
    if (setting.key.text == key)
      written = SettingSite{&file, setting.value, nullptr, file.at(setting.value).span};
  if (Override* over = s_.setting("train." + key)) return site_of(*over);
  return written;
}

void SettingReader::wrong(const SettingSite& site, const std::string& message) {
  report(cx_, diag(DiagKind::wrong_setting, message).at(site.span));
}

void SettingReader::read_early() {
  read_precision();
  const auto site = find("seed");
  if (!site || !site->file) return;
  At there(cx_, cursor(*site));
  const std::size_t before = s_.diagnostics.errors();
  const Val val = eval(cx_, site->value);
  s_.seed_is_wrong = s_.diagnostics.errors() > before;
  if (const Number* n = val.number()) s_.seed = n->as_integer().value_or(0);
}

void SettingReader::read_precision() {
  const auto site = find("precision");
  const auto text = site ? word(*site) : std::nullopt;
  const auto dtype = text ? dtype_named(*text) : std::nullopt;
  if (!dtype || !is_float(*dtype)) return;
  s_.precision = *text;
  s_.activation = *dtype;
  s_.master = is_half(*dtype) ? DType::f32 : *dtype;
}

void SettingReader::read() {
  TrainSettings& out = s_.model.settings;
  out.seed = s_.seed;
  out.precision = s_.precision;
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
      const std::string ours(setting_called(setting.key.text));
      if (ours == "microbatches")
        d.help(
            "`microbatches = n` takes the batch in n parts and adds up their gradients: for n "
            "times as many examples per step the batch must be as many times as large, too");
      else if (std::find(known.begin(), known.end(), ours) != known.end())
        d.help("it is called `" + ours + "` here").fix(setting.key.span, ours);
      else if (setting.key.text == "batch_size" || setting.key.text == "batch")
        d.help("the batch is the first dimension of the inputs: `dim batch = ...`, or `-D`");
      else if (is_of_optimizers(setting.key.text))
        d.help("it is an argument of the optimizer: `optimizer = adam(" + setting.key.text +
               "=...)`");
      else
        suggest(d, setting.key, known);
      if (d.helps.empty()) {
        std::string list;
        for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
        d.notes.push_back("its settings are " + list);
      }
      report(cx_, std::move(d));
      misspelled_ = true;
    }
    const auto [it, fresh] = seen.try_emplace(setting.key.text, setting.key.span);
    if (!fresh)
      report(cx_, diag(DiagKind::defined_twice, "`" + setting.key.text + "` is set twice")
                      .at(setting.key.span, "second")
                      .also(it->second, "first"));
  }
}

void SettingReader::read_optimizer() {
  const auto site = find("optimizer");
  if (!site) {
    if (misspelled_) return;
    report(cx_, diag(DiagKind::wrong_setting, "`train` does not say which optimizer")
                    .at(s_.model.settings.span)
                    .help("write `optimizer = adam(lr=1e-3)`"));
    return;
  }
  if (auto optimizer = call(*site, "optimizer", false)) s_.model.settings.optimizer = *optimizer;
}

/// `steps` or `epochs`; what --set says replaces both.
void SettingReader::read_length() {
  TrainSettings& out = s_.model.settings;
  const bool set_steps = s_.setting("train.steps"), set_epochs = s_.setting("train.epochs");
  const auto steps = set_epochs && !set_steps ? std::nullopt : whole("steps", 1);
  const auto epochs = set_steps ? std::nullopt : number("epochs", optim::above_zero);
  if (set_steps && set_epochs) find("epochs");
  const bool given = find("steps") || find("epochs");
  if (!given) {
    if (misspelled_) return;
    report(cx_, diag(DiagKind::wrong_setting, "`train` does not say how long")
                    .at(out.span)
                    .help("write `steps = 1000` or `epochs = 5`"));
    return;
  }
  if (steps && epochs) {
    report(cx_, diag(DiagKind::wrong_setting, "both `steps` and `epochs` are given")
                    .at(find("epochs")->span)
                    .also(find("steps")->span, "steps")
                    .help("write one of them"));
    return;
  }
  out.steps = steps.value_or(0);
  out.epochs = epochs.value_or(0);
}

void SettingReader::read_rest() {
  TrainSettings& out = s_.model.settings;
  out.eval_every = whole("eval_every", 0).value_or(0);
  out.clip = number("clip", optim::from_zero).value_or(0);
  out.seed = seed().value_or(0);
  read_loss_scale();
  out.checkpoint_every = whole("checkpoint_every", 0).value_or(0);
  out.keep = whole("keep", 1).value_or(out.keep);
  out.microbatches = whole("microbatches", 1).value_or(1);
  if (const auto site = find("microbatches")) out.microbatches_span = site->span;
  constexpr std::string_view precisions[] = {"f32", "f64", "bf16", "f16"};
  if (const auto i = read_word("precision", precisions)) out.precision = precisions[*i];
  if (const auto i = read_word("checkpoint", words_of<CheckpointForm>))
    out.checkpoint = static_cast<CheckpointForm>(*i);
  if (const auto i = read_word("update", words_of<UpdateForm>))
    out.update = static_cast<UpdateForm>(*i);
  if (const auto i = read_word("on_nan", words_of<OnNan>)) out.on_nan = static_cast<OnNan>(*i);
}

std::optional<std::size_t> SettingReader::read_word(const std::string& key,
                                                    std::span<const std::string_view> known) {
  const auto site = find(key);
  if (!site) return std::nullopt;
  const auto text = word(*site);
  if (text)
    if (const auto found = std::find(known.begin(), known.end(), *text); found != known.end())
      return static_cast<std::size_t>(found - known.begin());
  const std::string list = mtfc::joined(
      known, ", ", [](std::string_view word) { return "`" + std::string(word) + "`"; });
  const std::string ours(text ? type_called(*text) : "");
  const bool renamed = std::find(known.begin(), known.end(), ours) != known.end();
  Diagnostic d =
      diag(DiagKind::wrong_setting, renamed ? "`" + *text + "` is called `" + ours + "` here"
                                            : "`" + key + "` must be one of " + list)
          .at(site->span);
  if (renamed) d.help("write `" + ours + "`").fix(site->span, ours);
  report(cx_, std::move(d));
  return std::nullopt;
}

/// A bare word or a string.
std::optional<std::string> SettingReader::word(const SettingSite& site) const {
  if (!site.file) return site.over->text;
  const auto& node = site.file->at(site.value).node;
  if (const auto* ref = std::get_if<ast::NameRef>(&node)) return ref->name.text;
  if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
  return std::nullopt;
}

/// The text of an option that is no expression, where one is needed.
bool SettingReader::unreadable(const SettingSite& site) {
  if (site.file) return false;
  site.over->complain(s_.diagnostics);
  return true;
}

std::optional<Number> SettingReader::value_number(const SettingSite& site,
                                                  const std::string& what) {
  if (unreadable(site)) return std::nullopt;
  At there(cx_, cursor(site));
  return static_number(cx_, site.value, what);
}

/// Whether the optimiser has what `trust` switches; if it is not known, nothing is said.
bool SettingReader::has_trust_ratio() const {
  const auto* optimizer = optim::find_optimizer(s_.model.settings.optimizer.function);
  return !optimizer || optimizer->layer_wise;
}

/// Where the first values are, or `no_initial_file`; absent: it is reported.
std::optional<std::string> SettingReader::initial_file(const SettingSite& site) {
  const auto* word = std::get_if<ast::NameRef>(&site.file->at(site.value).node);
  if (word && word->name.text == "none") return std::string(no_initial_file);
  const Val val = eval(cx_, site.value);
  if (val.text() && !val.text()->empty())
    return beside(s_.sources.path(site.span.file), *val.text());
  if (!val.poison())
    wrong(site, "`init` must be the name of a file with tensors, in quotes, or `none`");
  return std::nullopt;
}

void SettingReader::read_params(const ast::Settings::Params& params) {
  ParamSettings result;
  std::set<std::string> seen;
  const ast::File& file = s_.modules.front().file;
  for (const ast::Setting& setting : params.settings) {
    const SettingSite site{&file, setting.value, nullptr, file.at(setting.value).span};
    const std::string& key = setting.key.text;
    At there(cx_, cursor(site));
    if (!seen.insert(key).second) {
      report(cx_,
             diag(DiagKind::defined_twice, "`" + key + "` is given twice").at(setting.key.span));
      continue;
    }
    if (key == "init") {
      result.init_span = site.span;
      if (const auto file = initial_file(site)) result.settings[key] = *file;
    } else if (key == "frozen" || key == "trust") {
      const Val val = eval(cx_, site.value);
      const bool* flag = val.boolean();
      if (flag && *flag && key == "trust" && !has_trust_ratio())
        wrong(site, "`trust` is of `lamb` and `lars`: `" + s_.model.settings.optimizer.function +
                        "` has no ratio of norms");
      else if (flag)
        result.settings[key] = *flag;
      else if (!val.poison())
        wrong(site, "`" + key + "` must be true or false");
    } else if (key == "lr_scale" || key == "decay") {
      const auto number = static_number(cx_, site.value, "`" + key + "`");
      if (number && is_in_range(number->value(), optim::from_zero, site, key))
        result.settings[key] = number->value();
    } else {
      Diagnostic d = diag(DiagKind::wrong_setting, "`params` has no setting `" + key + "`")
                         .at(setting.key.span);
      suggest(d, setting.key, param_keys());
      d.notes.push_back("its settings are lr_scale, decay, frozen, trust and init");
      report(cx_, std::move(d));
    }
  }
  for (const auto& [glob, span] : params.globs) {
    result.globs.push_back(glob);
    s_.globs.push_back({glob, span, s_.model.settings.params.size()});
  }
  s_.model.settings.params.push_back(std::move(result));
}

void read_early_settings(Context& cx) { SettingReader(cx, train_block(*cx.now.file)).read_early(); }

void read_train_settings(Context& cx, const ast::Train* train, Span span) {
  if (!cx.training) return;
  if (train && cx.session.model.settings.span.valid()) {
    report(cx, diag(DiagKind::defined_twice, "a second `train` block")
                   .at(span)
                   .also(cx.session.model.settings.span, "the first one"));
    return;
  }
  if (!train && cx.session.model.settings.span.valid()) return;
  cx.session.model.settings.span = span;
  SettingReader(cx, train).read();
}

}  // namespace mtfc::elab
