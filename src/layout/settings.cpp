#include "layout/settings.h"

#include <algorithm>
#include <limits>

#include "ir/iterations.h"
#include "support/did_you_mean.h"
#include "support/setting_words.h"
#include "support/text.h"

namespace mtfc::lowering {

namespace {

struct Setting {
  const char* name = "";
  std::vector<std::string> words = {};
  std::string otherwise = {};  // the word that holds without it
  /// Words that change nothing for some models, unsaid so far.
  std::vector<std::string> may_idle = {};
  void (*take)(Assignment& assignment, const std::string& word) = nullptr;
  /// Where words may have a number behind them, `full:40`: which do, and where it goes.
  std::vector<std::string> counted = {};
  std::int32_t LoweringOptions::*count = nullptr;
};

const std::vector<Setting>& all_settings() {
  static const std::vector<Setting> table = {
      {.name = "update",
       .words = {words_of<UpdateForm>.begin(), words_of<UpdateForm>.end()},
       .otherwise = std::string(name(UpdateForm::replicated)),
       .may_idle = {std::string(name(UpdateForm::sharded))},
       .take =
           [](Assignment& p, const std::string& word) {
             p.options.shard_update = word == name(UpdateForm::sharded);
           }},
      {.name = "gather",
       .words = {"again", "once", "step"},
       .otherwise = "again",
       .may_idle = {"once", "step"},
       .take =
           [](Assignment& p, const std::string& word) {
             p.options.gather_once = word != "again";
             p.options.gather_step = word == "step";
           }},
      {.name = "attention",
       .words = {"tiled", "stored"},
       .otherwise = "tiled",
       .take = [](Assignment& p,
                  const std::string& word) { p.options.store_scores = word == "stored"; }},
      {.name = "recompute",
       .words = {"none", "scores", "selective", "full"},
       .otherwise = "none",
       .may_idle = {"scores"},
       .take =
           [](Assignment& p, const std::string& word) {
             p.options.recompute_scores = word == "scores";
             p.options.recompute_full = word == "full";
             p.options.recompute_selective = word == "selective";
           },
       .counted = {"selective", "full"},
       .count = &LoweringOptions::recompute_iterations},
      {.name = "reduce",
       .words = {"library", "ordered"},
       .otherwise = "ordered",
       .take = [](Assignment& p,
                  const std::string& word) { p.options.library_reductions = word == "library"; }},
      {.name = "wire",
       .words = {"bf16", "f32"},
       .otherwise = "f32",
       .may_idle = {"bf16"},
       .take = [](Assignment& p,
                  const std::string& word) { p.options.compress_gradients = word == "bf16"; }},
  };
  return table;
}

/// Null: there is none so named.
const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : all_settings())
    if (setting.name == name) return &setting;
  return nullptr;
}

std::string setting_names() {
  std::vector<std::string> names;
  for (const Setting& setting : all_settings()) names.push_back(backquoted(setting.name));
  return series(names, "and");
}

Diagnostic unknown_setting(const std::string& name, const std::string& word, Span span) {
  const std::vector<std::string> known = names_of(all_settings());
  Diagnostic d = diag(DiagKind::unknown_name, "no layout setting is named `" + name + "`").at(span);
  const std::vector<std::string> near = did_you_mean(name, known);
  if (const std::string* one = sole(near)) d.fix(span, "set " + *one + "=" + word);
  return std::move(d).help(near.empty() ? "settings are " + setting_names() : meant(near));
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string alternatives(const std::vector<std::string>& words) {
  return joined(words, " or ", [](const std::string& word) { return backquoted(word); });
}

Diagnostic wrong_word(const Setting& setting, const std::string& word, Span span) {
  Diagnostic d =
      diag(DiagKind::wrong_setting, "`" + std::string(setting.name) + "` is " +
                                        alternatives(setting.words) + ", not `" + word + "`")
          .at(span);
  const std::vector<std::string> near = did_you_mean(word.substr(0, word.find(':')), setting.words);
  if (!near.empty() && word.find(':') == word.npos) {
    d.help(meant(near));
    // Another type is no slip.
    if (const std::string* one = sole(near); one && !dtype_named(word))
      d.fix(span, "set " + std::string(setting.name) + "=" + *one);
  }
  if (setting.count && word.find(':') != word.npos)
    d.help(alternatives(setting.counted) +
           " may name a number of iterations of each `repeat`, from 1 on: `" +
           setting.counted.back() + ":2`");
  return d;
}

/// "full" or "full:40"; whether it is one of the setting's words, and taken.
bool take(const Setting& setting, const std::string& text, Assignment& assignment) {
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  if (!contains(colon == text.npos ? setting.words : setting.counted, word)) return false;
  if (colon != text.npos) {
    const auto count = read_whole(std::string_view(text).substr(colon + 1), 1,
                                  std::numeric_limits<std::int32_t>::max());
    if (!count) return false;
    assignment.options.*setting.count = static_cast<std::int32_t>(*count);
  }
  setting.take(assignment, word);
  return true;
}

}  // namespace

void read_settings(const Layout& layout, Assignment& assignment, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < layout.settings.size() && i < 20; ++i) {
    const std::string &name = layout.settings[i].first, &word = layout.settings[i].second;
    const Span span = layout.setting_spans[i];
    const Setting* setting = find_setting(name);
    if (setting == nullptr)
      diagnostics.report(unknown_setting(name, word, span));
    else if (!take(*setting, word, assignment))
      diagnostics.report(wrong_word(*setting, word, span));
    const bool alone =
        layout.mesh && layout.mesh->processors() == 1 && assignment.mesh.processors() == 1;
    if (alone && ((name == "update" && assignment.options.shard_update) ||
                  (name == "wire" && assignment.options.compress_gradients)))
      diagnostics.report(
          diag(DiagKind::unused_rule, "`set " + name + "=" + word +
                                          "` changes nothing where one processor has a parameter")
              .at(span)
              .help("it is for meshes of several processors"));
    if (name == "gather" && assignment.options.gather_once && layout.scopes.empty())
      diagnostics.report(
          diag(DiagKind::unused_rule, "`set gather=" + word + "` has nothing to gather")
              .at(span)
              .help("it is for parameters that scopes keep split, such as "
                    "`param \"**\" { d_model:data }`"));
  }
}

std::optional<Assignment> without_setting(const Assignment& assignment, std::string_view name,
                                          const std::string& word) {
  const Setting* setting = find_setting(name);
  if (setting == nullptr || !contains(setting->may_idle, word)) return std::nullopt;
  Assignment without = assignment;
  setting->take(without, setting->otherwise);
  return without;
}

namespace {

/// Where a setting is written last, which holds.
WrittenSetting written(const Layout& layout, std::string_view name) {
  WrittenSetting last;
  for (std::size_t i = 0; i < layout.settings.size(); ++i)
    if (layout.settings[i].first == name)
      last = {layout.settings[i].second, layout.setting_spans[i]};
  return last;
}

void check_wire(const Layout& layout, const Model& model, const Assignment& assignment,
                Diagnostics& diagnostics) {
  if (!assignment.options.compress_gradients) return;
  bool any = false;
  for (const Variable& v : model.variables)
    if (v.kind == Variable::Kind::parameter) {
      any = true;
      if (v.type.dtype != DType::f64) return;
    }
  if (!any) return;
  diagnostics.report(
      diag(DiagKind::unused_rule, "`set wire=bf16` changes nothing in f64: it is for sums of f32")
          .at(written(layout, "wire").span)
          .help("take it out, or train in f32: `--set train.precision=f32`"));
}

void check_recompute(const Layout& layout, const Model& model, const Assignment& assignment,
                     Diagnostics& diagnostics) {
  const auto [word, span] = written(layout, "recompute");
  const LoweringOptions& options = assignment.options;
  if (options.recompute_scores && layout.pipeline)
    diagnostics.report(diag(DiagKind::wrong_setting,
                            "`set recompute=scores` in a pipeline, whose stages run the forward "
                            "and the backward pass as programs of their own")
                           .at(span)
                           .help("`set recompute=selective` makes scores again, too"));
  if ((options.recompute_full || options.recompute_selective) &&
      model.recompute_parents.size() != 1)
    diagnostics.report(
        diag(DiagKind::wrong_setting,
             "`set recompute=" + word + "` of a model that says itself what is computed again")
            .at(span)
            .help("take this out, or the `recompute { }` out of the model"));
  const bool asked = options.recompute_full || options.recompute_selective;
  if (asked && most_iterations(model.train) == 0)
    diagnostics.report(
        diag(DiagKind::unused_rule,
             "`set recompute=" + word + "` has no iterations to compute again")
            .at(span)
            .help("it is for models with `repeat`; in others `recompute { }` stands around the "
                  "lines"));
}

}  // namespace

void check_settings(const Layout& layout, const Model& model, const Assignment& assignment,
                    Diagnostics& diagnostics) {
  check_recompute(layout, model, assignment, diagnostics);
  check_wire(layout, model, assignment, diagnostics);
}

}  // namespace mtfc::lowering
