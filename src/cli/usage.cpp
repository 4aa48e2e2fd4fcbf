#include "cli/usage.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/version.h"

namespace mtfc::cli {

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
  row("mtfc cost MODEL --layout L", "flops, memory, communication");
  text += bold + "run" + plain + "\n";
  row("mtfc train MODEL [--layout L] [-o DIR]", "on a simulated mesh, or mpirun");
  row("mtfc train MODEL --resume DIR", "resume a run");
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
  row("mtfc fmt FILE...", "models in the house style");
  text += "\n`mtfc COMMAND --help` tells the rest. A first look:\n";
  text += "  mtfc check models/mnist.mtf --layout models/layouts/mnist/dp_mp.layout\n";
  return text;
}

}  // namespace mtfc::cli
