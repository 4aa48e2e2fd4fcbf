#include "cli/options/misuse.h"

#include <algorithm>

#include "cli/options/command_rows.h"
#include "messages/render.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// What to write instead of an option in front of the command; empty if no command follows.
std::string command_first(const Options& options, const std::string& option) {
  const auto command = std::find_if(options.words.begin() + 1, options.words.end(),
                                    [](const std::string& word) { return find_command(word); });
  if (command == options.words.end()) return "";
  return "options come after the command: `mtfc " + *command + " " + option + " ...`";
}

/// What was meant by something that is no command.
std::string meant_by(const std::string& word) {
  if (word.ends_with(".mtf")) return "`mtfc check " + word + "` checks it; `mtfc help` lists more";
  if (word.ends_with(".layout")) return "`mtfc check MODEL --layout " + word + "` checks it";
  const std::vector<std::string> names = command_names();
  std::vector<std::string> near = did_you_mean(word, names);
  for (std::string& name : near) name = "mtfc " + name;
  if (!near.empty()) return meant(near);
  return "the commands are " + joined(names, ", ");
}

}  // namespace

Misuse misuse(const Options& parsed, std::string message, std::string help) {
  Misuse found{parsed, std::move(message), std::move(help)};
  Options& o = found.options;
  const std::string form = "--error-format";
  for (std::size_t i = 1; i < o.words.size(); ++i) {
    const std::string& word = o.words[i];
    if (word == "--json") o.json = true;
    const bool apart = word == form && i + 1 < o.words.size();
    const std::string wanted = apart                          ? o.words[i + 1]
                               : word.starts_with(form + "=") ? word.substr(form.size() + 1)
                                                              : "";
    const auto& forms = error_forms::all;
    if (wanted != error_forms::human &&
        std::find(forms.begin(), forms.end(), wanted) != forms.end())
      o.error_format = wanted;
  }
  if (found.help.empty())
    found.help = o.command.empty() ? "`mtfc help` lists the commands"
                                   : "`mtfc help " + o.command + "` lists what there is";
  return found;
}

Misuse unknown_command(const Options& options, const std::string& word) {
  const std::string quoted = backquoted(word, longest_quote);
  if (word.starts_with("-"))
    return misuse(options, "a command comes first, not " + quoted, command_first(options, word));
  return misuse(options, "there is no command " + quoted, meant_by(word));
}

}  // namespace mtfc::cli
