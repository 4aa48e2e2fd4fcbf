// main() of emitted programs.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "runtime/loop/train_loop.h"

namespace mtfc::runtime {
namespace {

constexpr int status_usage = 2;
constexpr const char* usage =
    "usage: PROGRAM [--steps N] [--data NAME=PATH]... [--log FILE] [--out FILE.npz] [--quiet]\n";

struct Options {
  std::string log, out;
  bool quiet = false;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

/// `--data text=other.txt`: another first argument for that source.
bool replace_data(TrainPlan& plan, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return false;
  for (SourceSpec& source : plan.sources) {
    if (source.name != setting.substr(0, equals) || source.args.empty()) continue;
    source.args[0].second = setting.substr(equals + 1);
    source.directory.clear();
    return true;
  }
  return false;
}

/// What is wrong with the command line; empty if nothing is.
std::string read_options(int argc, char** argv, TrainPlan& plan, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quiet") {
      options.quiet = true;
      continue;
    }
    if (i + 1 == argc) return "`" + flag + "` is unknown or lacks its value";
    const std::string value = argv[++i];
    if (flag == "--steps") {
      const std::optional<std::int64_t> steps = whole_number(value);
      if (!steps || *steps < 1) return "`--steps " + value + "` is no number of steps";
      plan.steps = *steps;
    } else if (flag == "--data") {
      if (!replace_data(plan, value)) return "`--data " + value + "` names no data source";
    } else if (flag == "--log") {
      options.log = value;
    } else if (flag == "--out" || flag == "-o") {
      options.out = value;
    } else {
      return "unknown option `" + flag + "`";
    }
  }
  return {};
}

void print_error(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  for (const std::string& help : error.helps) std::fprintf(stderr, "  = help: %s\n", help.c_str());
}

void write_line(std::FILE* file, const std::string& line) {
  std::fprintf(file, "%s\n", line.c_str());
  std::fflush(file);
}

}  // namespace

int training_main(Engine& engine, TrainPlan plan, int argc, char** argv) {
  Options options;
  const std::string wrong = read_options(argc, argv, plan, options);
  if (!wrong.empty()) {
    if (engine.is_root()) std::fprintf(stderr, "error: %s\n%s", wrong.c_str(), usage);
    return status_usage;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(nullptr, &std::fclose);
  if (!options.log.empty() && engine.is_root()) log.reset(std::fopen(options.log.c_str(), "w"));
  if (engine.any(!options.log.empty() && engine.is_root() && log == nullptr)) {
    if (engine.is_root()) print_error({"cannot write `" + options.log + "`", {}, {}});
    return status_usage;
  }
  TrainHooks hooks;
  hooks.progress = !options.quiet;
  hooks.log = [&](const std::string& line) {
    write_line(stdout, line);
    if (log != nullptr) write_line(log.get(), line);
  };
  if (!options.out.empty())
    hooks.save = [&](std::int64_t, bool) { return save_variables(engine, options.out); };
  const TrainResult result = run_training(engine, plan, hooks);
  if (result.status == status_failed && engine.is_root()) print_error(result.error);
  return result.status;
}

}  // namespace mtfc::runtime
