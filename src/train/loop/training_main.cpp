// main() of emitted programs.
#include <cerrno>
#include <cstdio>
#include <optional>

#include "comm/agreement.h"
#include "comm/gather_bytes.h"
#include "sources/source_table.h"
#include "support/text.h"
#include "train/loop/interrupt.h"
#include "train/loop/run_files.h"
#include "train/loop/train_loop.h"

namespace mtfc::runtime {
namespace {

constexpr int status_usage = 2;
constexpr const char* usage =
    "usage: PROGRAM [--steps N] [--data NAME=PATH]... [--log FILE] [--out DIR|FILE.npz]\n"
    "               [--resume DIR|FILE] [--force] [--threads N] [--quiet]\n";

struct Options {
  std::string log, out, resume;
  bool quiet = false, force = false;
};

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
std::string read_options(int argc, char** argv, TrainPlan& plan, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quiet" || flag == "--force") {
      (flag == "--quiet" ? options.quiet : options.force) = true;
      continue;
    }
    if (i + 1 == argc) return "`" + flag + "` is unknown or lacks its value";
    const std::string value = argv[++i];
    if (flag == "--steps") {
      const std::optional<std::int64_t> steps = read_whole(value, 1, INT32_MAX);
      if (!steps) return "`--steps " + value + "` is not a number of steps";
      plan.steps = *steps;
    } else if (flag == "--data") {
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

void print_error(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  for (const std::string& help : error.helps) std::fprintf(stderr, "  = help: %s\n", help.c_str());
}

void print_interruption(const TrainResult& result, const Options& options) {
  const std::string next = options.out.empty() ? "; not saved (no --out)"
                                               : "; `--resume " + options.out + "` continues";
  std::fprintf(stderr, "%s%s\n", interruption(result).c_str(), next.c_str());
}

bool is_archive(const std::string& path) { return path.ends_with(".npz"); }

RunFilesPlan files_plan(const TrainPlan& plan, const Options& options) {
  RunFilesPlan files;
  if (!is_archive(options.out)) files.folder = options.out;
  files.access.force = options.force;
  if (!options.log.empty()) files.logs = {options.log};
  files.keep = plan.keep;
  files.form = plan.checkpoint;
  files.record.model.path = plan.model;
  files.record.seed = plan.seed;
  return files;
}

/// Every rank opens the checkpoint, and must find that it fits.
Status open_checkpoint(const Engine& engine, const TrainPlan& plan, const std::string& path,
                       std::optional<Checkpoint>& checkpoint) {
  Result<FoundCheckpoint> found = find_checkpoint(path, engine.network());
  if (!found) return found.error();
  checkpoint.emplace(std::move(found->checkpoint));
  const std::vector<Misfit> wrong = misfits(engine, *checkpoint, Load::everything);
  if (!wrong.empty()) return Error{misfit_text(*checkpoint, wrong.front()), {}, {}};
  return can_resume(*checkpoint, plan.seed);
}

/// The same on all ranks.
Status lock(Engine& engine, const Options& options, RunFilesPlan& files) {
  Status locked;
  if (!options.resume.empty() && engine.is_root()) {
    Result<std::optional<FolderLock>> taken = lock_resumed(options.resume, files.folder);
    if (taken)
      files.access.lock = std::move(*taken);
    else
      locked = taken.error();
  }
  return net::agreed(engine.network(), locked);
}

/// What ranks do together is the same on all of them.
bool same_options(Engine& engine, const TrainPlan& plan, const Options& options) {
  Facts facts = facts_of(plan);
  const auto given = [](const std::string& value) { return value.empty() ? "absent" : "given"; };
  facts.push_back({"`--out`", options.out.empty()       ? "absent"
                              : is_archive(options.out) ? "an archive"
                                                        : "a folder"});
  facts.push_back({"`--log`", given(options.log)});
  facts.push_back({"`--resume`", given(options.resume)});
  const std::string differs = net::difference(engine.network(), facts);
  if (!differs.empty() && engine.is_root()) print_error(net::differing_run(differs));
  return differs.empty();
}

int train(Engine& engine, const TrainPlan& plan, const Options& options) {
  if (!same_options(engine, plan, options)) return status_failed;
  std::optional<Checkpoint> begin;
  RunFilesPlan planned = files_plan(plan, options);
  Status ready = lock(engine, options, planned);
  if (ready && !options.resume.empty())
    ready = open_checkpoint(engine, plan, options.resume, begin);
  RunFiles files(engine, std::move(planned), begin ? &*begin : nullptr);
  if (ready) ready = files.prepare();
  if (const Status all = net::agreed(engine.network(), ready); !all) {
    if (engine.is_root()) print_error(all.error());
    return status_failed;
  }
  TrainHooks hooks;
  files.add_to(hooks);
  hooks.progress = !options.quiet;
  const auto to_file = hooks.log;
  hooks.log = [&](const std::string& line) -> Status {
    const bool printed = std::printf("%s\n", line.c_str()) >= 0;
    if (std::fflush(stdout) != 0 || !printed) return cannot("write", "<stdout>", errno);
    return to_file(line);
  };
  if (is_archive(options.out))
    hooks.save = [&](const TrainState&) { return save_variables(engine, options.out); };
  const TrainResult result = run_training(engine, plan, hooks);
  if (result.failed() && engine.is_root()) print_error(result.error);
  if (result.status >= status_signal && engine.is_root()) print_interruption(result, options);
  return result.status;
}

}  // namespace

int training_main(Engine& engine, TrainPlan plan, int argc, char** argv) {
  // Until the process ends: launchers signal ranks that are ending already.
  static const InterruptGuard guard;
  if (engine.network().has_launcher())
    InterruptGuard::ignore_repeated();
  else
    InterruptGuard::end_at_once(engine.network().ranks() == 1);
  Options options;
  const std::string wrong = read_options(argc, argv, plan, options);
  const Status read = wrong.empty() ? Status() : Status(Error{wrong, {}, {}});
  const Status all = net::agreed(engine.network(), read);
  if (all) return train(engine, plan, options);
  if (engine.is_root()) std::fprintf(stderr, "error: %s\n%s", all.error().message.c_str(), usage);
  return status_usage;
}

}  // namespace mtfc::runtime
