// The command line of an emitted program.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "comm/network.h"
#include "train/train_plan.h"

namespace mtfc::runtime {

/// How an emitted program was called.
struct CommandLine {
  std::vector<std::string> words;  // all of them, the program's own name first
  std::vector<std::string> left;   // options that nobody has read
  std::string more_usage;          // of those that were read before: "[--threads N]"
};

/// `--steps=3` as two words.
std::vector<std::string> without_equals(std::vector<std::string> words);

/// The last argument of an option, which is taken out wherever it stands with one.
std::optional<std::string> take_option(std::vector<std::string>& options, const std::string& name);

/// What every emitted program takes, beside what changes its plan.
struct EmittedOptions {
  std::string log, out, resume;
  bool quiet = false, force = false;
};

/// [--steps N] [--data NAME=PATH] [--log FILE] [--out DIR|FILE.npz] [--resume DIR|FILE] [--force]
/// [--quiet], of which --steps and --data change the plan. Before there is an engine, on all ranks.
/// Absent: `--help` is answered, or what is wrong reported; `status` says how to end.
std::optional<EmittedOptions> read_options(const CommandLine& line, TrainPlan& plan,
                                           net::Network& network, int& status);

}  // namespace mtfc::runtime
