#include "frontend/elaborate/overrides.h"

#include <algorithm>
#include <iterator>

#include "frontend/elaborate/setting_keys.h"
#include "frontend/syntax/parse.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

/// The only expression of a parsed fragment.
ast::ExprId value_of(const ast::File& fragment) {
  return std::get<ast::Assign>(fragment.at(fragment.body[0]).node).value;
}

/// "train.optimizer.lr" of "train.optimizer.lr.peak"
std::string owner_of(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == key.npos ? "" : key.substr(0, dot);
}

/// "lr" of "train.optimizer.lr"
std::string last_word(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// The keys of which a part, the last word or what owns it, is that of `key`.
std::vector<std::string> alike_in(std::string (*part)(const std::string&), const std::string& key,
                                  const std::vector<std::string>& candidates) {
  std::vector<std::string> alike;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(alike),
               [&](const std::string& candidate) { return part(candidate) == part(key); });
  return alike;
}

/// The nearest keys: `train.optimizer.lr` for `lr`; one with the same beginning needs a likeness of
/// its last word only.
std::vector<std::string> near_keys(const std::string& key,
                                   const std::vector<std::string>& candidates) {
  const std::vector<std::string> same_end = alike_in(last_word, key, candidates);
  if (!same_end.empty()) return same_end;
  const std::string owner = owner_of(key);
  std::vector<std::string> words = alike_in(owner_of, key, candidates);
  if (owner.empty() || words.empty()) return did_you_mean(key, candidates);
  for (std::string& word : words) word = last_word(word);
  std::vector<std::string> near = did_you_mean(last_word(key), words);
  for (std::string& name : near) name = owner + "." + name;
  return near;
}

/// Helps where the key belongs to the other option.
std::string meant_for(const std::string& option, const std::string& what, const Override& over,
                      const std::vector<std::string>& keys) {
  const auto is_meant = [&](const std::string& key) {
    return key == over.key || key.ends_with("." + over.key);
  };
  const auto key = std::find_if(keys.begin(), keys.end(), is_meant);
  if (key == keys.end()) return "";
  return "`" + over.key + "` is a " + what + ": `" + option + " " + *key + "=" + over.text + "`";
}

void report_unused(Session& session, const Override& over, DiagKind kind,
                   const std::string& message, const std::vector<std::string>& candidates,
                   const std::string& note, const std::string& help) {
  Diagnostic d =
      diag(kind, message).at({over.file, 0, static_cast<std::uint32_t>(over.text.size())});
  const std::vector<std::string> near = near_keys(over.key, candidates);
  if (!note.empty())
    d.notes.push_back(note);
  else if (!help.empty())
    d.helps.push_back(help);
  else if (!near.empty())
    d.helps.push_back(meant(near));
  session.diagnostics.report(std::move(d));
}

/// A key below an argument that has no arguments of its own: `lr.peak` where `lr` is a number.
std::string plain_owner(const std::string& key, const std::vector<std::string>& keys) {
  const std::string owner = owner_of(key);
  if (!owner.starts_with("train.optimizer.")) return "";
  bool known = false;
  for (const std::string& k : keys) {
    known = known || k == owner;
    if (owner_of(k) == owner) return "";
  }
  return known
             ? "`" + last_word(owner) + "` is a number in this model, not a schedule: it has no `" +
                   last_word(key) + "`"
             : "";
}

/// All keys of what the key would belong to; of nothing that there is, all keys.
std::string keys_beside(const std::string& key, const std::vector<std::string>& keys) {
  std::vector<std::string> there = alike_in(owner_of, key, keys);
  if (there.empty()) there = keys;
  return (there.size() == 1 ? "there is " : "there are ") +
         mtfc::joined(there, ", ", [](const std::string& name) { return backquoted(name); });
}

/// What helps where a setting does not exist and none is near.
std::string help_for(const Override& over, const std::vector<std::string>& keys,
                     const std::vector<std::string>& sizes) {
  const std::string help = meant_for("-D", "dimension", over, sizes);
  return help.empty() && near_keys(over.key, keys).empty() ? keys_beside(over.key, keys) : help;
}

}  // namespace

void read_overrides(Session& session, const std::string& option,
                    const std::vector<std::pair<std::string, std::string>>& entries,
                    std::deque<Override>& into) {
  for (const auto& [key, text] : entries) {
    Override& over = into.emplace_back();
    over.key = key;
    over.text = text;
    over.file = session.sources.add(option + " " + key, text);
    Diagnostics mistakes;
    over.tree = parse_expression(session.sources, over.file, mistakes);
    over.mistakes = mistakes.all();
    if (over.tree) over.value = value_of(*over.tree);
  }
}

void check_overrides(Session& session) {
  std::vector<std::string> sizes;
  for (const Dim& dim : session.model.dims.all())
    if (dim.scope.empty() && !is_alias_dim(dim)) sizes.push_back(dim.name);
  const std::vector<std::string> keys = setting_keys(session.model);
  for (const Override& over : session.defines) {
    if (over.used || session.define(over.key) != &over) continue;
    report_unused(session, over, DiagKind::unknown_name,
                  "-D " + over.key + ": the model has no dimension or constant of that name", sizes,
                  "", meant_for("--set", "setting", over, keys));
  }
  for (const Override& over : session.settings) {
    if (over.used || session.setting(over.key) != &over) continue;
    // A setting by its name, of a block that the model lacks.
    if (over.key.starts_with("train.") &&
        std::find(keys.begin(), keys.end(), over.key) != keys.end()) {
      report_unused(session, over, DiagKind::wrong_setting,
                    "--set " + over.key + ": the model has no `train { }` block", {}, "",
                    "write `train { optimizer = sgd(lr=0.1)  steps = 100 }` into it");
      continue;
    }
    report_unused(session, over, DiagKind::wrong_setting,
                  "--set " + over.key + ": there is no such setting", keys,
                  plain_owner(over.key, keys), help_for(over, keys, sizes));
  }
}

}  // namespace mtfc::elab
