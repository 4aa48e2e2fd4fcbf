// What a command, an option and a positional are, as data.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/options/options.h"

namespace mtfc::cli {

class Session;

struct OptionRow {
  std::string name;         // "--layout", or "-j" if it has no long name
  std::string letter;       // "-o" of "--out"; mostly empty
  std::string placeholder;  // "FILE"; empty for a flag, which takes no argument
  std::string summary;
  /// Takes the argument (of a flag: nothing); what is wrong with it, or "".
  std::function<std::string(Options&, const std::string&)> take;
  std::vector<std::string> words = {};  // the only arguments there are
  bool repeats = false;                 // each counts; else it is given at most once
  bool last_counts = false;             // given several times, the last one
  bool required = false;
  std::string excludes = {};  // the option that it cannot be given with
};

/// What is written without an option: "MODEL", "RUN". Without a summary it is for scripts of ours,
/// which may give empty words.
struct PositionalRow {
  std::string name, summary;
  bool required = true, many = false;
  std::function<void(Options&, const std::string&)> take;
};

/// What a command makes of a layout with a pipeline: it knows stages, or it computes the same
/// without them.
enum class Pipelines { in_stages, on_one_stage };

struct CommandRow {
  std::string name, summary;
  std::vector<PositionalRow> positionals;
  std::vector<OptionRow> options;
  int (*run)(Session&) = nullptr;  // null: the reader of the command line answers it
  bool on_ranks = false;           // under mpirun all ranks run it together
  Pipelines pipelines = Pipelines::in_stages;
};

}  // namespace mtfc::cli
