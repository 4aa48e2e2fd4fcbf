#include "cli/read_command_line.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command_rows.h"
#include "cli/exit_status.h"
#include "cli/usage.h"
#include "support/render.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

constexpr std::size_t longest_quote = 60;

std::string listed(const std::vector<std::string>& words) {
  return joined(words, ", ", [](const std::string& word) { return "`" + word + "`"; });
}

std::vector<std::string> option_names(const CommandRow& command) {
  std::vector<std::string> names{"--help"};
  for (const OptionRow& row : command.options) names.push_back(row.name);
  return names;
}

/// Reads the words after the command's name. What is wrong is kept: the first mistake.
class Reader {
 public:
  Reader(const CommandRow& command, Options& options) : command_(command), options_(options) {}

  /// False: there is a mistake.
  bool read(const std::vector<std::string>& words) {
    for (next_ = 0; next_ < words.size() && message.empty(); ++next_) {
      const std::string& word = words[next_];
      if (only_positionals_ || word == "-" || word.empty() || word[0] != '-')
        positional(word);
      else if (word == "--")
        only_positionals_ = true;
      else if (word == "-h" || word == "--help")
        help_wanted = true;
      else
        option(word, words);
    }
    if (message.empty() && !help_wanted) check_complete();
    return message.empty();
  }

  std::string message, help;
  bool help_wanted = false;

 private:
  void fail(std::string what, std::string helps = "") {
    if (!message.empty()) return;
    message = std::move(what);
    help = std::move(helps);
  }
  std::string named() const { return "`" + command_.name + "`"; }

  void positional(const std::string& word) {
    std::size_t index = positionals_++;
    const auto& rows = command_.positionals;
    if (index >= rows.size() && !rows.empty() && rows.back().many) index = rows.size() - 1;
    if (index < rows.size()) return rows[index].take(options_, word);
    const std::string quoted = backquoted(word, longest_quote);
    if (rows.empty()) return fail(named() + " takes no argument: " + quoted);
    fail(named() + " takes one " + rows.back().name + ", and " + quoted + " is one too many");
  }

  /// "--name", "--name=argument", "-D", "-Dargument".
  void option(const std::string& word, const std::vector<std::string>& words) {
    std::string name = word;
    std::optional<std::string> argument;
    if (word.starts_with("--")) {
      if (const std::size_t equals = word.find('='); equals != word.npos) {
        name = word.substr(0, equals);
        argument = word.substr(equals + 1);
      }
    } else if (word.size() > 2) {
      name = word.substr(0, 2);
      argument = word.substr(word[2] == '=' ? 3 : 2);
    }
    const OptionRow* row = find_option(command_, name);
    if (!row) return unknown(name);
    if (row->placeholder.empty()) {
      if (argument) return fail("`" + name + "` takes no argument");
      argument.emplace();
    } else if (!argument) {
      if (next_ + 1 >= words.size() || is_option(words[next_ + 1]))
        return fail("`" + name + "` needs its argument, " + row->placeholder);
      argument = words[++next_];
    }
    take(*row, name, *argument);
  }

  /// Exactly an option of the command: a text that only begins with `-` is an argument.
  bool is_option(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    return word.size() > 1 && word[0] == '-' && find_option(command_, name) != nullptr;
  }

  void take(const OptionRow& row, const std::string& name, const std::string& argument) {
    const bool again = !given_.emplace(row.name, true).second;
    if (again && !row.repeats && !row.last_counts && !row.placeholder.empty())
      return fail("`" + name + "` is given twice");
    if (!row.words.empty() &&
        std::find(row.words.begin(), row.words.end(), argument) == row.words.end()) {
      const std::vector<std::string> near = did_you_mean(argument, row.words);
      return fail("`" + name + "` is one of " + listed(row.words) + ", not " +
                      backquoted(argument, longest_quote),
                  near.empty() ? "" : "did you mean `" + near.front() + "`?");
    }
    if (const std::string wrong = row.take(options_, argument); !wrong.empty())
      fail("`" + name + "` " + wrong);
  }

  void unknown(const std::string& name) {
    const std::vector<std::string> near = did_you_mean(name, option_names(command_));
    std::string helps = near.empty() ? "" : "did you mean `" + near.front() + "`?";
    for (const CommandRow& other : command_rows())
      if (helps.empty() && find_option(other, name)) helps = "`mtfc " + other.name + "` has it";
    fail(named() + " has no option " + backquoted(name, longest_quote), helps);
  }

  void check_complete() {
    for (const OptionRow& row : command_.options)
      if (row.required && !given_.contains(row.name))
        fail(named() + " needs `" + row.name + " " + row.placeholder + "`");
    const auto& rows = command_.positionals;
    for (std::size_t i = positionals_; i < rows.size(); ++i)
      if (rows[i].required) fail(named() + " needs " + rows[i].name + ": " + rows[i].summary);
    if (options_.rules && !options_.layouts.empty())
      fail("`--layout` and `--rules` exclude each other");
  }

  const CommandRow& command_;
  Options& options_;
  std::size_t next_ = 0, positionals_ = 0;
  bool only_positionals_ = false;
  std::map<std::string, bool> given_;
};

/// A mistake goes the way of all diagnostics: in the form that is asked for, wherever that stands.
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
    if (wanted == "json" || wanted == "github" || wanted == "sarif") o.error_format = wanted;
  }
  if (found.help.empty())
    found.help =
        "`mtfc" + (o.command.empty() ? "" : " " + o.command) + " --help` lists what there is";
  return found;
}

Misuse unknown_command(const Options& options, const std::string& word) {
  const std::vector<std::string> names = command_names();
  const std::vector<std::string> near = did_you_mean(word, names);
  std::string help = near.empty() ? "the commands are " + joined(names, ", ")
                                  : "did you mean `mtfc " + near.front() + "`?";
  return misuse(options, "there is no command " + backquoted(word, longest_quote), std::move(help));
}

int printed(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return exit_done;
}

}  // namespace

std::variant<Options, Misuse, int> read_command_line(int argc, char** argv) {
  Options options;
  options.words.assign(argv, argv + argc);
  if (argc < 2) return printed(first_screen());
  std::string word = argv[1];
  std::vector<std::string> rest(argv + 2, argv + argc);
  if (word == "-h" || word == "--help" || word == "help") {
    if (word != "help" || rest.empty() || rest[0][0] == '-') return printed(first_screen());
    word = rest[0];
    rest = {"--help"};
  }
  if (word == "-V" || word == "--version") word = "version";
  const CommandRow* command = find_command(word);
  if (!command && word.starts_with("-"))
    return misuse(options, "a command comes first, not " + backquoted(word, longest_quote), "");
  if (!command) return unknown_command(options, word);
  options.command = command->name;
  Reader reader(*command, options);
  if (!reader.read(rest)) return misuse(options, reader.message, reader.help);
  if (reader.help_wanted) return printed(command_help(*command));
  return options;
}

}  // namespace mtfc::cli
