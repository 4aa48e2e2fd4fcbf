// mtfc man: the manual page mtfc(1), from the table of commands.
#include "cli/command_rows.h"
#include "cli/commands.h"

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
  std::string text = row.summary;
  if (row.words.size() > 1) text += ": " + joined(row.words, ", ");
  return entry(head, text);
}

/// Which options every command has are listed once.
bool is_common(const OptionRow& row) { return find_option(*find_command("ops"), row.name); }

std::string command_section(const CommandRow& command) {
  std::string synopsis = bold("mtfc " + command.name);
  for (const PositionalRow& row : command.positionals) {
    const std::string name = italic(row.name) + (row.many ? "..." : "");
    synopsis += row.required ? " " + name : " [" + name + "]";
  }
  std::string text =
      ".SS " + plain(command.name) + "\n" + synopsis + "\n.PP\n" + plain(command.summary) + "\n";
  for (const PositionalRow& row : command.positionals) text += entry(italic(row.name), row.summary);
  for (const OptionRow& row : command.options)
    if (!is_common(row)) text += option_entry(row);
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
  text += ".SH EXIT STATUS\n";
  text += entry("0", "done");
  text += entry("1", "the model or a layout is not valid");
  text += entry("2", "the command line, or a file named there, is wrong");
  text += entry("3", "the run failed");
  text += entry("4", "does not fit in memory");
  text += entry("70", "a mistake of mtfc");
  return text + entry("130, 143", "interrupted, terminated");
}

}  // namespace

int manual(Session& session) {
  session.print(page());
  return session.finish(exit_done);
}

}  // namespace mtfc::cli
