// Reading the command line: the one file that includes CLI11. It splits the words among the rows of
// commands and options; the messages are ours.
#include "cli/read_command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/command_rows.h"
#include "cli/exit_status.h"
#include "cli/usage.h"
#include "frontend/elaborate/setting_keys.h"
#include "support/render.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int most_positionals = 1 << 20;  // of a row that takes many

struct Mistake {
  std::string message, help;
};

std::string listed(const Words& words) {
  return joined(words, ", ", [](const std::string& word) { return "`" + word + "`"; });
}

std::string suggested(const std::string& word, const Words& known, const std::string& before = "") {
  const Words near = did_you_mean(word, known);
  return near.empty() ? "" : "did you mean `" + before + near.front() + "`?";
}

bool is_flag(const OptionRow& row) { return row.placeholder.empty(); }

/// An application of CLI11 with a subcommand for each command. Options are taken in the order in
/// which they are written, because --set, --steps and --seed set the same things.
class Reader {
 public:
  explicit Reader(Options& options) : options_(options) {
    app_.set_help_flag();
    app_.require_subcommand(1);
    for (const CommandRow& command : command_rows()) add(command);
  }

  enum class Outcome { done, help_wanted, wrong };

  /// `words` begin with the name of `command`.
  Outcome read(const CommandRow& command, const Words& words) {
    try {
      app_.parse(backwards(command, words));
      return Outcome::done;
    } catch (const CLI::CallForHelp&) {
      return Outcome::help_wanted;
    } catch (const CLI::ParseError& error) {
      find_mistake(command, words, error);
      return Outcome::wrong;
    }
  }

  Mistake mistake;

 private:
  // -------------------------------------------------------------- what there is
  void add(const CommandRow& command) {
    CLI::App& sub = *app_.add_subcommand(command.name);
    sub.set_help_flag("-h,--help");
    for (const OptionRow& row : command.options) add_option(sub, command, row);
    for (const OptionRow& row : command.options)
      if (!row.excludes.empty()) sub.get_option(row.name)->excludes(sub.get_option(row.excludes));
    for (const PositionalRow& row : command.positionals) add_positional(sub, row);
  }

  void add_option(CLI::App& sub, const CommandRow& command, const OptionRow& row) {
    const std::string names = row.letter.empty() ? row.name : row.letter + "," + row.name;
    const auto taken = [this, &command, &row](const CLI::results_t& arguments) {
      return take(command, row, arguments.back());
    };
    sub.add_option(names, taken)
        ->expected(is_flag(row) ? 0 : 1)
        ->trigger_on_parse()
        ->required(row.required);
  }

  void add_positional(CLI::App& sub, const PositionalRow& row) {
    const auto taken = [this, &row](const CLI::results_t& arguments) {
      for (const std::string& argument : arguments) row.take(options_, argument);
      return true;
    };
    sub.add_option(row.name, taken)
        ->expected(row.many ? most_positionals : 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->required(row.required);
  }

  /// As CLI11 wants them. It would take the next word for the argument of `--name=`.
  static Words backwards(const CommandRow& command, const Words& words) {
    Words all;
    const auto rest = std::find(words.begin(), words.end(), "--");
    for (auto word = words.begin(); word != words.end(); ++word) {
      const bool ends = word < rest && word->starts_with("--") && word->ends_with("=");
      const OptionRow* row =
          ends ? find_option(command, word->substr(0, word->size() - 1)) : nullptr;
      all.push_back(row ? row->name : *word);
      if (row && !is_flag(*row)) all.emplace_back();
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  // -------------------------------------------------------------- what is given
  /// False: there is a mistake, which CLI11 throws.
  bool take(const CommandRow& command, const OptionRow& row, const std::string& argument) {
    const bool again = !given_.insert(row.name).second;
    const std::string named = "`" + row.name + "`";
    if (is_flag(row))
      return argument == "true" ? row.take(options_, "").empty()
                                : fail(named + " takes no argument");
    if (is_option(command, argument)) return fail(without_argument(row));
    if (again && !row.repeats && !row.last_counts) return fail(named + " is given twice");
    if (follows_equals(row, argument)) return false;
    const Words& known = row.words;
    if (!known.empty() && std::find(known.begin(), known.end(), argument) == known.end())
      return fail(
          named + " is one of " + listed(known) + ", not " + backquoted(argument, longest_quote),
          suggested(argument, known));
    const std::string wrong = row.take(options_, argument);
    return wrong.empty() || fail(named + " " + wrong);
  }

  /// `-j=4`, in which the argument of the letter is `=4`.
  bool follows_equals(const OptionRow& row, const std::string& argument) {
    const std::string letter = row.letter.empty() ? row.name : row.letter;
    const Words& all = options_.words;
    const std::string word = letter + argument;
    if (letter.starts_with("--") || !argument.starts_with("=") ||
        std::find(all.begin(), all.end(), word) == all.end())
      return false;
    const std::string meant = argument.size() > 1 ? argument.substr(1) : row.placeholder;
    fail("no `=` stands between `" + letter +
             "` and its argument: " + backquoted(word, longest_quote),
         "write " + backquoted(letter + " " + meant, longest_quote));
    return true;
  }

  bool fail(std::string message, std::string help = "") {
    is_wrong(std::move(message), std::move(help));
    return false;
  }
  void is_wrong(std::string message, std::string help = "") {
    mistake = {std::move(message), std::move(help)};
  }

  /// Exactly an option of the command: a text that only begins with `-` is an argument.
  static bool is_option(const CommandRow& command, const std::string& word) {
    return find_option(command, word.substr(0, word.find('='))) != nullptr;
  }

  static std::string without_argument(const OptionRow& row) {
    return "`" + row.name + "` needs its argument, " + row.placeholder;
  }

  // -------------------------------------------------------------- what is wrong
  /// The first mistake: words that were not expected stand before what made CLI11 stop.
  void find_mistake(const CommandRow& command, const Words& words, const CLI::ParseError& error) {
    const CLI::App& sub = *app_.get_subcommand(command.name);
    for (const CLI::App* app : {&sub, static_cast<const CLI::App*>(&app_)})
      for (const std::string& word : app->remaining())
        if (word != "--") return not_expected(command, word);
    if (!mistake.message.empty()) return;
    const OptionRow* last = find_option(command, words.back());
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && last)
      is_wrong(without_argument(*last));
    else
      incomplete(command, sub);
  }

  void not_expected(const CommandRow& command, const std::string& word) {
    if (word.size() > 1 && word[0] == '-' && !is_option(command, word))
      return unknown_option(command, word);
    const std::string named = "`" + command.name + "`", quoted = backquoted(word, longest_quote);
    if (command.positionals.empty())
      is_wrong(named + " takes no argument: " + quoted);
    else
      is_wrong(named + " takes one " + command.positionals.back().name + ", and " + quoted +
               " is one too many");
  }

  /// `--epochs 3`, where there is only a setting.
  static std::string as_setting(const std::string& option) {
    if (option == "--lr") return "it is a setting: `--set train.optimizer.lr=...`";
    for (const std::string& key : elab::train_keys())
      if (option == "--" + key) return "it is a setting: `--set train." + key + "=...`";
    return "";
  }

  void unknown_option(const CommandRow& command, const std::string& word) {
    const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word;
    Words known{"--help"};
    for (const OptionRow& row : command.options) known.push_back(row.name);
    std::string help = name.starts_with("--") ? suggested(name, known) : "";
    if (help.empty() && find_option(command, "--set")) help = as_setting(name);
    for (const CommandRow& other : command_rows())
      if (help.empty() && find_option(other, name)) help = "`mtfc " + other.name + "` has it";
    is_wrong("`" + command.name + "` has no option " + backquoted(name, longest_quote), help);
  }

  void incomplete(const CommandRow& command, const CLI::App& sub) {
    const std::string needs = "`" + command.name + "` needs ";
    for (const OptionRow& row : command.options) {
      if (!row.excludes.empty() && sub.count(row.name) > 0 && sub.count(row.excludes) > 0)
        return is_wrong("`" + row.excludes + "` and `" + row.name + "` exclude each other");
      if (row.required && sub.count(row.name) == 0)
        return is_wrong(needs + "`" + row.name + " " + row.placeholder + "`");
    }
    for (const PositionalRow& row : command.positionals)
      if (row.required && sub.count(row.name) == 0)
        return is_wrong(needs + row.name + ": " + row.summary);
    is_wrong("these are no arguments of `" + command.name + "`");
  }

  Options& options_;
  CLI::App app_;
  std::set<std::string> given_;
};

int printed(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return exit_done;
}

}  // namespace

std::variant<Options, Misuse, int> read_command_line(int argc, char** argv) {
  Options options;
  options.words.assign(argv, argv + argc);
  if (argc < 2) return printed(first_screen());
  Words words(argv + 1, argv + argc);
  std::string& first = words.front();
  if (first == "-h" || first == "--help") return printed(first_screen());
  if (first == "-V" || first == "--version") first = "version";
  const CommandRow* command = find_command(first);
  if (!command) return unknown_command(options, first);
  options.command = command->name;
  Reader reader(options);
  const Reader::Outcome outcome = reader.read(*command, words);
  if (outcome == Reader::Outcome::wrong)
    return misuse(options, reader.mistake.message, reader.mistake.help);
  if (outcome == Reader::Outcome::help_wanted) return printed(command_help(*command));
  if (options.command != "help") return options;
  if (options.names.empty()) return printed(first_screen());
  const CommandRow* explained = find_command(options.names.front());
  if (!explained) return unknown_command(options, options.names.front());
  return printed(command_help(*explained));
}

}  // namespace mtfc::cli
