#include "train/loop/emitted_options.h"

#include <algorithm>
#include <cstdio>

#include "comm/gather_bytes.h"
#include "sources/source_table.h"
#include "support/exit_status.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

std::string usage(const CommandLine& line) {
  return "usage: PROGRAM [--steps N] [--data NAME=PATH]... [--log FILE] [--out DIR|FILE.npz]\n"
         "               [--resume DIR|FILE] [--force] " +
         line.more_usage + "[--quiet]\n";
}

/// `--data text=other.txt`: another first argument for that source.
bool replace_data(TrainPlan& plan, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return false;
  for (SourceSpec& source : plan.sources) {
    if (source.name == setting.substr(0, equals))
      return replace_path(source, setting.substr(equals + 1));
  }
  return false;
}

/// What is wrong with the command line; empty if nothing is.
std::string read_words(const std::vector<std::string>& words, TrainPlan& plan,
                       EmittedOptions& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& flag = words[i];
    if (flag == "--quiet" || flag == "--force") {
      (flag == "--quiet" ? options.quiet : options.force) = true;
      continue;
    }
    if (i + 1 == words.size()) return "`" + flag + "` is unknown or lacks its value";
    const std::string& value = words[++i];
    if (value.empty()) return "`" + flag + "` has an empty value: give it one, or leave it out";
    if (flag == "--steps") {
      const std::optional<std::int64_t> steps = read_whole(value, 1, INT32_MAX);
      if (!steps) return "`--steps " + value + "` is not a number of steps";
      plan.steps = *steps;
    } else if (flag == "--data") {
      if (value.ends_with('=')) return "`--data " + value + "` names no file";
      if (!replace_data(plan, value)) return "`--data " + value + "` names no data source";
    } else if (flag == "--log") {
      options.log = value;
    } else if (flag == "--out" || flag == "-o") {
      options.out = value;
    } else if (flag == "--resume") {
      options.resume = value;
    } else {
      return "unknown option `" + flag + "`";
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> without_equals(std::vector<std::string> words) {
  std::vector<std::string> parted;
  for (std::string& word : words) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    parted.push_back(word.substr(0, equals));
    if (equals != word.npos) parted.push_back(word.substr(equals + 1));
  }
  return parted;
}

std::optional<std::string> take_option(std::vector<std::string>& options, const std::string& name) {
  std::optional<std::string> last;
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == name && i + 1 < options.size())
      last = options[++i];
    else
      kept.push_back(options[i]);
  }
  options = std::move(kept);
  return last;
}

std::optional<EmittedOptions> read_options(const CommandLine& line, TrainPlan& plan,
                                           net::Network& network, int& status) {
  const bool asks = std::any_of(line.left.begin(), line.left.end(), [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  if (network.highest(asks ? 1 : 0) != 0) {
    if (network.rank() == 0) std::printf("%s", usage(line).c_str());
    status = exit_done;
    return std::nullopt;
  }
  EmittedOptions options;
  const std::string wrong = read_words(line.left, plan, options);
  const Status read = wrong.empty() ? Status() : Status(Error{wrong, {}, {}});
  const Status all = net::agreed(network, read);
  if (all) return options;
  if (network.rank() == 0)
    std::fprintf(stderr, "error: %s\n%s", all.error().message.c_str(), usage(line).c_str());
  status = exit_usage;
  return std::nullopt;
}

}  // namespace mtfc::runtime
