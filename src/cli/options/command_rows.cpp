#include "cli/options/command_rows.h"

#include "cli/options/analysis_rows.h"
#include "cli/options/commands.h"
#include "cli/options/option_takers.h"
#include "cli/options/running_rows.h"
#include "cli/options/shared_rows.h"
#include "cli/options/words.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

OptionRows plot_options() {
  return {out_option("FILE", "file to write (.svg); default: standard output"),
          {"--title", "", "TEXT", "title of the picture", text_into(&Options::title)},
          {"--log-scale", "", "", "a logarithmic axis for losses", set_flag(&Options::log_scale)}};
}
OptionRows fmt_options() {
  return {{"--check", "", "", "change nothing; status 1 if something would",
           set_flag(&Options::check_only)}};
}

std::vector<CommandRow> made_rows() {
  const OptionRows common = common_options();
  return {
      check_row(),
      train_row(),
      eval_row(),
      verify_row(),
      run_row(),
      generate_row(),
      emit_row(),
      cost_row(),
      diff_row(),
      why_row(),
      plan_row(),
      trace_row(),
      picture_row(),
      bench_row(),
      scale_row(),
      {"plot",
       "curves of losses and learning rates, from logs",
       {names_row("RUN", "run folders, or logs (.jsonl)", Count::at_least_one)},
       all_of({plot_options(), common}),
       plot_curves},
      {"fmt",
       "format models",
       {names_row("FILE", "models to format in place, or - for standard input",
                  Count::at_least_one)},
       all_of({fmt_options(), common}),
       format},
      {"explain",
       "what a diagnostic means",
       {names_row("CODE", "a diagnostic's code, like E402; without one, the list",
                  Count::at_most_one)},
       common,
       explain},
      {"lib",
       "the library that ships with mtfc",
       {names_row("FILE",
                  "a file or block of the library, like nn.mtf or attention; without one, the list",
                  Count::at_most_one)},
       common,
       library},
      {"ops", "the operations", {}, common, operations},
      {"completion",
       "completion of command lines, for a shell",
       {names_row("SHELL", series(shells::all, "or"), Count::one),
        names_row("WORD", "", Count::any)},
       common,
       completion},
      {"man", "the manual page; `mtfc man | man -l -` shows it", {}, common, manual},
      {"help",
       "the commands, or the options of one",
       {names_row("COMMAND", "one of the commands", Count::at_most_one)},
       {}},
      {"version", "print the version", {}, common, version},
  };
}

}  // namespace

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows = made_rows();
  return rows;
}

std::vector<std::string> command_names() { return names_of(command_rows()); }

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& row : command_rows())
    if (row.name == name) return &row;
  return nullptr;
}

const OptionRow* find_option(const CommandRow& command, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const OptionRow& row : command.options)
    if (row.name == name || row.letter == name) return &row;
  return nullptr;
}

}  // namespace mtfc::cli
