#include "cli/complete.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cli/library.h"
#include "cli/options/command_rows.h"
#include "cli/options/words.h"
#include "cli/session/dumps.h"
#include "data/files/read_file.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/elaborate/setting_keys.h"
#include "ir/named_values.h"

namespace mtfc::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t largest_model = std::size_t{1} << 20;

/// The model among the words, if there is one and it is well.
std::optional<Model> model_of(const Words& words) {
  for (const std::string& word : words) {
    if (!word.ends_with(".mtf")) continue;
    const runtime::Result<runtime::Bytes> bytes = runtime::read_file(word, largest_model);
    if (!bytes) continue;
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string text(runtime::text_of(*bytes));
    return elaborate(sources, sources.add(word, text), {}, diagnostics);
  }
  return std::nullopt;
}

/// Dimensions of the file, each followed by `mark`.
Words dimensions(const Words& words, const std::string& mark) {
  std::set<std::string> names;
  if (const auto model = model_of(words))
    for (const Dim& dim : model->dims.all())
      if (dim.scope.empty() && !is_alias_dim(dim)) names.insert(dim.name + mark);
  return {names.begin(), names.end()};
}

Words setting_words(const Words& words) {
  const auto model = model_of(words);
  Words keys = elab::setting_keys(model ? *model : Model{});
  for (std::string& key : keys) key += "=";
  return keys;
}

/// Tensors of the model, which has to come first.
Words tensors(const Words& words) {
  Words names;
  if (const auto model = model_of(words))
    for (const auto& [name, value] : named_values(model->eval)) names.push_back(name);
  return names;
}

Words arguments_of(const OptionRow& row, const Words& words) {
  if (row.name == "-D") return dimensions(words, "=");
  if (row.name == "--set") return setting_words(words);
  if (row.name == "--rules") return dimensions(words, ":");
  if (row.name == "--dump-after") return dump_names();
  return row.words;
}

Words positionals_of(const CommandRow& command, const Words& words) {
  Words found;
  if (command.name == "explain")
    for (const DiagKindInfo& kind : diagnostic_kinds()) found.emplace_back(kind.code);
  if (command.name == "completion") found = shells::all;
  if (command.name == "lib") found = library_names();
  if (command.name == "run" || command.name == "why" || command.name == "draw")
    found = tensors(words);
  if (command.name == "draw") found.insert(found.end(), drawn::all.begin(), drawn::all.end());
  return found;
}

Words options_of(const CommandRow& command) {
  Words found{"--help"};
  for (const OptionRow& row : command.options) {
    found.push_back(row.name);
    if (!row.letter.empty()) found.push_back(row.letter);
  }
  return found;
}

Words candidates(const Words& words) {
  if (words.size() < 3 && words.back().starts_with("-")) return {"--help", "--version"};
  if (words.size() < 3 || words[1] == "help") return command_names();
  const CommandRow* command = find_command(words[1]);
  if (!command) return {};
  const std::string& last = words.back();
  const std::string name = last.substr(0, last.find('='));
  const OptionRow* within = name == last ? nullptr : find_option(*command, name);
  if (within && !within->placeholder.empty()) {  // --name=word, which only bash takes apart
    Words found = arguments_of(*within, words);
    for (std::string& word : found) word.insert(0, name + "=");
    return found;
  }
  const OptionRow* before = find_option(*command, words[words.size() - 2]);
  if (before && !before->placeholder.empty()) return arguments_of(*before, words);
  return last.starts_with("-") ? options_of(*command) : positionals_of(*command, words);
}

}  // namespace

std::vector<std::string> completions(std::vector<std::string> words) {
  if (words.size() < 2) return {};
  // bash takes `--name=word` apart.
  const std::string last = words.back() == "=" ? "" : words.back();
  words.pop_back();
  std::erase(words, "=");
  words.push_back(last);
  Words found = candidates(words);
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(last); });
  return found;
}

}  // namespace mtfc::cli
