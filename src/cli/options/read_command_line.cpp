// Reading the command line: the one file that includes CLI11. It splits the words among the rows of
// commands and options; the messages are ours.
#include "cli/options/read_command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <set>

#include "cli/options/command_rows.h"
#include "cli/options/option_takers.h"
#include "cli/options/usage.h"
#include "frontend/elaborate/setting_keys.h"
#include "support/did_you_mean.h"
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

bool is_flag(const OptionRow& row) { return row.placeholder.empty(); }

/// An application of CLI11 for one command. Options are taken in the order in which they are
/// written, because --set, --steps and --seed set the same things.
class Reader {
 public:
  Reader(Options& options, const CommandRow& command) : options_(options), command_(command) {
    app_.set_help_flag("-h,--help");
    for (const OptionRow& row : command.options) add_option(row);
    for (const OptionRow& row : command.options)
      if (!row.excludes.empty()) app_.get_option(row.name)->excludes(app_.get_option(row.excludes));
    for (const PositionalRow& row : command.positionals) add_positional(row);
  }

  enum class Outcome { done, help_wanted, wrong };

  /// `words` follow the name of the command.
  Outcome read(const Words& words) {
    try {
      app_.parse(backwards(words));
      order_layouts();
      return Outcome::done;
    } catch (const CLI::CallForHelp&) {
      return Outcome::help_wanted;
    } catch (const CLI::ParseError& error) {
      find_mistake(words, error);
      return Outcome::wrong;
    }
  }

  Mistake mistake;

 private:
  // -------------------------------------------------------------- what there is
  void add_option(const OptionRow& row) {
    const std::string names = row.letter.empty() ? row.name : row.letter + "," + row.name;
    const auto taken = [this, &row](const CLI::results_t& arguments) {
      return take(row, arguments.back());
    };
    app_.add_option(names, taken)
        ->expected(is_flag(row) ? 0 : 1)
        ->trigger_on_parse()
        ->required(row.required);
  }

  void add_positional(const PositionalRow& row) {
    const auto taken = [this, &row](const CLI::results_t& arguments) {
      for (const std::string& argument : arguments) {
        if (const std::string wrong = wrong_name(argument); !wrong.empty() && !row.summary.empty())
          return fail("`" + row.name + "` " + wrong);
        row.take(options_, argument);
      }
      return true;
    };
    app_.add_option(row.name, taken)
        ->expected(row.many ? most_positionals : 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->required(row.required);
  }

  /// As CLI11 wants them. It would take the next word for the argument of `--name=`.
  Words backwards(const Words& words) const {
    Words all;
    const auto rest = std::find(words.begin(), words.end(), "--");
    for (auto word = words.begin(); word != words.end(); ++word) {
      const bool ends = word < rest && word->starts_with("--") && word->ends_with("=");
      const OptionRow* row =
          ends ? find_option(command_, word->substr(0, word->size() - 1)) : nullptr;
      all.push_back(row ? row->name : *word);
      if (row && !is_flag(*row)) all.emplace_back();
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  /// Positionals are taken behind all options: brings layouts into the order of the command line.
  void order_layouts() {
    const CLI::Option* named = app_.get_option_no_throw("--layout");
    const CLI::Option* bare = app_.get_option_no_throw("LAYOUT");
    if (!named || !bare) return;
    const Words taken = options_.layouts;
    std::size_t next_named = 0, next_bare = taken.size() - bare->count();
    options_.layouts.clear();
    for (const CLI::Option* option : app_.parse_order())
      if (option == named || option == bare)
        options_.layouts.push_back(taken[option == named ? next_named++ : next_bare++]);
  }

  // -------------------------------------------------------------- what is given
  /// False: there is a mistake, which CLI11 throws.
  bool take(const OptionRow& row, const std::string& argument) {
    const bool again = !given_.insert(row.name).second;
    const std::string named = "`" + row.name + "`";
    if (is_flag(row))
      return argument == "true" && !has_argument(row) ? row.take(options_, "").empty()
                                                      : fail(named + " takes no argument");
    if (is_option(argument)) return fail(without_argument(row));
    if (again && !row.repeats && !row.last_counts) return fail(named + " is given twice");
    if (follows_equals(row, argument)) return false;
    const Words& known = row.words;
    if (!known.empty() && std::find(known.begin(), known.end(), argument) == known.end())
      return fail(
          named + " is one of " + listed(known) + ", not " + backquoted(argument, longest_quote),
          suggested(argument, known));
    const std::string wrong = row.take(options_, argument);
    return wrong.empty() || fail(named + " " + wrong, as_one_word(row, argument));
  }

  /// `-D batch=32` for `-D batch 32` and `-D batch = 32`; empty: it is not meant so.
  std::string as_one_word(const OptionRow& row, const std::string& name) const {
    if (row.placeholder.find('=') == std::string::npos) return "";
    const Words& all = options_.words;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
      if ((all[i] != row.name && all[i] != row.letter) || all[i + 1] != name) continue;
      std::string text = name;
      for (std::size_t part = i + 2; part < std::min(i + 4, all.size()); ++part)
        if (text.ends_with("=") || all[part].starts_with("=")) text += all[part];
      if (text == name && name.find('=') == std::string::npos) text += "=" + all[i + 2];
      const std::string& next = all[i + 2];
      const bool file = next.ends_with(".mtf") || next.ends_with(".layout");
      const bool whole = text != name && !text.ends_with("=") && !file && !is_option(next);
      return whole ? "one word, without blanks: " + backquoted(all[i] + " " + text, longest_quote)
                   : "";
    }
    return "";
  }

  /// `--strict=true`, which CLI11 cannot tell from `--strict`.
  bool has_argument(const OptionRow& row) const {
    const Words& all = options_.words;
    return std::find(all.begin(), std::find(all.begin(), all.end(), "--"), row.name + "=true") !=
           std::find(all.begin(), all.end(), "--");
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
  bool is_option(const std::string& word) const {
    return find_option(command_, word.substr(0, word.find('='))) != nullptr;
  }

  static std::string without_argument(const OptionRow& row) {
    return "`" + row.name + "` needs its argument, " + row.placeholder;
  }

  // -------------------------------------------------------------- what is wrong
  /// The first mistake: words that were not expected stand before what made CLI11 stop.
  void find_mistake(const Words& words, const CLI::ParseError& error) {
    for (const std::string& word : app_.remaining())
      if (word != "--") return not_expected(word);
    if (!mistake.message.empty()) return;
    const OptionRow* last = words.empty() ? nullptr : find_option(command_, words.back());
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && last)
      is_wrong(without_argument(*last));
    else
      incomplete();
  }

  void not_expected(const std::string& word) {
    if (word.size() > 1 && word[0] == '-' && !is_option(word)) return unknown_option(word);
    const std::string named = "`" + command_.name + "`", quoted = backquoted(word, longest_quote);
    if (command_.positionals.empty())
      is_wrong(named + " takes no argument: " + quoted);
    else
      is_wrong(named + " takes one " + command_.positionals.back().name + ", and " + quoted +
                   " is one too many",
               word.ends_with(".layout") ? "a layout is given as `--layout FILE`" : "");
  }

  /// `--epochs 3`, where there is only a setting.
  static std::string as_setting(std::string option) {
    std::replace(option.begin() + 2, option.end(), '-', '_');
    if (option == "--lr" || option == "--learning_rate")
      return "it is a setting: `--set train.optimizer.lr=...`";
    for (const std::string& key : elab::train_keys())
      if (option == "--" + key) return "it is a setting: `--set train." + key + "=...`";
    return "";
  }

  /// `-D batch=4` for `--batch 4`, which may be a dimension of the model; empty: it is none.
  std::string as_size(const std::string& word) const {
    if (!find_option(command_, "-D") || !word.starts_with("--")) return "";
    const std::size_t equals = std::min(word.find('='), word.size());
    std::string name = word.substr(2, equals - 2);
    if (name.find('-') != name.npos) name = "NAME";  // no name in a model
    const auto next = std::find(options_.words.begin(), options_.words.end(), word) + 1;
    std::string value = equals < word.size() ? word.substr(equals + 1) : "";
    if (equals == word.size() && next < options_.words.end()) value = *next;
    if (!std::isalpha(static_cast<unsigned char>(name[0])) || value.empty() ||
        value.find_first_not_of("0123456789") != value.npos)
      return "";
    return "a dimension or a `const` of the model is set by " +
           backquoted("-D " + name + "=" + value, longest_quote);
  }

  void unknown_option(const std::string& word) {
    const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word;
    Words known{"--help"};
    for (const OptionRow& row : command_.options) known.push_back(row.name);
    std::string help;
    if (name == "--layout" && find_option(command_, "--keep"))
      help = "`--keep LAYOUT` keeps what a layout says, and the rest is searched";
    if (const OptionRow* output = find_option(command_, "-o"); output && name.starts_with("--out"))
      help = "it is `-o " + output->placeholder + "`";
    if (help.empty() && name.starts_with("--")) help = suggested(name, known);
    if (help.empty() && find_option(command_, "--set")) help = as_setting(name);
    for (const CommandRow& other : command_rows())
      if (help.empty() && find_option(other, name)) help = "`mtfc " + other.name + "` has it";
    if (help.empty()) help = as_size(word);
    is_wrong("`" + command_.name + "` has no option " + backquoted(name, longest_quote), help);
  }

  void incomplete() {
    const std::string needs = "`" + command_.name + "` needs ";
    for (const OptionRow& row : command_.options) {
      if (!row.excludes.empty() && app_.count(row.name) > 0 && app_.count(row.excludes) > 0)
        return is_wrong("`" + row.excludes + "` and `" + row.name + "` exclude each other");
      if (row.required && app_.count(row.name) == 0)
        return is_wrong(needs + "`" + row.name + " " + row.placeholder + "`");
    }
    for (const PositionalRow& row : command_.positionals)
      if (row.required && app_.count(row.name) == 0)
        return is_wrong(needs + row.name + ": " + row.summary);
    is_wrong("these are not valid arguments of `" + command_.name + "`");
  }

  Options& options_;
  const CommandRow& command_;
  CLI::App app_;
  std::set<std::string> given_;
};

/// How many of the files that the command line names are `-`.
std::size_t standard_inputs(const Options& o) {
  Words files = {o.model, o.generate.file, o.start_from, o.plan.keep, o.plan.problem};
  files.insert(files.end(), o.layouts.begin(), o.layouts.end());
  if (o.command == "fmt") files.insert(files.end(), o.names.begin(), o.names.end());
  return static_cast<std::size_t>(std::count(files.begin(), files.end(), "-"));
}

}  // namespace

bool reads_standard_input(const Options& options) { return standard_inputs(options) > 0; }

std::variant<Options, Misuse, std::string> read_command_line(int argc, char** argv) {
  Options options;
  options.words.assign(argv, argv + argc);
  if (argc < 2) return first_screen();
  std::string first = argv[1];
  if (first == "-h" || first == "--help") return first_screen();
  if (first == "-V" || first == "--version") first = "version";
  const CommandRow* command = find_command(first);
  if (!command) return unknown_command(options, first);
  options.command = command->name;
  Reader reader(options, *command);
  const Reader::Outcome outcome = reader.read(Words(argv + 2, argv + argc));
  if (outcome == Reader::Outcome::wrong)
    return misuse(options, reader.mistake.message, reader.mistake.help);
  if (outcome == Reader::Outcome::help_wanted) return command_help(*command);
  if (standard_inputs(options) > 1)
    return misuse(options, "`-` is given twice: standard input can be read once",
                  "name a file for all but one");
  if (options.command != "help") return options;
  if (options.names.empty()) return first_screen();
  const CommandRow* explained = find_command(options.names.front());
  if (!explained) return unknown_command(options, options.names.front());
  return command_help(*explained);
}

}  // namespace mtfc::cli
