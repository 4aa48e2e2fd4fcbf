#include "cli/options/usage.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/options/version.h"
#include "messages/wrap.h"
#include "support/text.h"

namespace mtfc::cli {

constexpr std::size_t widest_output = 100;  // longer lines are hard to read

std::size_t output_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 80;
  return std::min<std::size_t>(size.ws_col, widest_output);
}

std::string explained(const OptionRow& row) {
  std::string text = row.summary;
  if (row.words.size() > 1) text += " (" + joined(row.words, ", ") + ")";
  if (row.required) text += " (required)";
  return text;
}

namespace {

/// "-o, --out DIR"
std::string spelled(const OptionRow& row) {
  std::string text = row.letter.empty() ? "" : row.letter + ", ";
  text += row.name;
  if (!row.placeholder.empty()) text += " " + row.placeholder;
  return text;
}

/// Two columns; a name that is too long for the first has a line of its own.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  constexpr std::size_t indent = 2, gap = 2, most = 24;
  std::size_t widest = 0;
  for (const auto& [name, text] : rows)
    if (name.size() <= most) widest = std::max(widest, name.size());
  const std::size_t second = indent + widest + gap;
  std::string all;
  for (const auto& [name, text] : rows) {
    all += std::string(indent, ' ') + name;
    const bool apart = indent + name.size() + gap > second;
    all +=
        apart ? "\n" + std::string(second, ' ') : std::string(second - indent - name.size(), ' ');
    all += wrapped(text, {second, second, output_columns()}) + "\n";
  }
  return all;
}

}  // namespace

std::string command_help(const CommandRow& command) {
  std::string usage = "usage: mtfc " + command.name;
  for (const PositionalRow& row : command.positionals) {
    if (row.summary.empty()) continue;
    const std::string name = row.name + (row.many ? "..." : "");
    usage += row.required ? " " + name : " [" + name + "]";
  }
  std::vector<std::pair<std::string, std::string>> positionals, options;
  for (const PositionalRow& row : command.positionals)
    if (!row.summary.empty()) positionals.emplace_back(row.name, row.summary);
  for (const OptionRow& row : command.options) options.emplace_back(spelled(row), explained(row));
  options.emplace_back("-h, --help", "this help");
  std::string text =
      wrapped("mtfc " + command.name + ": " + command.summary, {0, 2, output_columns()});
  text += "\n\n" + usage + " [options]\n\n";
  if (!positionals.empty()) text += two_columns(positionals) + "\n";
  return text + "options\n" + two_columns(options);
}

std::string first_screen() {
  const char* off = std::getenv("NO_COLOR");
  const bool color = ::isatty(STDOUT_FILENO) != 0 && (off == nullptr || *off == '\0');
  const std::string bold = color ? "\x1b[1m" : "", cyan = color ? "\x1b[36m" : "";
  const std::string plain = color ? "\x1b[0m" : "";
  std::string text = bold + "mtfc " + program_version + plain +
                     "  a model says what is computed, a layout says where\n\n";
  const auto row = [&](const std::string& command, const std::string& what) {
    text += "  " + cyan + command + plain;
    text.append(command.size() < 44 ? 44 - command.size() : 1, ' ');
    text += what + "\n";
  };
  text += bold + "look" + plain + "\n";
  row("mtfc check MODEL [--layout L]...", "types and every layout");
  row("mtfc cost MODEL --layout L", "flops, memory, messages, time");
  row("mtfc why MODEL --layout L [WHAT]", "which rule is behind what is sent");
  row("mtfc plan MODEL --hardware H", "the fastest layout, with a proof");
  row("mtfc diff MODEL L M", "what two layouts cost differently");
  text += bold + "run" + plain + "\n";
  row("mtfc train MODEL [--layout L] [-o DIR]", "on a simulated mesh, or mpirun");
  row("mtfc train --resume DIR", "resume a run");
  row("mtfc eval MODEL --checkpoint DIR", "losses on evaluation data");
  row("mtfc generate --checkpoint DIR", "continue a prompt");
  row("mtfc verify MODEL --layout L", "the same numbers as one processor?");
  row("mtfc run MODEL NAME... -o F.npz", "any tensors, any gradients");
  text += bold + "build" + plain + "\n";
  row("mtfc emit MODEL --backend NAME -o DIR", "programs for other machines");
  text += bold + "read" + plain + "\n";
  row("mtfc plot RUN... -o curves.svg", "losses and learning rates of runs");
  row("mtfc explain CODE", "what a diagnostic means");
  row("mtfc lib [FILE], mtfc ops", "the library, the operations");
  row("mtfc fmt FILE...", "format models");
  row("mtfc help COMMAND, mtfc man", "its options; the manual page");
  row("mtfc completion SHELL", "command lines in bash, zsh, fish");
  text += "\nA first look:\n";
  text += "  mtfc check models/mnist.mtf --layout models/layouts/mnist/dp_mp.layout\n";
  return text;
}

}  // namespace mtfc::cli
