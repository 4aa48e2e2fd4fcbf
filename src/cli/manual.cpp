// mtfc man: the manual page mtfc(1), from the table of commands.
#include "cli/options/command_rows.h"
#include "cli/options/commands.h"
#include "cli/options/exit_status.h"
#include "cli/options/usage.h"
#include "cli/session/session.h"

namespace mtfc::cli {
namespace {

/// As roff shows it unchanged.
std::string plain(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '\\')
      all += "\\e";
    else if (c == '-')
      all += "\\-";
    else if ((c == '.' || c == '\'') && (all.empty() || all.back() == '\n'))
      all += std::string("\\&") + c;
    else
      all += c;
  }
  return all;
}
std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + plain(text) + "\n";
}

std::string option_entry(const OptionRow& row) {
  std::string head = row.letter.empty() ? "" : bold(row.letter) + ", ";
  head += bold(row.name);
  if (!row.placeholder.empty()) head += " " + italic(row.placeholder);
  return entry(head, explained(row));
}

/// Which options every command has are listed once.
bool is_common(const OptionRow& row) { return find_option(*find_command("ops"), row.name); }

std::string command_section(const CommandRow& command) {
  std::string synopsis = bold("mtfc " + command.name);
  for (const PositionalRow& row : command.positionals) {
    if (row.summary.empty()) continue;
    const std::string name = italic(row.name) + (row.many ? "..." : "");
    synopsis += row.required ? " " + name : " [" + name + "]";
  }
  std::string text =
      ".SS " + plain(command.name) + "\n" + synopsis + "\n.PP\n" + plain(command.summary) + "\n";
  for (const PositionalRow& row : command.positionals)
    if (!row.summary.empty()) text += entry(italic(row.name), row.summary);
  for (const OptionRow& row : command.options)
    if (!is_common(row)) text += option_entry(row);
  return text;
}

std::string exit_statuses() {
  std::string text = ".SH EXIT STATUS\n";
  for (const StatusRow& row : status_rows) text += entry(row.status, row.meaning);
  return text;
}

std::string examples() {
  const std::pair<const char*, const char*> rows[] = {
      {"mtfc check gpt.mtf --layout layouts/*.layout", "checks a model and several layouts for it"},
      {"mtfc cost gpt.mtf layouts/*.layout --hardware h100", "compares what several layouts cost"},
      {"mtfc train gpt.mtf --layout dp.layout -o runs/first", "trains, and saves the run"},
      {"mtfc train --resume runs/first --steps 2000", "continues it"},
      {"mtfc generate --checkpoint runs/first --prompt \"ROMEO:\"", "continues a text"},
      {"mtfc emit gpt.mtf --layout dp.layout --backend mpi -o gpt_mpi",
       "writes a program for a cluster"}};
  std::string text = ".SH EXAMPLES\n";
  for (const auto& [line, meaning] : rows) text += entry(bold(line), meaning);
  return text;
}

std::string page() {
  std::string text = ".TH MTFC 1 \"\" \"mtfc " + std::string(program_version) +
                     "\" \"User Commands\"\n.SH NAME\nmtfc \\- a compiler for models that are "
                     "split over meshes of processors\n.SH SYNOPSIS\n" +
                     bold("mtfc") + " " + italic("COMMAND") + " [" + italic("ARGUMENT") +
                     "]...\n.br\n" + bold("mtfc help") + " " + italic("COMMAND") +
                     "\n.SH DESCRIPTION\nA model defines what is computed, in tensors whose "
                     "dimensions have names; a layout defines which dimension is split over which "
                     "axis of a mesh of processors.\n.SH OPTIONS OF ALL COMMANDS\n";
  for (const OptionRow& row : find_command("ops")->options) text += option_entry(row);
  text += ".SH COMMANDS\n";
  for (const CommandRow& command : command_rows()) text += command_section(command);
  text += exit_statuses();
  text += ".SH ENVIRONMENT\n" + entry(bold("NO_COLOR"), "if set and not empty: no colours");
  return text + examples();
}

}  // namespace

int manual(Session& session) {
  const std::string text = page();
  session.print(text);
  return session.finish(exit_done, {{"text", json(text)}});
}

}  // namespace mtfc::cli
